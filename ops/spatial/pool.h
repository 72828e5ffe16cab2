// Pooling: the maximum or the mean over windows of the spatial dimensions.
//
// self is (N, C, ...) or, without a batch, (C, ...), of a floating dtype. `kernel_size`, `stride`
// (default: the kernel's size), `padding` and `dilation` take one number for all spatial
// dimensions, or one for each. `padding` must not exceed half the kernel's size. One output size is
// (size + 2 padding - dilation (kernel - 1) - 1) / stride + 1, rounded down, or rounded up with
// ceil_mode. A window that would start in the padding after the end is left out. For a maximum,
// padding is minus infinity, and self may hold integers up to 2^53. For a mean, padding is zero.
// The functions throw Error if shapes do not fit.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the maximum of each window. The result is (N, C, L), (N, C, H, W) or (N, C, D, H, W),
/// without N if self has no batch.
Tensor max_pool1d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride = {},
                  IntArrayRef padding = 0, IntArrayRef dilation = 1, bool ceil_mode = false);
Tensor max_pool2d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride = {},
                  IntArrayRef padding = 0, IntArrayRef dilation = 1, bool ceil_mode = false);
Tensor max_pool3d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride = {},
                  IntArrayRef padding = 0, IntArrayRef dilation = 1, bool ceil_mode = false);

/// Returns the maxima and their indices (kLong). An index is a position in the flattened spatial
/// dimensions of self.
std::tuple<Tensor, Tensor> max_pool1d_with_indices(const Tensor& self, IntArrayRef kernel_size,
                                                   IntArrayRef stride = {}, IntArrayRef padding = 0,
                                                   IntArrayRef dilation = 1,
                                                   bool ceil_mode = false);
std::tuple<Tensor, Tensor> max_pool2d_with_indices(const Tensor& self, IntArrayRef kernel_size,
                                                   IntArrayRef stride = {}, IntArrayRef padding = 0,
                                                   IntArrayRef dilation = 1,
                                                   bool ceil_mode = false);
std::tuple<Tensor, Tensor> max_pool3d_with_indices(const Tensor& self, IntArrayRef kernel_size,
                                                   IntArrayRef stride = {}, IntArrayRef padding = 0,
                                                   IntArrayRef dilation = 1,
                                                   bool ceil_mode = false);

/// Returns the sum over each window, divided by the number of its elements. Elements in the padding
/// are included in this number unless count_include_pad is false. If divisor_override is given, it
/// is the divisor instead.
Tensor avg_pool1d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride = {},
                  IntArrayRef padding = 0, bool ceil_mode = false, bool count_include_pad = true);
Tensor avg_pool2d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride = {},
                  IntArrayRef padding = 0, bool ceil_mode = false, bool count_include_pad = true,
                  optional<int64_t> divisor_override = nullopt);
Tensor avg_pool3d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride = {},
                  IntArrayRef padding = 0, bool ceil_mode = false, bool count_include_pad = true,
                  optional<int64_t> divisor_override = nullopt);

/// Pools to the spatial sizes output_size: one number for all dimensions, or one for each. Along a
/// dimension of `in` elements, output i of `out` covers elements floor(i * in / out) to ceil((i +
/// 1) * in / out) - 1. The functions for maxima also return indices, as max_pool1d_with_indices
/// does.
Tensor adaptive_avg_pool1d(const Tensor& self, IntArrayRef output_size);
Tensor adaptive_avg_pool2d(const Tensor& self, IntArrayRef output_size);
Tensor adaptive_avg_pool3d(const Tensor& self, IntArrayRef output_size);
std::tuple<Tensor, Tensor> adaptive_max_pool1d(const Tensor& self, IntArrayRef output_size);
std::tuple<Tensor, Tensor> adaptive_max_pool2d(const Tensor& self, IntArrayRef output_size);
std::tuple<Tensor, Tensor> adaptive_max_pool3d(const Tensor& self, IntArrayRef output_size);

}  // namespace torch::taper

#pragma GCC visibility pop
