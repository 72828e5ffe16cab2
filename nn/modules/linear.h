// Linear, Bilinear, Identity, Flatten, Unflatten.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/linear.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// y = x W^T + b: x (..., in_features), y (..., out_features), weight (out_features, in_features),
/// bias (out_features) or undefined. Both start uniform in +-1/sqrt(in_features).
class LinearImpl : public Cloneable<LinearImpl> {
 public:
  /// Sizes of the last dimension before and after, with a bias unless the options say otherwise.
  ///@{
  LinearImpl(int64_t in_features, int64_t out_features)
      : LinearImpl(LinearOptions(in_features, out_features)) {}
  explicit LinearImpl(const LinearOptions& options_);
  ///@}

  void reset() override;
  /// Draws new values: first the weight's, then the bias's.
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< throws Error unless the last size is in_features

  LinearOptions options;  ///< what reset() makes the parameters from
  Tensor weight;          ///< (out_features, in_features)
  Tensor bias;            ///< (out_features), undefined without bias
};
TAPER_LIBRARY_MODULE(Linear);

/// y = x1 W x2 + b for every output feature: x1 (..., in1_features), x2 (..., in2_features), weight
/// (out_features, in1_features, in2_features). Parameters start uniform in +-1/sqrt(in1_features).
class BilinearImpl : public Cloneable<BilinearImpl> {
 public:
  /// Last sizes of both inputs and of the output, with a bias unless the options say otherwise.
  ///@{
  BilinearImpl(int64_t in1_features, int64_t in2_features, int64_t out_features)
      : BilinearImpl(BilinearOptions(in1_features, in2_features, out_features)) {}
  explicit BilinearImpl(const BilinearOptions& options_);
  ///@}

  void reset() override;
  void reset_parameters();  ///< draws new values: first the weight's, then the bias's
  void pretty_print(std::ostream& stream) const override;
  /// (..., out_features); the inputs agree in all but the last dimension.
  Tensor forward(const Tensor& input1, const Tensor& input2);

  BilinearOptions options;  ///< what reset() makes the parameters from
  Tensor weight;            ///< (out_features, in1_features, in2_features)
  Tensor bias;              ///< (out_features), undefined without bias
};
TAPER_LIBRARY_MODULE(Bilinear);

/// Returns its input.
class IdentityImpl : public Cloneable<IdentityImpl> {
 public:
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< the same tensor, no copy
};
TAPER_LIBRARY_MODULE(Identity);

/// Joins the dimensions start_dim to end_dim (default: all but the first): (N, C, H, W) gives
/// (N, C * H * W). Throws IndexError for dimensions that are not there.
class FlattenImpl : public Cloneable<FlattenImpl> {
 public:
  explicit FlattenImpl(const FlattenOptions& options_ = {});  ///< defaults: start_dim 1, end_dim -1
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Tensor::flatten: a view of the input where its strides allow it, else a copy.
  Tensor forward(const Tensor& input);

  FlattenOptions options;  ///< read at every call
};
TAPER_LIBRARY_MODULE(Flatten);

/// Splits one dimension into several: (N, C * H) with dim 1 and sizes {C, H} gives (N, C, H). One
/// size may be -1. Throws Error unless they multiply up to the dimension's size.
class UnflattenImpl : public Cloneable<UnflattenImpl> {
 public:
  /// The dimension, a negative one from the end, and the sizes in its place; checked by forward().
  ///@{
  UnflattenImpl(int64_t dim, std::vector<int64_t> sizes)
      : UnflattenImpl(UnflattenOptions(dim, std::move(sizes))) {}
  explicit UnflattenImpl(UnflattenOptions options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< Tensor::unflatten: shares the input's memory

  UnflattenOptions options;  ///< read at every call
};
TAPER_LIBRARY_MODULE(Unflatten);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
