// Kernels of im2col and col2im. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// The windows of `planes` planes. A plane is one channel of one image. Arrays hold a number for
/// the height, then one for the width.
struct FoldWindows {
  int64_t planes;
  int64_t image[2], kernel[2], dilation[2], padding[2], stride[2];
  int64_t windows[2];  ///< number of windows along each dimension

  TAPER_HD int64_t pixels() const { return image[0] * image[1]; }
  TAPER_HD int64_t columns() const { return windows[0] * windows[1]; }
  TAPER_HD int64_t kernel_elements() const { return kernel[0] * kernel[1]; }
  /// Returns the index along dimension d of the pixel that window `o` has at kernel element `k`. An
  /// index outside of the image is in the padding.
  TAPER_HD int64_t place(int d, int64_t o, int64_t k) const {
    return o * stride[d] - padding[d] + k * dilation[d];
  }
};

// Tensors are contiguous and floating: images (planes, H, W), columns (planes, kernel elements,
// windows).
TAPER_KERNEL(im2col, Out columns, In images, FoldWindows w)
/// Computes the adjoint of im2col.
TAPER_KERNEL(col2im, Out images, In columns, FoldWindows w)

}  // namespace torch::taper
