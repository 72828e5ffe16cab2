// Unpooling, and pooling over windows at random positions.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Inverts max_pool2d_with_indices. The result has spatial sizes output_size. The result holds
/// self's elements at `indices` (kLong, of self's sizes) and zeros elsewhere. An index is a
/// position in the flattened spatial dimensions of the result. max_unpool2d takes (N, C, H, W) or
/// (C, H, W). max_unpool3d takes one more dimension. It checks `stride` and `padding`, but does not
/// need them. Both throw Error for other sizes, and for an index outside of the result.
Tensor max_unpool2d(const Tensor& self, const Tensor& indices, IntArrayRef output_size);
Tensor max_unpool3d(const Tensor& self, const Tensor& indices, IntArrayRef output_size,
                    IntArrayRef stride, IntArrayRef padding);
/// Returns {maxima, indices} of windows of kernel_size that start at random positions (Graham,
/// "Fractional max-pooling"). random_samples holds numbers in [0, 1) that determine these
/// positions. It is (N, C, 2) or, for fractional_max_pool3d, (N, C, 3). fractional_max_pool2d takes
/// (N, C, H, W) or (C, H, W). fractional_max_pool3d takes one more dimension, the depth. Both throw
/// Error if sizes do not fit.
std::tuple<Tensor, Tensor> fractional_max_pool2d(const Tensor& self, IntArrayRef kernel_size,
                                                 IntArrayRef output_size,
                                                 const Tensor& random_samples);
std::tuple<Tensor, Tensor> fractional_max_pool3d(const Tensor& self, IntArrayRef kernel_size,
                                                 IntArrayRef output_size,
                                                 const Tensor& random_samples);

}  // namespace torch::taper

#pragma GCC visibility pop
