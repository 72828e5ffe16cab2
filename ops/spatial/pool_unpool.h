// Unpooling, and pooling over windows at random positions.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Inverts max_pool2d_with_indices: returns zeros of output_size with self's elements at `indices`
/// (kLong, of self's sizes). An index is a position in the flattened plane. Takes (N, C, H, W) or
/// (C, H, W), with one more dimension for 3d. There `stride` and `padding` are only checked. Throws
/// Error for other sizes and for an index outside.
Tensor max_unpool2d(const Tensor& self, const Tensor& indices, IntArrayRef output_size);
Tensor max_unpool3d(const Tensor& self, const Tensor& indices, IntArrayRef output_size,
                    IntArrayRef stride, IntArrayRef padding);
/// Returns {maxima, indices} of windows of kernel_size whose starts are spread at random, after
/// Graham, "Fractional max-pooling". random_samples (N, C, 2) or (N, C, 3) in [0, 1) determines
/// them. Takes (N, C, H, W) or (C, H, W), with a depth for 3d. Throws Error for sizes that do not
/// fit.
std::tuple<Tensor, Tensor> fractional_max_pool2d(const Tensor& self, IntArrayRef kernel_size,
                                                 IntArrayRef output_size,
                                                 const Tensor& random_samples);
std::tuple<Tensor, Tensor> fractional_max_pool3d(const Tensor& self, IntArrayRef kernel_size,
                                                 IntArrayRef output_size,
                                                 const Tensor& random_samples);

}  // namespace torch::taper

#pragma GCC visibility pop
