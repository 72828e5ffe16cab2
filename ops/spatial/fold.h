// Windows of images as columns, and columns summed into images.
//
// Floating dtypes. A window of kernel_size starts every `stride` pixels of the image, which is
// padded with `padding` zeros; its pixels are `dilation` apart. L is the number of windows. Sizes
// are given as one number for both dimensions or as two. Throws Error for what does not fit.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// (N, C, H, W) or (C, H, W) to (N, C * K, L) or (C * K, L): column l has the K pixels of window l
/// of all channels.
Tensor im2col(const Tensor& self, IntArrayRef kernel_size, IntArrayRef dilation,
              IntArrayRef padding, IntArrayRef stride);
/// The other way, to images of output_size: pixels of several windows are summed.
Tensor col2im(const Tensor& self, IntArrayRef output_size, IntArrayRef kernel_size,
              IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride);

/// The elements of C * r^2 channels as r x r times larger images of C channels: (..., C r^2, H, W)
/// to (..., C, H r, W r), where y[c, h r + i, w r + j] = x[c r^2 + i r + j, h, w], and back. Any
/// dtype. Throws Error for r below 1, for channels that r^2 does not divide, and on the way back
/// for H or W that r does not divide.
Tensor pixel_shuffle(const Tensor& self, int64_t upscale_factor);
Tensor pixel_unshuffle(const Tensor& self, int64_t downscale_factor);
/// (N, C, ...) with channel i * (C / groups) + j at j * groups + i. Any dtype.
Tensor channel_shuffle(const Tensor& self, int64_t groups);

}  // namespace torch::taper

#pragma GCC visibility pop
