// Pooling: the maximum or the mean over windows of the spatial dimensions.
//
// input is (N, C, ...) or, without a batch, (C, ...), of a floating dtype. `kernel_size`, `stride`
// (default: the kernel's size), `padding` and `dilation` take one number for all spatial
// dimensions, or one for each. One output size is
// (size + 2 padding - dilation (kernel - 1) - 1) / stride + 1, rounded down, or rounded up with
// ceil_mode. No window starts in the padding after the end. For a maximum, padding is minus
// infinity, and the input may hold integers up to 2^53. For a mean, padding is zero. Throws Error
// for shapes that do not fit.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the maximum of each window. The result is (N, C, L), (N, C, H, W) or (N, C, D, H, W),
/// without N if the input has none.
Tensor max_pool1d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride = {},
                  IntArrayRef padding = 0, IntArrayRef dilation = 1, bool ceil_mode = false);
Tensor max_pool2d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride = {},
                  IntArrayRef padding = 0, IntArrayRef dilation = 1, bool ceil_mode = false);
Tensor max_pool3d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride = {},
                  IntArrayRef padding = 0, IntArrayRef dilation = 1, bool ceil_mode = false);

/// Returns the maxima and their indices (kLong). An index is a position in the flattened spatial
/// dimensions.
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
/// are included in this number unless count_include_pad is false. divisor_override replaces the
/// number.
Tensor avg_pool1d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride = {},
                  IntArrayRef padding = 0, bool ceil_mode = false, bool count_include_pad = true);
Tensor avg_pool2d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride = {},
                  IntArrayRef padding = 0, bool ceil_mode = false, bool count_include_pad = true,
                  optional<int64_t> divisor_override = nullopt);
Tensor avg_pool3d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride = {},
                  IntArrayRef padding = 0, bool ceil_mode = false, bool count_include_pad = true,
                  optional<int64_t> divisor_override = nullopt);

/// Pools over windows that give `output_size`, which holds one number for all spatial dimensions or
/// one for each. Output i covers the input from floor(i * in / out) to ceil((i + 1) * in / out).
/// Maxima are returned with indices, as by max_pool1d_with_indices.
Tensor adaptive_avg_pool1d(const Tensor& self, IntArrayRef output_size);
Tensor adaptive_avg_pool2d(const Tensor& self, IntArrayRef output_size);
Tensor adaptive_avg_pool3d(const Tensor& self, IntArrayRef output_size);
std::tuple<Tensor, Tensor> adaptive_max_pool1d(const Tensor& self, IntArrayRef output_size);
std::tuple<Tensor, Tensor> adaptive_max_pool2d(const Tensor& self, IntArrayRef output_size);
std::tuple<Tensor, Tensor> adaptive_max_pool3d(const Tensor& self, IntArrayRef output_size);

}  // namespace torch::taper

#pragma GCC visibility pop
