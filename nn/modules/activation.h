// Activations. Each maps a tensor to one of the same sizes (GLU halves one dimension); the formulas
// are at the functions of the same names in functional/activation.h.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/activation.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// max(x, 0).
class ReLUImpl : public Cloneable<ReLUImpl> {
 public:
  explicit ReLUImpl(const ReLUOptions& options_ = {});  ///< default: not in place
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< functional::relu; any shape; in place gives its input
  ReLUOptions options;           ///< read at every call
};
TAPER_LIBRARY_MODULE(ReLU);

/// min(max(x, 0), 6).
class ReLU6Impl : public Cloneable<ReLU6Impl> {
 public:
  explicit ReLU6Impl(const ReLU6Options& options_ = {});  ///< default: not in place
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< functional::relu6; any shape; in place gives its input
  ReLU6Options options;          ///< read at every call
};
TAPER_LIBRARY_MODULE(ReLU6);

/// x where x > 0, else negative_slope * x.
class LeakyReLUImpl : public Cloneable<LeakyReLUImpl> {
 public:
  /// Defaults: negative_slope 0.01, not in place.
  explicit LeakyReLUImpl(const LeakyReLUOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< functional::leaky_relu; any shape; in place gives its input
  LeakyReLUOptions options;      ///< read at every call
};
TAPER_LIBRARY_MODULE(LeakyReLU);

/// x where x > 0, else alpha (e^x - 1).
class ELUImpl : public Cloneable<ELUImpl> {
 public:
  explicit ELUImpl(const ELUOptions& options_ = {});  ///< defaults: alpha 1, not in place
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< functional::elu; any shape; in place gives its input
  ELUOptions options;            ///< read at every call
};
TAPER_LIBRARY_MODULE(ELU);

/// ELU scaled so that means and variances stay (Klambauer et al., 2017).
class SELUImpl : public Cloneable<SELUImpl> {
 public:
  explicit SELUImpl(const SELUOptions& options_ = {});  ///< default: not in place
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< functional::selu; any shape; in place gives its input
  SELUOptions options;           ///< read at every call
};
TAPER_LIBRARY_MODULE(SELU);

/// max(x, 0) + min(alpha (e^(x / alpha) - 1), 0).
class CELUImpl : public Cloneable<CELUImpl> {
 public:
  explicit CELUImpl(const CELUOptions& options_ = {});  ///< defaults: alpha 1, not in place
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< functional::celu; any shape; in place gives its input
  CELUOptions options;           ///< read at every call
};
TAPER_LIBRARY_MODULE(CELU);

/// x times the normal distribution function of x, or its tanh approximation.
class GELUImpl : public Cloneable<GELUImpl> {
 public:
  explicit GELUImpl(const GELUOptions& options_ = {});  ///< default: approximate "none"
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< functional::gelu; any shape
  GELUOptions options;           ///< read at every call
};
TAPER_LIBRARY_MODULE(GELU);

/// The first half of a dimension times the sigmoid of the second.
class GLUImpl : public Cloneable<GLUImpl> {
 public:
  explicit GLUImpl(const GLUOptions& options_ = {});  ///< default: dim -1
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::glu: half as long along dim, whose size must be even.
  Tensor forward(Tensor input);
  GLUOptions options;  ///< read at every call
};
TAPER_LIBRARY_MODULE(GLU);

/// x limited to [min_val, max_val].
class HardtanhImpl : public Cloneable<HardtanhImpl> {
 public:
  /// Defaults: from -1 to 1, not in place. Throws Error unless min_val < max_val.
  explicit HardtanhImpl(const HardtanhOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< functional::hardtanh; any shape; in place gives its input
  HardtanhOptions options;       ///< read at every call
};
TAPER_LIBRARY_MODULE(Hardtanh);

/// x where |x| > lambda, else 0.
class HardshrinkImpl : public Cloneable<HardshrinkImpl> {
 public:
  explicit HardshrinkImpl(const HardshrinkOptions& options_ = {});  ///< default: lambda 0.5
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< functional::hardshrink; any shape
  HardshrinkOptions options;     ///< read at every call
};
TAPER_LIBRARY_MODULE(Hardshrink);

/// x moved towards 0 by lambda; 0 where |x| <= lambda.
class SoftshrinkImpl : public Cloneable<SoftshrinkImpl> {
 public:
  explicit SoftshrinkImpl(const SoftshrinkOptions& options_ = {});  ///< default: lambda 0.5
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< functional::softshrink; any shape
  SoftshrinkOptions options;     ///< read at every call
};
TAPER_LIBRARY_MODULE(Softshrink);

/// log(1 + e^(beta x)) / beta; x where beta x > threshold.
class SoftplusImpl : public Cloneable<SoftplusImpl> {
 public:
  explicit SoftplusImpl(const SoftplusOptions& options_ = {});  ///< defaults: beta 1, threshold 20
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< functional::softplus; any shape
  SoftplusOptions options;       ///< read at every call
};
TAPER_LIBRARY_MODULE(Softplus);

/// LeakyReLU with slopes drawn from [lower, upper] in training, their mean in evaluation.
class RReLUImpl : public Cloneable<RReLUImpl> {
 public:
  /// Defaults: lower 1/8, upper 1/3, not in place.
  explicit RReLUImpl(const RReLUOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::rrelu, random when is_training(). Throws Error where lower > upper.
  Tensor forward(Tensor input);
  RReLUOptions options;  ///< read at every call
};
TAPER_LIBRARY_MODULE(RReLU);

/// x sigmoid(x).
class SiLUImpl : public Cloneable<SiLUImpl> {
 public:
  SiLUImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< functional::silu; any shape
};
TAPER_LIBRARY_MODULE(SiLU);

/// x tanh(softplus(x)).
class MishImpl : public Cloneable<MishImpl> {
 public:
  MishImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< functional::mish; any shape
};
TAPER_LIBRARY_MODULE(Mish);

/// x min(max(x + 3, 0), 6) / 6. A module of Python's; LibTorch's C++ has the function alone.
class HardswishImpl : public Cloneable<HardswishImpl> {
 public:
  HardswishImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< of each element; any shape
};
TAPER_LIBRARY_MODULE(Hardswish);

/// min(max(x / 6 + 1/2, 0), 1). A module of Python's; LibTorch's C++ has the function alone.
class HardsigmoidImpl : public Cloneable<HardsigmoidImpl> {
 public:
  HardsigmoidImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< of each element; any shape
};
TAPER_LIBRARY_MODULE(Hardsigmoid);

/// 1 / (1 + e^-x).
class SigmoidImpl : public Cloneable<SigmoidImpl> {
 public:
  SigmoidImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< of each element; any shape
};
TAPER_LIBRARY_MODULE(Sigmoid);

/// log(sigmoid(x)).
class LogSigmoidImpl : public Cloneable<LogSigmoidImpl> {
 public:
  LogSigmoidImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< functional::logsigmoid; any shape
};
TAPER_LIBRARY_MODULE(LogSigmoid);

/// tanh(x).
class TanhImpl : public Cloneable<TanhImpl> {
 public:
  TanhImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< of each element; any shape
};
TAPER_LIBRARY_MODULE(Tanh);

/// x - tanh(x).
class TanhshrinkImpl : public Cloneable<TanhshrinkImpl> {
 public:
  TanhshrinkImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< functional::tanhshrink; any shape
};
TAPER_LIBRARY_MODULE(Tanhshrink);

/// x / (1 + |x|).
class SoftsignImpl : public Cloneable<SoftsignImpl> {
 public:
  SoftsignImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< functional::softsign; any shape
};
TAPER_LIBRARY_MODULE(Softsign);
/// Over the channels of (N, C, H, W) or (C, H, W).
class Softmax2dImpl : public Cloneable<Softmax2dImpl> {
 public:
  Softmax2dImpl();
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< throws Error unless it has 3 or 4 dimensions
};
TAPER_LIBRARY_MODULE(Softmax2d);

/// e^x_i / sum_j e^x_j over a dimension that must be given.
class SoftmaxImpl : public Cloneable<SoftmaxImpl> {
 public:
  /// Along which dimension; a negative one counts from the end.
  ///@{
  explicit SoftmaxImpl(int64_t dim) : SoftmaxImpl(SoftmaxOptions(dim)) {}
  explicit SoftmaxImpl(const SoftmaxOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< functional::softmax along options.dim()
  SoftmaxOptions options;               ///< read at every call
};
TAPER_LIBRARY_MODULE(Softmax);

/// softmax(-x) over a dimension that must be given.
class SoftminImpl : public Cloneable<SoftminImpl> {
 public:
  /// Along which dimension; a negative one counts from the end.
  ///@{
  explicit SoftminImpl(int64_t dim) : SoftminImpl(SoftminOptions(dim)) {}
  explicit SoftminImpl(const SoftminOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< functional::softmin along options.dim()
  SoftminOptions options;               ///< read at every call
};
TAPER_LIBRARY_MODULE(Softmin);

/// log(softmax(x)) over a dimension that must be given.
class LogSoftmaxImpl : public Cloneable<LogSoftmaxImpl> {
 public:
  /// Along which dimension; a negative one counts from the end.
  ///@{
  explicit LogSoftmaxImpl(int64_t dim) : LogSoftmaxImpl(LogSoftmaxOptions(dim)) {}
  explicit LogSoftmaxImpl(const LogSoftmaxOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< functional::log_softmax along options.dim()
  LogSoftmaxOptions options;            ///< read at every call
};
TAPER_LIBRARY_MODULE(LogSoftmax);

/// x where x > threshold, else value.
class ThresholdImpl : public Cloneable<ThresholdImpl> {
 public:
  /// The bound and what stands for elements at or below it; not in place unless the options say so.
  ///@{
  ThresholdImpl(double threshold, double value)
      : ThresholdImpl(ThresholdOptions(threshold, value)) {}
  explicit ThresholdImpl(const ThresholdOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< functional::threshold; any shape; in place gives its input

  ThresholdOptions options;  ///< read at every call
};
TAPER_LIBRARY_MODULE(Threshold);

/// Leaky ReLU whose slope is learnt: one for all, or one for each of num_parameters channels.
class PReLUImpl : public Cloneable<PReLUImpl> {
 public:
  /// Defaults: one parameter, which starts at 0.25.
  explicit PReLUImpl(const PReLUOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::prelu: (N, num_parameters, ...), or any shape where there is one weight.
  Tensor forward(const Tensor& input);

  PReLUOptions options;  ///< what reset() makes the weight from
  /// (num_parameters), starts at init.
  Tensor weight;
};
TAPER_LIBRARY_MODULE(PReLU);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
