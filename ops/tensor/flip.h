// Reversing, rolling and turning: results are new memory. Negative dims count from the end; a wrong
// one throws IndexError.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// The order of elements reversed along each of dims.
Tensor flip(const Tensor& x, IntArrayRef dims);
Tensor fliplr(const Tensor& x);
Tensor flipud(const Tensor& x);
/// Elements moved by shifts[i] places along dims[i]; those beyond the end come in at the front.
/// Without dims the flattened tensor is rolled.
Tensor roll(const Tensor& x, IntArrayRef shifts, IntArrayRef dims = {});
/// k quarter turns in the plane of the two dims, from the first towards the second.
Tensor rot90(const Tensor& x, int64_t k = 1, IntArrayRef dims = {0, 1});

}  // namespace torch::taper

#pragma GCC visibility pop
