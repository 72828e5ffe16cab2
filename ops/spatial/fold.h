// Conversion between windows of images and columns.
//
// All take floating dtypes unless a comment says otherwise. A window of kernel_size starts every
// `stride` pixels of the image, which is padded with `padding` zeros. Its pixels are `dilation`
// apart. L is the number of windows. Sizes are one number for both dimensions, or two. Throws Error
// for arguments that do not fit.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Converts (N, C, H, W) or (C, H, W) to (N, C * K, L) or (C * K, L). Column l has the K pixels of
/// window l, for all channels.
Tensor im2col(const Tensor& self, IntArrayRef kernel_size, IntArrayRef dilation,
              IntArrayRef padding, IntArrayRef stride);
/// Sums columns into images of output_size, the adjoint of im2col.
Tensor col2im(const Tensor& self, IntArrayRef output_size, IntArrayRef kernel_size,
              IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride);

/// Moves C * r^2 channels into r x r times larger images of C channels: (..., C r^2, H, W) becomes
/// (..., C, H r, W r), with y[c, h r + i, w r + j] = x[c r^2 + i r + j, h, w]. pixel_unshuffle is
/// the inverse. Takes any dtype. Throws Error for r below 1, and for channels (or H or W for the
/// inverse) that are not divisible.
Tensor pixel_shuffle(const Tensor& self, int64_t upscale_factor);
Tensor pixel_unshuffle(const Tensor& self, int64_t downscale_factor);
/// Moves channel i * (C / groups) + j of (N, C, ...) to j * groups + i. Takes any dtype.
Tensor channel_shuffle(const Tensor& self, int64_t groups);

}  // namespace torch::taper

#pragma GCC visibility pop
