// The exponential of a matrix.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace linalg {

/// Returns the sum over k of A^k / k!. The method is from Bader, Blanes and Casas, "Computing the
/// matrix exponential with an optimized Taylor polynomial approximation", 2019. The gradient is
/// from Najfeld and Havel, "Derivatives of the matrix exponential and their computation", 1995.
Tensor matrix_exp(const Tensor& A);

}  // namespace linalg

/// Calls linalg::matrix_exp.
Tensor matrix_exp(const Tensor& self);

}  // namespace torch::taper

#pragma GCC visibility pop
