// Activation modules. The result of forward() has the sizes of the input, but GLU halves a
// dimension. With `inplace`, forward() overwrites the input and returns it. functional/activation.h
// has the formulas.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/activation.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Applies ReLU to each element: max(x, 0).
class ReLUImpl : public Cloneable<ReLUImpl> {
 public:
  explicit ReLUImpl(const ReLUOptions& options_ = {});  ///< by default not in-place
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< applies functional::relu to any shape
  ReLUOptions options;           ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(ReLU);

/// Applies ReLU6 to each element: min(max(x, 0), 6).
class ReLU6Impl : public Cloneable<ReLU6Impl> {
 public:
  explicit ReLU6Impl(const ReLU6Options& options_ = {});  ///< by default not in-place
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< applies functional::relu6 to any shape
  ReLU6Options options;          ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(ReLU6);

/// Applies leaky ReLU to each element: x if x > 0, else negative_slope * x.
class LeakyReLUImpl : public Cloneable<LeakyReLUImpl> {
 public:
  /// Sets the options. Defaults: negative_slope 0.01, not in-place.
  explicit LeakyReLUImpl(const LeakyReLUOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< applies functional::leaky_relu to any shape
  LeakyReLUOptions options;      ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(LeakyReLU);

/// Applies ELU to each element: x if x > 0, else alpha (e^x - 1).
class ELUImpl : public Cloneable<ELUImpl> {
 public:
  explicit ELUImpl(const ELUOptions& options_ = {});  ///< defaults: alpha 1, not in-place
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< applies functional::elu to any shape
  ELUOptions options;            ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(ELU);

/// Applies SELU to each element: ELU with a fixed scale and a fixed alpha, which keep mean 0 and
/// variance 1 of activations (Klambauer et al., 2017).
class SELUImpl : public Cloneable<SELUImpl> {
 public:
  explicit SELUImpl(const SELUOptions& options_ = {});  ///< by default not in-place
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< applies functional::selu to any shape
  SELUOptions options;           ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(SELU);

/// Applies CELU to each element: max(x, 0) + min(alpha (e^(x / alpha) - 1), 0).
class CELUImpl : public Cloneable<CELUImpl> {
 public:
  explicit CELUImpl(const CELUOptions& options_ = {});  ///< defaults: alpha 1, not in-place
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< applies functional::celu to any shape
  CELUOptions options;           ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(CELU);

/// Applies GELU to each element: x * F(x), or an approximation with tanh. F is the cumulative
/// distribution function of the standard normal distribution.
class GELUImpl : public Cloneable<GELUImpl> {
 public:
  explicit GELUImpl(const GELUOptions& options_ = {});  ///< default: approximate "none"
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< applies functional::gelu to any shape
  GELUOptions options;           ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(GELU);

/// Applies GLU: the input's first half along a dimension times the sigmoid of its second half.
class GLUImpl : public Cloneable<GLUImpl> {
 public:
  explicit GLUImpl(const GLUOptions& options_ = {});  ///< default: dim -1
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::glu. The size along dim must be even. The result has half this size.
  Tensor forward(Tensor input);
  GLUOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(GLU);

/// Clamps each element to [min_val, max_val].
class HardtanhImpl : public Cloneable<HardtanhImpl> {
 public:
  /// Sets the options. Defaults: from -1 to 1, not in-place. Throws Error unless min_val < max_val.
  explicit HardtanhImpl(const HardtanhOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< applies functional::hardtanh to any shape
  HardtanhOptions options;       ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(Hardtanh);

/// Applies hard shrinkage to each element: x if |x| > lambda, else 0.
class HardshrinkImpl : public Cloneable<HardshrinkImpl> {
 public:
  explicit HardshrinkImpl(const HardshrinkOptions& options_ = {});  ///< default: lambda 0.5
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< applies functional::hardshrink to any shape
  HardshrinkOptions options;     ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(Hardshrink);

/// Applies soft shrinkage to each element: x - lambda if x > lambda, x + lambda if x < -lambda,
/// else 0.
class SoftshrinkImpl : public Cloneable<SoftshrinkImpl> {
 public:
  explicit SoftshrinkImpl(const SoftshrinkOptions& options_ = {});  ///< default: lambda 0.5
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< applies functional::softshrink to any shape
  SoftshrinkOptions options;     ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(Softshrink);

/// Applies softplus to each element: log(1 + e^(beta x)) / beta, or x if beta x > threshold.
class SoftplusImpl : public Cloneable<SoftplusImpl> {
 public:
  explicit SoftplusImpl(const SoftplusOptions& options_ = {});  ///< defaults: beta 1, threshold 20
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< applies functional::softplus to any shape
  SoftplusOptions options;       ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(Softplus);

/// Applies randomized leaky ReLU. In training, a slope is drawn from [lower, upper] for each
/// element. In evaluation, the slope is the mean of lower and upper.
class RReLUImpl : public Cloneable<RReLUImpl> {
 public:
  /// Sets the options. Defaults: lower 1/8, upper 1/3, not in-place.
  explicit RReLUImpl(const RReLUOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::rrelu with training = is_training(). Throws Error if lower > upper.
  Tensor forward(Tensor input);
  RReLUOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(RReLU);

/// Applies SiLU to each element: x sigmoid(x).
class SiLUImpl : public Cloneable<SiLUImpl> {
 public:
  SiLUImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< applies functional::silu to any shape
};
TAPER_LIBRARY_MODULE(SiLU);

/// Applies Mish to each element: x tanh(softplus(x)).
class MishImpl : public Cloneable<MishImpl> {
 public:
  MishImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< applies functional::mish to any shape
};
TAPER_LIBRARY_MODULE(Mish);

/// Applies hard swish to each element: x min(max(x + 3, 0), 6) / 6. (LibTorch has only the function
/// hardswish or hardsigmoid, not the module.)
class HardswishImpl : public Cloneable<HardswishImpl> {
 public:
  HardswishImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< applies the function to each element
};
TAPER_LIBRARY_MODULE(Hardswish);

/// Applies hard sigmoid to each element: min(max(x / 6 + 1/2, 0), 1). (LibTorch has only the
/// function hardswish or hardsigmoid, not the module.)
class HardsigmoidImpl : public Cloneable<HardsigmoidImpl> {
 public:
  HardsigmoidImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< applies the function to each element
};
TAPER_LIBRARY_MODULE(Hardsigmoid);

/// Applies the sigmoid to each element: 1 / (1 + e^-x).
class SigmoidImpl : public Cloneable<SigmoidImpl> {
 public:
  SigmoidImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< applies the function to each element
};
TAPER_LIBRARY_MODULE(Sigmoid);

/// Applies log(sigmoid(x)) to each element.
class LogSigmoidImpl : public Cloneable<LogSigmoidImpl> {
 public:
  LogSigmoidImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< applies functional::logsigmoid to any shape
};
TAPER_LIBRARY_MODULE(LogSigmoid);

/// Applies tanh to each element.
class TanhImpl : public Cloneable<TanhImpl> {
 public:
  TanhImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< applies the function to each element
};
TAPER_LIBRARY_MODULE(Tanh);

/// Applies x - tanh(x) to each element.
class TanhshrinkImpl : public Cloneable<TanhshrinkImpl> {
 public:
  TanhshrinkImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< applies functional::tanhshrink to any shape
};
TAPER_LIBRARY_MODULE(Tanhshrink);

/// Applies softsign to each element: x / (1 + |x|).
class SoftsignImpl : public Cloneable<SoftsignImpl> {
 public:
  SoftsignImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< applies functional::softsign to any shape
};
TAPER_LIBRARY_MODULE(Softsign);
/// Applies softmax over the channels of (N, C, H, W) or (C, H, W).
class Softmax2dImpl : public Cloneable<Softmax2dImpl> {
 public:
  Softmax2dImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< throws Error unless the input has 3 or 4 dimensions
};
TAPER_LIBRARY_MODULE(Softmax2d);

/// Applies softmax along a dimension: e^x_i / sum_j e^x_j. You must give the dimension.
class SoftmaxImpl : public Cloneable<SoftmaxImpl> {
 public:
  /// Sets the dimension. A negative number counts from the end.
  ///@{
  explicit SoftmaxImpl(int64_t dim) : SoftmaxImpl(SoftmaxOptions(dim)) {}
  explicit SoftmaxImpl(const SoftmaxOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< applies functional::softmax along options.dim()
  SoftmaxOptions options;               ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(Softmax);

/// Applies softmax(-x) along a dimension. You must give the dimension.
class SoftminImpl : public Cloneable<SoftminImpl> {
 public:
  /// Sets the dimension. A negative number counts from the end.
  ///@{
  explicit SoftminImpl(int64_t dim) : SoftminImpl(SoftminOptions(dim)) {}
  explicit SoftminImpl(const SoftminOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< applies functional::softmin along options.dim()
  SoftminOptions options;               ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(Softmin);

/// Applies log(softmax(x)) along a dimension. You must give the dimension.
class LogSoftmaxImpl : public Cloneable<LogSoftmaxImpl> {
 public:
  /// Sets the dimension. A negative number counts from the end.
  ///@{
  explicit LogSoftmaxImpl(int64_t dim) : LogSoftmaxImpl(LogSoftmaxOptions(dim)) {}
  explicit LogSoftmaxImpl(const LogSoftmaxOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< applies functional::log_softmax along options.dim()
  LogSoftmaxOptions options;            ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(LogSoftmax);

/// Applies a threshold to each element: x if x > threshold, else value.
class ThresholdImpl : public Cloneable<ThresholdImpl> {
 public:
  /// Sets the threshold, and the value that replaces elements that are not above the threshold. By
  /// default not in-place.
  ///@{
  ThresholdImpl(double threshold, double value)
      : ThresholdImpl(ThresholdOptions(threshold, value)) {}
  explicit ThresholdImpl(const ThresholdOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< applies functional::threshold to any shape

  ThresholdOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(Threshold);

/// Applies PReLU: x if x > 0, else weight * x. The weight is learnable. There is one weight for all
/// channels, or one for each of num_parameters channels.
class PReLUImpl : public Cloneable<PReLUImpl> {
 public:
  /// Sets the options. Defaults: one parameter, which starts at 0.25.
  explicit PReLUImpl(const PReLUOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::prelu to (N, num_parameters, ...). With a single weight, any shape is
  /// allowed.
  Tensor forward(const Tensor& input);

  PReLUOptions options;  ///< read by reset()
  /// (num_parameters). Its initial value is options.init().
  Tensor weight;
};
TAPER_LIBRARY_MODULE(PReLU);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
