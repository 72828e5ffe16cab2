// Factors of matrices: Cholesky, QR, singular values, eigenvalues of symmetric matrices.
// linalg_solve.h has the common rules.
#pragma once

#include <string_view>
#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace linalg {

/// Returns the lower triangular L with L L^T = A (L L^H = A for complex A). With `upper`, returns
/// L^T or L^H. A must be positive-definite. Only the lower triangle of A is read. cholesky_ex also
/// returns info (..., kInt), which is 0 if A is positive-definite. It throws for other matrices
/// only with `check_errors`. The gradient is from Murray, "Differentiation of the Cholesky
/// decomposition", 2016.
Tensor cholesky(const Tensor& A, bool upper = false);
std::tuple<Tensor, Tensor> cholesky_ex(const Tensor& A, bool upper = false,
                                       bool check_errors = false);
Tensor& cholesky_out(Tensor& result, const Tensor& A);
/// Returns Q and R with Q R = A. Q has orthonormal columns, and R is upper triangular. The mode is
/// "reduced" (Q is m x min(m, n)), "complete" (Q is m x m) or "r" (Q is empty). There is no
/// gradient for "r", nor for "complete" if m > n. The gradient is from Walter and Lehmann,
/// "Algorithmic differentiation of linear algebra functions", 2012.
std::tuple<Tensor, Tensor> qr(const Tensor& A, std::string_view mode = "reduced");
/// Returns U, S, Vh with U diag(S) Vh = A. S is in descending order. With full_matrices, U and Vh
/// are square. svdvals returns only S. The signs of U and Vh are arbitrary. The gradients of U and
/// Vh are defined only for distinct singular values. The formulas are from Townsend,
/// "Differentiating the singular value decomposition", 2016.
std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& A, bool full_matrices,
                                       optional<std::string_view> driver);
Tensor svdvals(const Tensor& A, optional<std::string_view> driver);
std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& A, bool full_matrices = true);
Tensor svdvals(const Tensor& A);
/// Returns the eigenvalues of symmetric matrices in ascending order, and the eigenvectors as
/// columns. Only the lower (UPLO "L") or upper ("U") triangle of A is read. eigvalsh returns only
/// the eigenvalues. The gradient is from Giles, "Collected matrix derivative results for forward
/// and reverse mode algorithmic differentiation", 2008, section 3.1.
std::tuple<Tensor, Tensor> eigh(const Tensor& A, std::string_view UPLO = "L");
Tensor eigvalsh(const Tensor& A, std::string_view UPLO = "L");

}  // namespace linalg

/// Calls linalg::cholesky. With `upper`, reads the upper triangle of self instead of the lower one.
Tensor cholesky(const Tensor& self, bool upper = false);
/// Writes the result of linalg::cholesky into `out`, which is resized. No gradient is recorded.
/// ops/shared/out.h has the rules.
Tensor& linalg_cholesky_out(Tensor& out, const Tensor& A, bool upper = false);
/// Returns the inverse of L L^T for the factor L = self. With `upper`, self is U, and the result is
/// the inverse of U^T U. Throws LinAlgError if the factor has zeros on its diagonal.
Tensor cholesky_inverse(const Tensor& self, bool upper = false);
Tensor& cholesky_inverse_out(Tensor& out, const Tensor& self, bool upper = false);
/// Returns the X with L L^T X = self for the factor L = input2. With `upper`, input2 is U, and U^T
/// U X = self.
Tensor cholesky_solve(const Tensor& self, const Tensor& input2, bool upper = false);
Tensor& cholesky_solve_out(Tensor& out, const Tensor& self, const Tensor& input2,
                           bool upper = false);
/// Calls linalg::qr with mode "reduced", or "complete" if `some` is false. linalg_qr_out writes the
/// results of linalg::qr into Q and R, which are resized, and records no gradient.
std::tuple<Tensor, Tensor> qr(const Tensor& self, bool some = true);
std::tuple<Tensor&, Tensor&> linalg_qr_out(Tensor& Q, Tensor& R, const Tensor& A,
                                           std::string_view mode = "reduced");
/// Returns the eigenvalues of symmetric matrices in ascending order, and the eigenvectors. If
/// `eigenvectors` is false, the second tensor is empty. Only the upper triangle is read, or the
/// lower one if `upper` is false.
std::tuple<Tensor, Tensor> symeig(const Tensor& self, bool eigenvectors = false, bool upper = true);
/// Returns U, S and V. Unlike in linalg::svd, V is not transposed.
std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& self, bool some = true,
                                       bool compute_uv = true);

// ---------------------------------------------------------------- out forms
/// Writes the results of linalg::eigvalsh, svdvals, eigh or cholesky_ex into the given tensors,
/// which are resized. No gradient is recorded. ops/shared/out.h has the rules.
Tensor& linalg_eigvalsh_out(Tensor& out, const Tensor& A, std::string_view UPLO = "L");
Tensor& linalg_svdvals_out(Tensor& out, const Tensor& A,
                           optional<std::string_view> driver = nullopt);
std::tuple<Tensor&, Tensor&> linalg_eigh_out(Tensor& eigenvalues, Tensor& eigenvectors,
                                             const Tensor& A, std::string_view UPLO = "L");
std::tuple<Tensor&, Tensor&> linalg_cholesky_ex_out(Tensor& L, Tensor& info, const Tensor& A,
                                                    bool upper = false, bool check_errors = false);

}  // namespace torch::taper

#pragma GCC visibility pop
