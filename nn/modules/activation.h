// Activations. Each maps a tensor to one of the same sizes (GLU halves one dimension); the formulas
// are at the functions of the same names in functional/activation.h.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/activation.h>

#pragma GCC visibility push(default)

namespace taper::nn {

/// A module with options and no parameters that maps a tensor.
#define TAPER_ACTIVATION(Name, ...)                                 \
  class Name##Impl : public Cloneable<Name##Impl> {                 \
   public:                                                          \
    explicit Name##Impl(const Name##Options& options_ __VA_ARGS__); \
    void reset() override;                                          \
    void pretty_print(std::ostream& stream) const override;         \
    Tensor forward(Tensor input);                                   \
    Name##Options options;                                          \
  };                                                                \
  TAPER_LIBRARY_MODULE(Name)

/// The same without options.
#define TAPER_PLAIN_ACTIVATION(Name)                        \
  class Name##Impl : public Cloneable<Name##Impl> {         \
   public:                                                  \
    Name##Impl();                                           \
    void reset() override;                                  \
    void pretty_print(std::ostream& stream) const override; \
    Tensor forward(const Tensor& input);                    \
  };                                                        \
  TAPER_LIBRARY_MODULE(Name)

TAPER_ACTIVATION(ReLU, = {});
TAPER_ACTIVATION(ReLU6, = {});
TAPER_ACTIVATION(LeakyReLU, = {});
TAPER_ACTIVATION(ELU, = {});
TAPER_ACTIVATION(SELU, = {});
TAPER_ACTIVATION(CELU, = {});
TAPER_ACTIVATION(GELU, = {});
TAPER_ACTIVATION(GLU, = {});
TAPER_ACTIVATION(Hardtanh, = {});
TAPER_ACTIVATION(Hardshrink, = {});
TAPER_ACTIVATION(Softshrink, = {});
TAPER_ACTIVATION(Softplus, = {});
TAPER_ACTIVATION(RReLU, = {});
TAPER_PLAIN_ACTIVATION(SiLU);
TAPER_PLAIN_ACTIVATION(Mish);
/// Python's modules; LibTorch's C++ has the functions alone.
TAPER_PLAIN_ACTIVATION(Hardswish);
TAPER_PLAIN_ACTIVATION(Hardsigmoid);
TAPER_PLAIN_ACTIVATION(Sigmoid);
TAPER_PLAIN_ACTIVATION(LogSigmoid);
TAPER_PLAIN_ACTIVATION(Tanh);
TAPER_PLAIN_ACTIVATION(Tanhshrink);
TAPER_PLAIN_ACTIVATION(Softsign);
/// Over the channels of (N, C, H, W) or (C, H, W).
TAPER_PLAIN_ACTIVATION(Softmax2d);

#undef TAPER_ACTIVATION
#undef TAPER_PLAIN_ACTIVATION

/// The same over a dimension that must be given.
#define TAPER_SOFTMAX(Name)                                              \
  class Name##Impl : public Cloneable<Name##Impl> {                      \
   public:                                                               \
    explicit Name##Impl(int64_t dim) : Name##Impl(Name##Options(dim)) {} \
    explicit Name##Impl(const Name##Options& options_);                  \
    void reset() override;                                               \
    void pretty_print(std::ostream& stream) const override;              \
    Tensor forward(const Tensor& input);                                 \
    Name##Options options;                                               \
  };                                                                     \
  TAPER_LIBRARY_MODULE(Name)

TAPER_SOFTMAX(Softmax);
TAPER_SOFTMAX(Softmin);
TAPER_SOFTMAX(LogSoftmax);
#undef TAPER_SOFTMAX

/// x where x > threshold, else value.
class ThresholdImpl : public Cloneable<ThresholdImpl> {
 public:
  ThresholdImpl(double threshold, double value)
      : ThresholdImpl(ThresholdOptions(threshold, value)) {}
  explicit ThresholdImpl(const ThresholdOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);

  ThresholdOptions options;
};
TAPER_LIBRARY_MODULE(Threshold);

/// Leaky ReLU whose slope is learnt: one for all, or one for each of num_parameters channels.
class PReLUImpl : public Cloneable<PReLUImpl> {
 public:
  explicit PReLUImpl(const PReLUOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);

  PReLUOptions options;
  /// (num_parameters), starts at init.
  Tensor weight;
};
TAPER_LIBRARY_MODULE(PReLU);

}  // namespace taper::nn

#pragma GCC visibility pop
