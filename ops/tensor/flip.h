// Functions that reverse, roll and rotate. Results are new memory. Negative dims count from the
// end. A dim out of range throws IndexError.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Reverses the order of elements along each dimension of dims: fliplr along dimension 1, flipud
/// along dimension 0.
Tensor flip(const Tensor& x, IntArrayRef dims);
Tensor fliplr(const Tensor& x);
Tensor flipud(const Tensor& x);
/// Shifts elements by shifts[i] along dims[i]. Elements that are shifted beyond the end reappear at
/// the front. Without dims, shifts the elements of the flattened tensor.
Tensor roll(const Tensor& x, IntArrayRef shifts, IntArrayRef dims = {});
/// Rotates by k quarter turns in the plane of the two dims, from the first towards the second.
Tensor rot90(const Tensor& x, int64_t k = 1, IntArrayRef dims = {0, 1});

}  // namespace torch::taper

#pragma GCC visibility pop
