// Upsample: resizing of images as a module.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/upsampling.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Resizes the spatial dimensions of (N, C, spatial...), to a size or by a factor, with the
/// interpolation `mode`.
class UpsampleImpl : public Cloneable<UpsampleImpl> {
 public:
  /// Stores the options. forward() checks them.
  explicit UpsampleImpl(UpsampleOptions options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Resizes (N, C, L), (N, C, H, W) or (N, C, D, H, W) to the option `size`, or by the option
  /// `scale_factor`. Throws Error unless exactly one of the two is given. Throws Error if the mode
  /// does not support the input's number of dimensions.
  Tensor forward(const Tensor& input);
  UpsampleOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(Upsample);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
