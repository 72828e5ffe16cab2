// Conversion between windows of images and columns.
//
// The functions take floating dtypes unless a comment says otherwise. The image is padded with
// `padding` zeros. A window of kernel_size starts every `stride` pixels. The pixels of a window are
// `dilation` apart. L is the number of windows. Arguments of sizes hold one number for both
// dimensions, or two numbers. The functions throw Error for arguments that do not fit.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Converts (N, C, H, W) or (C, H, W) to (N, C * K, L) or (C * K, L). Column l has the K pixels of
/// window l, for all channels.
Tensor im2col(const Tensor& self, IntArrayRef kernel_size, IntArrayRef dilation,
              IntArrayRef padding, IntArrayRef stride);
/// Sums columns into images of output_size. This is the adjoint of im2col.
Tensor col2im(const Tensor& self, IntArrayRef output_size, IntArrayRef kernel_size,
              IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride);

/// Moves C * r^2 channels into images of C channels that are r times as high and wide. (..., C r^2,
/// H, W) becomes (..., C, H r, W r), with y[c, h r + i, w r + j] = x[c r^2 + i r + j, h, w].
/// pixel_unshuffle is the inverse. Takes any dtype. Throws Error if r is below 1, or if the
/// channels are not divisible by r^2. The inverse throws if H or W is not divisible by r.
Tensor pixel_shuffle(const Tensor& self, int64_t upscale_factor);
Tensor pixel_unshuffle(const Tensor& self, int64_t downscale_factor);
/// Moves channel i * (C / groups) + j of (N, C, ...) to j * groups + i. Takes any dtype.
Tensor channel_shuffle(const Tensor& self, int64_t groups);

}  // namespace torch::taper

#pragma GCC visibility pop
