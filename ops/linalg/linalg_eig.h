// Eigenvalues of square matrices. linalg_solve.h has the common rules.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace linalg {

/// Returns the eigenvalues (..., n) and eigenvectors (..., n, n) of square matrices A. Eigenvectors
/// are columns. Both results are complex. The eigenvalues are not sorted.
std::tuple<Tensor, Tensor> eig(const Tensor& A);
Tensor eigvals(const Tensor& A);

}  // namespace linalg

// ---------------------------------------------------------------- out forms
/// Writes the results of linalg::eigvals or linalg::eig into the given tensors, which are resized.
/// No gradient is recorded. ops/shared/out.h has the rules.
Tensor& linalg_eigvals_out(Tensor& out, const Tensor& A);
std::tuple<Tensor&, Tensor&> linalg_eig_out(Tensor& eigenvalues, Tensor& eigenvectors,
                                            const Tensor& A);

}  // namespace torch::taper

#pragma GCC visibility pop
