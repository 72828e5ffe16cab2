// Linear, Bilinear, Identity, Flatten, Unflatten.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/linear.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Applies a linear map: y = x W^T + b. x is (..., in_features), and y is (..., out_features). The
/// weight W is (out_features, in_features). The bias b is (out_features), or undefined. Weight and
/// bias start uniform in [-b, b] with b = 1 / sqrt(in_features).
///
///     Linear linear(20, 30);
///     Tensor y = linear(x);  // (N, 20) to (N, 30)
class LinearImpl : public Cloneable<LinearImpl> {
 public:
  /// Sets the last sizes of the input and of the output. By default, a bias is added.
  ///@{
  LinearImpl(int64_t in_features, int64_t out_features)
      : LinearImpl(LinearOptions(in_features, out_features)) {}
  explicit LinearImpl(const LinearOptions& options_);
  ///@}

  void reset() override;
  /// Draws new values, first for the weight, then for the bias.
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< throws Error unless the last size is in_features

  LinearOptions options;  ///< read by reset()
  Tensor weight;          ///< (out_features, in_features)
  Tensor bias;            ///< (out_features), undefined without bias
};
TAPER_LIBRARY_MODULE(Linear);

/// Applies a bilinear map: y = x1 W x2 + b for each output feature, which has a matrix W. x1 is
/// (..., in1_features), and x2 is (..., in2_features). The weight is (out_features, in1_features,
/// in2_features). Weight and bias start uniform in [-b, b] with b = 1 / sqrt(in1_features).
class BilinearImpl : public Cloneable<BilinearImpl> {
 public:
  /// Sets the last sizes of both inputs and of the output. By default, a bias is added.
  ///@{
  BilinearImpl(int64_t in1_features, int64_t in2_features, int64_t out_features)
      : BilinearImpl(BilinearOptions(in1_features, in2_features, out_features)) {}
  explicit BilinearImpl(const BilinearOptions& options_);
  ///@}

  void reset() override;
  void reset_parameters();  ///< draws new values, first for the weight, then for the bias
  void pretty_print(std::ostream& stream) const override;
  /// Returns (..., out_features). All sizes of the inputs except the last must be equal.
  Tensor forward(const Tensor& input1, const Tensor& input2);

  BilinearOptions options;  ///< read by reset()
  Tensor weight;            ///< (out_features, in1_features, in2_features)
  Tensor bias;              ///< (out_features), undefined without bias
};
TAPER_LIBRARY_MODULE(Bilinear);

/// Returns its input.
class IdentityImpl : public Cloneable<IdentityImpl> {
 public:
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< returns `input`, without a copy
};
TAPER_LIBRARY_MODULE(Identity);

/// Merges the dimensions start_dim to end_dim into one. By default, all dimensions except the first
/// are merged: (N, C, H, W) gives (N, C * H * W). Throws IndexError if the input does not have
/// these dimensions.
class FlattenImpl : public Cloneable<FlattenImpl> {
 public:
  explicit FlattenImpl(const FlattenOptions& options_ = {});  ///< defaults: start_dim 1, end_dim -1
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies Tensor::flatten: returns a view of the input if its strides allow this, and otherwise
  /// a copy.
  Tensor forward(const Tensor& input);

  FlattenOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(Flatten);

/// Splits one dimension into several: with dim 1 and sizes {C, H}, (N, C * H) gives (N, C, H). One
/// size may be -1, and is then computed. Throws Error unless the product of the sizes is the size
/// of the dimension.
class UnflattenImpl : public Cloneable<UnflattenImpl> {
 public:
  /// Sets the dimension and the sizes that replace it. A negative dimension counts from the end.
  /// forward() checks dimension and sizes.
  ///@{
  UnflattenImpl(int64_t dim, std::vector<int64_t> sizes)
      : UnflattenImpl(UnflattenOptions(dim, std::move(sizes))) {}
  explicit UnflattenImpl(UnflattenOptions options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// applies Tensor::unflatten, which shares the memory of the input
  Tensor forward(const Tensor& input);

  UnflattenOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(Unflatten);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
