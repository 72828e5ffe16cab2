// PixelShuffle and PixelUnshuffle; shapes and errors are in functional/pixelshuffle.h.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/pixelshuffle.h>

#pragma GCC visibility push(default)

namespace taper::nn {

/// Channels to a finer image: (N, C r^2, H, W) to (N, C, H r, W r).
class PixelShuffleImpl : public Cloneable<PixelShuffleImpl> {
 public:
  explicit PixelShuffleImpl(const PixelShuffleOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
  PixelShuffleOptions options;
};
TAPER_LIBRARY_MODULE(PixelShuffle);

/// The inverse of PixelShuffle: (N, C, H r, W r) to (N, C r^2, H, W).
class PixelUnshuffleImpl : public Cloneable<PixelUnshuffleImpl> {
 public:
  explicit PixelUnshuffleImpl(const PixelUnshuffleOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
  PixelUnshuffleOptions options;
};
TAPER_LIBRARY_MODULE(PixelUnshuffle);

}  // namespace taper::nn

#pragma GCC visibility pop
