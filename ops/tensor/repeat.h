// Functions that repeat elements. Each result is new memory. Negative dims count from the end. A
// dimension out of range throws IndexError.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Repeats x repeats[d] times along each dimension d of the result. If `repeats` is longer than x
/// has dimensions, x gets leading dimensions of size 1.
Tensor repeat(const Tensor& x, IntArrayRef repeats);
/// Calls repeat. If `dims` has fewer numbers than x has dimensions, ones are inserted at its front.
Tensor tile(const Tensor& x, IntArrayRef dims);
/// Repeats each element `repeats` times in a row, along dim or in the flattened x.
Tensor repeat_interleave(const Tensor& x, int64_t repeats, optional<int64_t> dim = nullopt,
                         optional<int64_t> output_size = nullopt);
/// Repeats element i repeats[i] times. `repeats` holds integers: one number, or one for each
/// element along dim.
Tensor repeat_interleave(const Tensor& x, const Tensor& repeats, optional<int64_t> dim = nullopt,
                         optional<int64_t> output_size = nullopt);
/// Returns a vector with each index i repeats[i] times: {2, 0, 1} gives {0, 0, 2}.
Tensor repeat_interleave(const Tensor& repeats, optional<int64_t> output_size = nullopt);

}  // namespace torch::taper

#pragma GCC visibility pop
