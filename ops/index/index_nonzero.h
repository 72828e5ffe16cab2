// The coordinates of the elements that are not zero.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// The coordinates of the elements that are not zero, in row-major order: int64 [count, x.dim()].
Tensor nonzero(const Tensor& x);
Tensor& nonzero_out(Tensor& out, const Tensor& self);
/// The first `size` rows of nonzero, with rows of `fill_value` behind them where there are fewer:
/// int64 [size, x.dim()]. Errors: "nonzero_static: 'size' must be an non-negative integer".
Tensor nonzero_static(const Tensor& x, int64_t size, int64_t fill_value = -1);
Tensor& nonzero_static_out(Tensor& out, const Tensor& self, int64_t size, int64_t fill_value = -1);
/// The same as one vector for each dimension.
std::vector<Tensor> nonzero_numpy(const Tensor& x);

/// nonzero.
Tensor argwhere(const Tensor& self);

}  // namespace torch::taper

#pragma GCC visibility pop
