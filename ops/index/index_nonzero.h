// The coordinates of nonzero elements.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the coordinates of the nonzero elements in row-major order: int64 [count, x.dim()].
Tensor nonzero(const Tensor& x);
Tensor& nonzero_out(Tensor& out, const Tensor& self);
/// Returns the first `size` rows of nonzero(x): int64 [size, x.dim()]. If nonzero(x) has fewer
/// rows, the other rows are `fill_value`. Errors: "nonzero_static: 'size' must be an non-negative
/// integer".
Tensor nonzero_static(const Tensor& x, int64_t size, int64_t fill_value = -1);
Tensor& nonzero_static_out(Tensor& out, const Tensor& self, int64_t size, int64_t fill_value = -1);
/// Returns the coordinates of nonzero(x) as one vector per dimension.
std::vector<Tensor> nonzero_numpy(const Tensor& x);

/// Calls nonzero.
Tensor argwhere(const Tensor& self);

}  // namespace torch::taper

#pragma GCC visibility pop
