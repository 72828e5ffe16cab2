// Pooling: the maximum or the mean over windows of the spatial dimensions.
//
// input is (N, C, ...) or, without a batch, (C, ...), of a floating dtype. `kernel_size`, `stride`
// (default: the kernel's size), `padding` and `dilation` take one number for all spatial
// dimensions, or one for each. One output size is
//   (size + 2 padding - dilation (kernel - 1) - 1) / stride + 1,
// rounded down, or up with ceil_mode. No window starts in the padding after the end. In a maximum,
// padding counts as minus infinity, and the input may hold integers up to 2^53. In a mean, padding
// counts as zero. Throws Error for shapes that do not fit.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the maximum of each window: (N, C, L), (N, C, H, W) or (N, C, D, H, W), each also
/// without N.
Tensor max_pool1d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride = {},
                  IntArrayRef padding = 0, IntArrayRef dilation = 1, bool ceil_mode = false);
Tensor max_pool2d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride = {},
                  IntArrayRef padding = 0, IntArrayRef dilation = 1, bool ceil_mode = false);
Tensor max_pool3d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride = {},
                  IntArrayRef padding = 0, IntArrayRef dilation = 1, bool ceil_mode = false);

/// Returns the maxima, and the index (kLong) of each in the flattened spatial dimensions.
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

/// Returns the sum over a window, divided by the number of its elements. Elements of the padding
/// count unless count_include_pad is false. divisor_override replaces the number.
Tensor avg_pool1d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride = {},
                  IntArrayRef padding = 0, bool ceil_mode = false, bool count_include_pad = true);
Tensor avg_pool2d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride = {},
                  IntArrayRef padding = 0, bool ceil_mode = false, bool count_include_pad = true,
                  optional<int64_t> divisor_override = nullopt);
Tensor avg_pool3d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride = {},
                  IntArrayRef padding = 0, bool ceil_mode = false, bool count_include_pad = true,
                  optional<int64_t> divisor_override = nullopt);

/// Pools over windows chosen for the given output size: one number for all spatial dimensions, or
/// one for each. Output i covers the input from floor(i * in / out) to ceil((i + 1) * in / out). A
/// maximum also returns indices, as max_pool1d_with_indices does.
Tensor adaptive_avg_pool1d(const Tensor& self, IntArrayRef output_size);
Tensor adaptive_avg_pool2d(const Tensor& self, IntArrayRef output_size);
Tensor adaptive_avg_pool3d(const Tensor& self, IntArrayRef output_size);
std::tuple<Tensor, Tensor> adaptive_max_pool1d(const Tensor& self, IntArrayRef output_size);
std::tuple<Tensor, Tensor> adaptive_max_pool2d(const Tensor& self, IntArrayRef output_size);
std::tuple<Tensor, Tensor> adaptive_max_pool3d(const Tensor& self, IntArrayRef output_size);

}  // namespace torch::taper

#pragma GCC visibility pop
