// The cross product.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the cross product of vectors of 3 elements along `dim`. nullopt means the first
/// dimension of size 3. Other dimensions broadcast, unless dim is nullopt.
Tensor cross(const Tensor& self, const Tensor& other, optional<int64_t> dim = nullopt);
Tensor& cross_out(Tensor& out, const Tensor& self, const Tensor& other,
                  optional<int64_t> dim = nullopt);
Tensor& linalg_cross_out(Tensor& out, const Tensor& self, const Tensor& other, int64_t dim = -1);

namespace linalg {

/// Returns the cross product along `dim`.
Tensor cross(const Tensor& self, const Tensor& other, int64_t dim = -1);

}  // namespace linalg

}  // namespace torch::taper

#pragma GCC visibility pop
