// LayerNorm, RMSNorm, GroupNorm.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/normalization.h>

#pragma GCC visibility push(default)

namespace taper::nn {

/// functional::layer_norm of (..., normalized_shape) with a weight (starts at 1) and a bias (0) of
/// normalized_shape, undefined unless elementwise_affine.
class LayerNormImpl : public Cloneable<LayerNormImpl> {
 public:
  LayerNormImpl(std::vector<int64_t> normalized_shape)
      : LayerNormImpl(LayerNormOptions(std::move(normalized_shape))) {}
  explicit LayerNormImpl(LayerNormOptions options_);

  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);

  LayerNormOptions options;
  Tensor weight;
  Tensor bias;
};
TAPER_LIBRARY_MODULE(LayerNorm);

/// functional::rms_norm of (..., normalized_shape) with a weight (starts at 1) of normalized_shape,
/// undefined unless elementwise_affine. Python's module; LibTorch's C++ has the function alone.
class RMSNormImpl : public Cloneable<RMSNormImpl> {
 public:
  RMSNormImpl(std::vector<int64_t> normalized_shape)
      : RMSNormImpl(RMSNormOptions(std::move(normalized_shape))) {}
  explicit RMSNormImpl(RMSNormOptions options_);

  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);

  RMSNormOptions options;
  Tensor weight;
};
TAPER_LIBRARY_MODULE(RMSNorm);

/// functional::group_norm of (N, num_channels, ...) with a weight (starts at 1) and a bias (0) of
/// (num_channels), undefined unless affine.
class GroupNormImpl : public Cloneable<GroupNormImpl> {
 public:
  GroupNormImpl(int64_t num_groups, int64_t num_channels)
      : GroupNormImpl(GroupNormOptions(num_groups, num_channels)) {}
  explicit GroupNormImpl(const GroupNormOptions& options_);

  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);

  GroupNormOptions options;
  Tensor weight;
  Tensor bias;
};
TAPER_LIBRARY_MODULE(GroupNorm);

/// functional::local_response_norm.
class LocalResponseNormImpl : public Cloneable<LocalResponseNormImpl> {
 public:
  explicit LocalResponseNormImpl(const LocalResponseNormOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
  LocalResponseNormOptions options;
};
TAPER_LIBRARY_MODULE(LocalResponseNorm);

/// LocalResponseNorm under the older name, for (N, C, H, W).
class CrossMapLRN2dImpl : public Cloneable<CrossMapLRN2dImpl> {
 public:
  explicit CrossMapLRN2dImpl(const CrossMapLRN2dOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
  CrossMapLRN2dOptions options;
};
TAPER_LIBRARY_MODULE(CrossMapLRN2d);

}  // namespace taper::nn

#pragma GCC visibility pop
