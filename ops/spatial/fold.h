// Converts windows of images to columns and back, and rearranges pixels and channels.
//
// im2col and col2im take floating and complex dtypes. Each image is surrounded by `padding` zeros
// on each side. A window of kernel_size starts every `stride` pixels. The pixels of a window are
// `dilation` apart. An image has L windows of K pixels. A size argument holds one number for both
// dimensions, or two numbers. The functions throw Error if sizes do not fit.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Converts N images (N, C, H, W) to columns (N, C * K, L), or one image (C, H, W) to (C * K, L).
/// Element c * K + k of column l is pixel k of window l in channel c.
Tensor im2col(const Tensor& self, IntArrayRef kernel_size, IntArrayRef dilation,
              IntArrayRef padding, IntArrayRef stride);
/// Adds the elements of columns to their pixels, in images of height and width output_size. col2im
/// is the adjoint of im2col.
Tensor col2im(const Tensor& self, IntArrayRef output_size, IntArrayRef kernel_size,
              IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride);

/// Moves channels to pixels. With r = upscale_factor, x (..., C r^2, H, W) becomes y (..., C, H r,
/// W r). Elements are y[c, h r + i, w r + j] = x[c r^2 + i r + j, h, w]. pixel_unshuffle is the
/// inverse, with r = downscale_factor. Both take any dtype and throw Error if r is below 1.
/// pixel_shuffle throws Error if the number of channels is not divisible by r^2. pixel_unshuffle
/// throws Error if the height or the width is not divisible by r.
Tensor pixel_shuffle(const Tensor& self, int64_t upscale_factor);
Tensor pixel_unshuffle(const Tensor& self, int64_t downscale_factor);
/// Moves channel i * (C / groups) + j of self (N, C, ...) to channel j * groups + i. Takes any
/// dtype.
Tensor channel_shuffle(const Tensor& self, int64_t groups);

}  // namespace torch::taper

#pragma GCC visibility pop
