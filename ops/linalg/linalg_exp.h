// The exponential of a matrix.
#pragma once

#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper {

namespace linalg {

/// The sum over k of A^k / k!.
Tensor matrix_exp(const Tensor& A);

}  // namespace linalg

Tensor matrix_exp(const Tensor& self);

}  // namespace taper

#pragma GCC visibility pop
