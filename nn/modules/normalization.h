// LayerNorm, RMSNorm, GroupNorm, LocalResponseNorm, CrossMapLRN2d.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/normalization.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Applies layer normalization over the last dimensions: (x - mean) / sqrt(var + eps) * weight +
/// bias. The input is (..., normalized_shape). With elementwise_affine, weight (starts at 1) and
/// bias (starts at 0) have the sizes normalized_shape. Otherwise they are undefined.
///
///     LayerNorm norm(std::vector<int64_t>{64});
///     Tensor y = norm(x);  // (N, T, 64)
class LayerNormImpl : public Cloneable<LayerNormImpl> {
 public:
  /// Sets the sizes of the last dimensions. Elements along these dimensions are normalized
  /// together. Defaults: eps 1e-5, elementwise_affine.
  ///@{
  LayerNormImpl(std::vector<int64_t> normalized_shape)
      : LayerNormImpl(LayerNormOptions(std::move(normalized_shape))) {}
  explicit LayerNormImpl(LayerNormOptions options_);
  ///@}

  void reset() override;
  void reset_parameters();  ///< weight 1, bias 0
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< throws Error unless the last sizes are normalized_shape

  LayerNormOptions options;  ///< read by reset() and every forward()
  Tensor weight;             ///< of sizes normalized_shape, or undefined
  Tensor bias;               ///< of sizes normalized_shape, or undefined
};
TAPER_LIBRARY_MODULE(LayerNorm);

/// Applies RMS normalization over the last dimensions: x / sqrt(mean(x^2) + eps) * weight. The
/// input is (..., normalized_shape). With elementwise_affine, the weight (starts at 1) has the
/// sizes normalized_shape. Otherwise it is undefined. PyTorch has this module. LibTorch has only
/// the function.
class RMSNormImpl : public Cloneable<RMSNormImpl> {
 public:
  /// Sets the sizes of the last dimensions. Elements along these dimensions are normalized
  /// together. Defaults: the epsilon of the dtype of the input, elementwise_affine.
  ///@{
  RMSNormImpl(std::vector<int64_t> normalized_shape)
      : RMSNormImpl(RMSNormOptions(std::move(normalized_shape))) {}
  explicit RMSNormImpl(RMSNormOptions options_);
  ///@}

  void reset() override;
  void reset_parameters();  ///< weight 1
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< throws Error unless the last sizes are normalized_shape

  RMSNormOptions options;  ///< read by reset() and every forward()
  Tensor weight;           ///< of sizes normalized_shape, or undefined
};
TAPER_LIBRARY_MODULE(RMSNorm);

/// Applies group normalization to (N, num_channels, ...). Each group of channels of a sample has
/// one mean and one variance. With affine, weight (starts at 1) and bias (starts at 0) are
/// (num_channels). Otherwise they are undefined.
class GroupNormImpl : public Cloneable<GroupNormImpl> {
 public:
  /// Sets the number of groups and the number of channels. Defaults: eps 1e-5, affine.
  ///@{
  GroupNormImpl(int64_t num_groups, int64_t num_channels)
      : GroupNormImpl(GroupNormOptions(num_groups, num_channels)) {}
  explicit GroupNormImpl(const GroupNormOptions& options_);
  ///@}

  void reset() override;
  void reset_parameters();  ///< weight 1, bias 0
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< throws Error unless num_groups divides the channels

  GroupNormOptions options;  ///< read by reset() and every forward()
  Tensor weight;             ///< (num_channels), or undefined
  Tensor bias;               ///< (num_channels), or undefined
};
TAPER_LIBRARY_MODULE(GroupNorm);

/// Applies local response normalization across neighbouring channels: x / (k + alpha * m)^beta,
/// where m is the mean of the squares of `size` channels.
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

/// Applies an older variant of LocalResponseNorm to (N, C, H, W). It sums the squares of other
/// channels.
class CrossMapLRN2dImpl : public Cloneable<CrossMapLRN2dImpl> {
 public:
  /// Sets the options. Defaults: alpha 1e-4, beta 0.75, k 1.
  explicit CrossMapLRN2dImpl(const CrossMapLRN2dOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Computes the sums of LibTorch. An even size is reduced by one. The sums of later channels
  /// always include the square of the first channel. Throws Error unless the input has 4
  /// dimensions.
  Tensor forward(const Tensor& input);
  CrossMapLRN2dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(CrossMapLRN2d);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
