// Eigenvalues of square matrices. The common rules are in linalg_solve.h.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace linalg {

/// Eigenvalues (..., n) and eigenvectors, columns of (..., n, n), of square matrices, complex, in
/// no order. A is real: f32 or f64. (linalg_eig.cpp)
std::tuple<Tensor, Tensor> eig(const Tensor& A);
Tensor eigvals(const Tensor& A);

}  // namespace linalg

// ---------------------------------------------------------------- out forms
/// linalg::eigvals and linalg::eig into the tensors given, which are resized; no gradient is
/// recorded (ops/shared/out.h has the rules).
Tensor& linalg_eigvals_out(Tensor& out, const Tensor& A);
std::tuple<Tensor&, Tensor&> linalg_eig_out(Tensor& eigenvalues, Tensor& eigenvectors,
                                            const Tensor& A);

}  // namespace torch::taper

#pragma GCC visibility pop
