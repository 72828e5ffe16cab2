// PixelShuffle and PixelUnshuffle; shapes and errors are in functional/pixelshuffle.h.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/pixelshuffle.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Channels to a finer image: (N, C r^2, H, W) to (N, C, H r, W r).
class PixelShuffleImpl : public Cloneable<PixelShuffleImpl> {
 public:
  /// r is `upscale_factor`; forward() throws Error for one below 1.
  explicit PixelShuffleImpl(const PixelShuffleOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// (..., C r^2, H, W) to (..., C, H r, W r), of the same dtype. Throws Error for fewer than 3
  /// dimensions and for channels that r^2 does not divide.
  Tensor forward(const Tensor& input);
  PixelShuffleOptions options;  ///< read by each forward()
};
TAPER_LIBRARY_MODULE(PixelShuffle);

/// The inverse of PixelShuffle: (N, C, H r, W r) to (N, C r^2, H, W).
class PixelUnshuffleImpl : public Cloneable<PixelUnshuffleImpl> {
 public:
  /// r is `downscale_factor`; forward() throws Error for one below 1.
  explicit PixelUnshuffleImpl(const PixelUnshuffleOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// (..., C, H r, W r) to (..., C r^2, H, W), of the same dtype. Throws Error for fewer than 3
  /// dimensions and for a height or width that r does not divide.
  Tensor forward(const Tensor& input);
  PixelUnshuffleOptions options;  ///< read by each forward()
};
TAPER_LIBRARY_MODULE(PixelUnshuffle);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
