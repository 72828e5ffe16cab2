// Unpooling, and pooling over windows at random positions.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Inverts max_pool2d_with_indices. The result has spatial sizes output_size. It holds self's
/// elements at `indices` (kLong, of self's sizes) and zeros elsewhere. An index is a position in
/// the flattened plane. The 2d form takes (N, C, H, W) or (C, H, W). The 3d form takes one more
/// dimension, and only checks `stride` and `padding`. Throws Error for other sizes and for an index
/// outside the plane.
Tensor max_unpool2d(const Tensor& self, const Tensor& indices, IntArrayRef output_size);
Tensor max_unpool3d(const Tensor& self, const Tensor& indices, IntArrayRef output_size,
                    IntArrayRef stride, IntArrayRef padding);
/// Returns {maxima, indices} of windows of kernel_size that start at random positions (Graham,
/// "Fractional max-pooling"). random_samples (N, C, 2) or (N, C, 3) in [0, 1) determines these
/// positions. Takes (N, C, H, W) or (C, H, W). The 3d form takes one more dimension, the depth.
/// Throws Error for sizes that do not fit.
std::tuple<Tensor, Tensor> fractional_max_pool2d(const Tensor& self, IntArrayRef kernel_size,
                                                 IntArrayRef output_size,
                                                 const Tensor& random_samples);
std::tuple<Tensor, Tensor> fractional_max_pool3d(const Tensor& self, IntArrayRef kernel_size,
                                                 IntArrayRef output_size,
                                                 const Tensor& random_samples);

}  // namespace torch::taper

#pragma GCC visibility pop
