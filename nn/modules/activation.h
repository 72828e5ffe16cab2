// Activations. Each maps a tensor to one of the same sizes (GLU halves one dimension); the formulas
// are at the functions of the same names in functional/activation.h.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/activation.h>

#pragma GCC visibility push(default)

namespace taper::nn {

/// max(x, 0).
class ReLUImpl : public Cloneable<ReLUImpl> {
 public:
  explicit ReLUImpl(const ReLUOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);
  ReLUOptions options;
};
TAPER_LIBRARY_MODULE(ReLU);

/// min(max(x, 0), 6).
class ReLU6Impl : public Cloneable<ReLU6Impl> {
 public:
  explicit ReLU6Impl(const ReLU6Options& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);
  ReLU6Options options;
};
TAPER_LIBRARY_MODULE(ReLU6);

/// x where x > 0, else negative_slope * x.
class LeakyReLUImpl : public Cloneable<LeakyReLUImpl> {
 public:
  explicit LeakyReLUImpl(const LeakyReLUOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);
  LeakyReLUOptions options;
};
TAPER_LIBRARY_MODULE(LeakyReLU);

/// x where x > 0, else alpha (e^x - 1).
class ELUImpl : public Cloneable<ELUImpl> {
 public:
  explicit ELUImpl(const ELUOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);
  ELUOptions options;
};
TAPER_LIBRARY_MODULE(ELU);

/// ELU scaled so that means and variances stay (Klambauer et al., 2017).
class SELUImpl : public Cloneable<SELUImpl> {
 public:
  explicit SELUImpl(const SELUOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);
  SELUOptions options;
};
TAPER_LIBRARY_MODULE(SELU);

/// max(x, 0) + min(alpha (e^(x / alpha) - 1), 0).
class CELUImpl : public Cloneable<CELUImpl> {
 public:
  explicit CELUImpl(const CELUOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);
  CELUOptions options;
};
TAPER_LIBRARY_MODULE(CELU);

/// x times the normal distribution function of x, or its tanh approximation.
class GELUImpl : public Cloneable<GELUImpl> {
 public:
  explicit GELUImpl(const GELUOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);
  GELUOptions options;
};
TAPER_LIBRARY_MODULE(GELU);

/// The first half of a dimension times the sigmoid of the second.
class GLUImpl : public Cloneable<GLUImpl> {
 public:
  explicit GLUImpl(const GLUOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);
  GLUOptions options;
};
TAPER_LIBRARY_MODULE(GLU);

/// x limited to [min_val, max_val].
class HardtanhImpl : public Cloneable<HardtanhImpl> {
 public:
  explicit HardtanhImpl(const HardtanhOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);
  HardtanhOptions options;
};
TAPER_LIBRARY_MODULE(Hardtanh);

/// x where |x| > lambda, else 0.
class HardshrinkImpl : public Cloneable<HardshrinkImpl> {
 public:
  explicit HardshrinkImpl(const HardshrinkOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);
  HardshrinkOptions options;
};
TAPER_LIBRARY_MODULE(Hardshrink);

/// x moved towards 0 by lambda; 0 where |x| <= lambda.
class SoftshrinkImpl : public Cloneable<SoftshrinkImpl> {
 public:
  explicit SoftshrinkImpl(const SoftshrinkOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);
  SoftshrinkOptions options;
};
TAPER_LIBRARY_MODULE(Softshrink);

/// log(1 + e^(beta x)) / beta; x where beta x > threshold.
class SoftplusImpl : public Cloneable<SoftplusImpl> {
 public:
  explicit SoftplusImpl(const SoftplusOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);
  SoftplusOptions options;
};
TAPER_LIBRARY_MODULE(Softplus);

/// LeakyReLU with slopes drawn from [lower, upper] in training, their mean in evaluation.
class RReLUImpl : public Cloneable<RReLUImpl> {
 public:
  explicit RReLUImpl(const RReLUOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);
  RReLUOptions options;
};
TAPER_LIBRARY_MODULE(RReLU);

/// x sigmoid(x).
class SiLUImpl : public Cloneable<SiLUImpl> {
 public:
  SiLUImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
};
TAPER_LIBRARY_MODULE(SiLU);

/// x tanh(softplus(x)).
class MishImpl : public Cloneable<MishImpl> {
 public:
  MishImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
};
TAPER_LIBRARY_MODULE(Mish);
/// Python's modules; LibTorch's C++ has the functions alone.
class HardswishImpl : public Cloneable<HardswishImpl> {
 public:
  HardswishImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
};
TAPER_LIBRARY_MODULE(Hardswish);

/// min(max(x / 6 + 1/2, 0), 1).
class HardsigmoidImpl : public Cloneable<HardsigmoidImpl> {
 public:
  HardsigmoidImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
};
TAPER_LIBRARY_MODULE(Hardsigmoid);

/// 1 / (1 + e^-x).
class SigmoidImpl : public Cloneable<SigmoidImpl> {
 public:
  SigmoidImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
};
TAPER_LIBRARY_MODULE(Sigmoid);

/// log(sigmoid(x)).
class LogSigmoidImpl : public Cloneable<LogSigmoidImpl> {
 public:
  LogSigmoidImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
};
TAPER_LIBRARY_MODULE(LogSigmoid);

/// tanh(x).
class TanhImpl : public Cloneable<TanhImpl> {
 public:
  TanhImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
};
TAPER_LIBRARY_MODULE(Tanh);

/// x - tanh(x).
class TanhshrinkImpl : public Cloneable<TanhshrinkImpl> {
 public:
  TanhshrinkImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
};
TAPER_LIBRARY_MODULE(Tanhshrink);

/// x / (1 + |x|).
class SoftsignImpl : public Cloneable<SoftsignImpl> {
 public:
  SoftsignImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
};
TAPER_LIBRARY_MODULE(Softsign);
/// Over the channels of (N, C, H, W) or (C, H, W).
class Softmax2dImpl : public Cloneable<Softmax2dImpl> {
 public:
  Softmax2dImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
};
TAPER_LIBRARY_MODULE(Softmax2d);

/// e^x_i / sum_j e^x_j over a dimension that must be given.
class SoftmaxImpl : public Cloneable<SoftmaxImpl> {
 public:
  explicit SoftmaxImpl(int64_t dim) : SoftmaxImpl(SoftmaxOptions(dim)) {}
  explicit SoftmaxImpl(const SoftmaxOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
  SoftmaxOptions options;
};
TAPER_LIBRARY_MODULE(Softmax);

/// softmax(-x) over a dimension that must be given.
class SoftminImpl : public Cloneable<SoftminImpl> {
 public:
  explicit SoftminImpl(int64_t dim) : SoftminImpl(SoftminOptions(dim)) {}
  explicit SoftminImpl(const SoftminOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
  SoftminOptions options;
};
TAPER_LIBRARY_MODULE(Softmin);

/// log(softmax(x)) over a dimension that must be given.
class LogSoftmaxImpl : public Cloneable<LogSoftmaxImpl> {
 public:
  explicit LogSoftmaxImpl(int64_t dim) : LogSoftmaxImpl(LogSoftmaxOptions(dim)) {}
  explicit LogSoftmaxImpl(const LogSoftmaxOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
  LogSoftmaxOptions options;
};
TAPER_LIBRARY_MODULE(LogSoftmax);

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
