// Distances between rows.
#pragma once

#include <taper/framework/tensor.h>

namespace taper {

/// The p-norm distance of every row of x1 (..., P, M) to every row of x2 (..., R, M): (..., P, R).
/// Leading dimensions broadcast. The gradient is 0 where two rows are equal.
Tensor cdist(const Tensor& x1, const Tensor& x2, double p = 2);

}  // namespace taper
