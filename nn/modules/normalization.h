// LayerNorm, RMSNorm, GroupNorm, LocalResponseNorm, CrossMapLRN2d.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/normalization.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Applies layer normalization over the last dimensions: (x - mean) / sqrt(var + eps) * weight +
/// bias. The last sizes of the input are normalized_shape. With elementwise_affine, weight
/// (initially 1) and bias (initially 0) have the sizes normalized_shape. Otherwise, both are
/// undefined.
///
///     LayerNorm norm(std::vector<int64_t>{64});
///     Tensor y = norm(x);  // (N, T, 64)
class LayerNormImpl : public Cloneable<LayerNormImpl> {
 public:
  /// Sets the sizes of the last dimensions. Elements along these dimensions are normalized
  /// together. Defaults: eps 1e-5, elementwise_affine true.
  ///@{
  LayerNormImpl(std::vector<int64_t> normalized_shape)
      : LayerNormImpl(LayerNormOptions(std::move(normalized_shape))) {}
  explicit LayerNormImpl(LayerNormOptions options_);
  ///@}

  void reset() override;
  void reset_parameters();  ///< sets weight to 1 and bias to 0
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< throws Error unless the last sizes are normalized_shape

  LayerNormOptions options;  ///< read by reset() and every forward()
  Tensor weight;             ///< has the sizes normalized_shape, or is undefined
  Tensor bias;               ///< has the sizes normalized_shape, or is undefined
};
TAPER_LIBRARY_MODULE(LayerNorm);

/// Applies RMS normalization over the last dimensions: x / sqrt(mean(x^2) + eps) * weight. The last
/// sizes of the input are normalized_shape. With elementwise_affine, the weight (initially 1) has
/// the sizes normalized_shape. Otherwise, the weight is undefined. (LibTorch has only the function
/// rms_norm, not the module.)
class RMSNormImpl : public Cloneable<RMSNormImpl> {
 public:
  /// Sets the sizes of the last dimensions. Elements along these dimensions are normalized
  /// together. Defaults: eps is the machine epsilon of the input's dtype, elementwise_affine true.
  ///@{
  RMSNormImpl(std::vector<int64_t> normalized_shape)
      : RMSNormImpl(RMSNormOptions(std::move(normalized_shape))) {}
  explicit RMSNormImpl(RMSNormOptions options_);
  ///@}

  void reset() override;
  void reset_parameters();  ///< sets the weight to 1
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< throws Error unless the last sizes are normalized_shape

  RMSNormOptions options;  ///< read by reset() and every forward()
  Tensor weight;           ///< has the sizes normalized_shape, or is undefined
};
TAPER_LIBRARY_MODULE(RMSNorm);

/// Applies group normalization to (N, num_channels, ...). Each group of channels of a sample has
/// one mean and one variance. With affine, weight (initially 1) and bias (initially 0) have the
/// size (num_channels). Otherwise, both are undefined.
class GroupNormImpl : public Cloneable<GroupNormImpl> {
 public:
  /// Sets the number of groups and the number of channels. Defaults: eps 1e-5, affine true.
  ///@{
  GroupNormImpl(int64_t num_groups, int64_t num_channels)
      : GroupNormImpl(GroupNormOptions(num_groups, num_channels)) {}
  explicit GroupNormImpl(const GroupNormOptions& options_);
  ///@}

  void reset() override;
  void reset_parameters();  ///< sets weight to 1 and bias to 0
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< throws Error unless num_groups divides the channels

  GroupNormOptions options;  ///< read by reset() and every forward()
  Tensor weight;             ///< (num_channels), or undefined
  Tensor bias;               ///< (num_channels), or undefined
};
TAPER_LIBRARY_MODULE(GroupNorm);

/// Applies local response normalization across neighbouring channels: x / (k + alpha * m)^beta. m
/// is the mean of the squares of `size` neighbouring channels.
class LocalResponseNormImpl : public Cloneable<LocalResponseNormImpl> {
 public:
  /// Sets the options. Defaults: alpha 1e-4, beta 0.75, k 1.
  explicit LocalResponseNormImpl(const LocalResponseNormOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< (N, C, ...). Throws Error for fewer than 3 dimensions
  LocalResponseNormOptions options;     ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(LocalResponseNorm);

/// Applies an older variant of LocalResponseNorm to (N, C, H, W). forward() describes the
/// difference.
class CrossMapLRN2dImpl : public Cloneable<CrossMapLRN2dImpl> {
 public:
  /// Sets the options. Defaults: alpha 1e-4, beta 0.75, k 1.
  explicit CrossMapLRN2dImpl(const CrossMapLRN2dOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Computes the same sums of squares as LibTorch. They differ from LocalResponseNorm's in two
  /// ways. An even `size` is reduced by one. The sums of all later channels include the square of
  /// the first channel. Throws Error unless the input has 4 dimensions.
  Tensor forward(const Tensor& input);
  CrossMapLRN2dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(CrossMapLRN2d);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
