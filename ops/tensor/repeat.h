// Repeating elements. Each result is new memory. Negative dims count from the end; a wrong one
// throws IndexError.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// x repeated repeats[d] times along each dimension; leading dimensions are added as needed.
Tensor repeat(const Tensor& x, IntArrayRef repeats);
/// The same with ones before `dims` where it is shorter than x.dim().
Tensor tile(const Tensor& x, IntArrayRef dims);
/// Each element (along dim; of the flattened x without it) `repeats` times in a row.
Tensor repeat_interleave(const Tensor& x, int64_t repeats, optional<int64_t> dim = nullopt,
                         optional<int64_t> output_size = nullopt);
/// Element i repeats[i] times. `repeats` holds integers, one or as many as x has along dim.
Tensor repeat_interleave(const Tensor& x, const Tensor& repeats, optional<int64_t> dim = nullopt,
                         optional<int64_t> output_size = nullopt);
/// Index i repeats[i] times: {2, 0, 1} gives {0, 0, 2}.
Tensor repeat_interleave(const Tensor& repeats, optional<int64_t> output_size = nullopt);

}  // namespace torch::taper

#pragma GCC visibility pop
