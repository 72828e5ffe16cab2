// The cross product.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the cross products of the vectors of self and other along `dim`, which must have size 3.
/// If `dim` is nullopt, the first dimension of self with size 3 is used. The other dimensions
/// broadcast.
Tensor cross(const Tensor& self, const Tensor& other, optional<int64_t> dim = nullopt);
Tensor& cross_out(Tensor& out, const Tensor& self, const Tensor& other,
                  optional<int64_t> dim = nullopt);
Tensor& linalg_cross_out(Tensor& out, const Tensor& self, const Tensor& other, int64_t dim = -1);

namespace linalg {

/// Returns the cross products of the vectors of self and other along `dim`.
Tensor cross(const Tensor& self, const Tensor& other, int64_t dim = -1);

}  // namespace linalg

}  // namespace torch::taper

#pragma GCC visibility pop
