// LayerNorm, RMSNorm, GroupNorm.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/normalization.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// functional::layer_norm of (..., normalized_shape) with a weight (starts at 1) and a bias (0) of
/// normalized_shape, undefined unless elementwise_affine.
class LayerNormImpl : public Cloneable<LayerNormImpl> {
 public:
  /// The sizes of the last dimensions, which are normalised together; eps 1e-5, elementwise_affine
  /// by default.
  ///@{
  LayerNormImpl(std::vector<int64_t> normalized_shape)
      : LayerNormImpl(LayerNormOptions(std::move(normalized_shape))) {}
  explicit LayerNormImpl(LayerNormOptions options_);
  ///@}

  void reset() override;
  void reset_parameters();  ///< weight 1, bias 0
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< throws Error unless the last sizes are normalized_shape

  LayerNormOptions options;  ///< reset() and every forward() read them
  Tensor weight;             ///< of normalized_shape, or undefined
  Tensor bias;               ///< of normalized_shape, or undefined
};
TAPER_LIBRARY_MODULE(LayerNorm);

/// functional::rms_norm of (..., normalized_shape) with a weight (starts at 1) of normalized_shape,
/// undefined unless elementwise_affine. Python's module; LibTorch's C++ has the function alone.
class RMSNormImpl : public Cloneable<RMSNormImpl> {
 public:
  /// The sizes of the last dimensions, which are normalised together; eps is the input dtype's
  /// epsilon, elementwise_affine by default.
  ///@{
  RMSNormImpl(std::vector<int64_t> normalized_shape)
      : RMSNormImpl(RMSNormOptions(std::move(normalized_shape))) {}
  explicit RMSNormImpl(RMSNormOptions options_);
  ///@}

  void reset() override;
  void reset_parameters();  ///< weight 1
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< throws Error unless the last sizes are normalized_shape

  RMSNormOptions options;  ///< reset() and every forward() read them
  Tensor weight;           ///< of normalized_shape, or undefined
};
TAPER_LIBRARY_MODULE(RMSNorm);

/// functional::group_norm of (N, num_channels, ...) with a weight (starts at 1) and a bias (0) of
/// (num_channels), undefined unless affine.
class GroupNormImpl : public Cloneable<GroupNormImpl> {
 public:
  /// How many groups of how many channels in all; eps 1e-5, affine by default.
  ///@{
  GroupNormImpl(int64_t num_groups, int64_t num_channels)
      : GroupNormImpl(GroupNormOptions(num_groups, num_channels)) {}
  explicit GroupNormImpl(const GroupNormOptions& options_);
  ///@}

  void reset() override;
  void reset_parameters();  ///< weight 1, bias 0
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< throws Error unless num_groups divides the channels

  GroupNormOptions options;  ///< reset() and every forward() read them
  Tensor weight;             ///< (num_channels), or undefined
  Tensor bias;               ///< (num_channels), or undefined
};
TAPER_LIBRARY_MODULE(GroupNorm);

/// functional::local_response_norm.
class LocalResponseNormImpl : public Cloneable<LocalResponseNormImpl> {
 public:
  /// Defaults: alpha 1e-4, beta 0.75, k 1.
  explicit LocalResponseNormImpl(const LocalResponseNormOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< (N, C, ...); throws Error for fewer than 3 dimensions
  LocalResponseNormOptions options;     ///< read at every call
};
TAPER_LIBRARY_MODULE(LocalResponseNorm);

/// The older LocalResponseNorm, of (N, C, H, W) and with other sums of squares.
class CrossMapLRN2dImpl : public Cloneable<CrossMapLRN2dImpl> {
 public:
  /// Defaults: alpha 1e-4, beta 0.75, k 1.
  explicit CrossMapLRN2dImpl(const CrossMapLRN2dOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// As LibTorch's: an even size counts as the odd one below, and the square of the first channel
  /// is in the sums of all channels behind it. Throws Error unless the input has 4 dimensions.
  Tensor forward(const Tensor& input);
  CrossMapLRN2dOptions options;  ///< read at every call
};
TAPER_LIBRARY_MODULE(CrossMapLRN2d);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
