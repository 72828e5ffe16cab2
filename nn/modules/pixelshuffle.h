// PixelShuffle and PixelUnshuffle. functional/pixelshuffle.h describes shapes and errors.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/pixelshuffle.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Rearranges groups of r^2 channels to images with r times the height and width: (N, C r^2, H, W)
/// to (N, C, H r, W r).
class PixelShuffleImpl : public Cloneable<PixelShuffleImpl> {
 public:
  /// Sets r to `upscale_factor`. forward() throws Error for a factor below 1.
  explicit PixelShuffleImpl(const PixelShuffleOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Rearranges (..., C r^2, H, W) to (..., C, H r, W r). Throws Error for fewer than 3 dimensions,
  /// and if the number of channels is not divisible by r^2.
  Tensor forward(const Tensor& input);
  PixelShuffleOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(PixelShuffle);

/// Inverts PixelShuffle: (N, C, H r, W r) to (N, C r^2, H, W).
class PixelUnshuffleImpl : public Cloneable<PixelUnshuffleImpl> {
 public:
  /// Sets r to `downscale_factor`. forward() throws Error for a factor below 1.
  explicit PixelUnshuffleImpl(const PixelUnshuffleOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Rearranges (..., C, H r, W r) to (..., C r^2, H, W). Throws Error for fewer than 3 dimensions,
  /// and if height or width is not divisible by r.
  Tensor forward(const Tensor& input);
  PixelUnshuffleOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(PixelUnshuffle);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
