// Unpooling, and pools of windows at random places.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// The other way of max_pool2d_with_indices: zeros of output_size but for the elements of self, at
/// the places in their plane that `indices` (kLong, of self's sizes) gives, as that tells them. (N,
/// C, H, W) or (C, H, W); with one more dimension (there `stride` and `padding` are only checked).
/// Throws Error for other sizes and for a place outside.
Tensor max_unpool2d(const Tensor& self, const Tensor& indices, IntArrayRef output_size);
Tensor max_unpool3d(const Tensor& self, const Tensor& indices, IntArrayRef output_size,
                    IntArrayRef stride, IntArrayRef padding);
/// {maxima, places} of windows of kernel_size whose starts are spread at random, after Graham,
/// "Fractional max-pooling": random_samples (N, C, 2) or (N, C, 3) in [0, 1) fixes them. (N, C, H,
/// W) or (C, H, W), with a depth for 3d. Throws Error for sizes that do not fit.
std::tuple<Tensor, Tensor> fractional_max_pool2d(const Tensor& self, IntArrayRef kernel_size,
                                                 IntArrayRef output_size,
                                                 const Tensor& random_samples);
std::tuple<Tensor, Tensor> fractional_max_pool3d(const Tensor& self, IntArrayRef kernel_size,
                                                 IntArrayRef output_size,
                                                 const Tensor& random_samples);

}  // namespace torch::taper

#pragma GCC visibility pop
