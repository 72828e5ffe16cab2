#include <taper/ops/linalg/linalg_lu.h>

#include <taper/framework/autograd/door.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/index/index_scatter.h>
#include <taper/ops/linalg/linalg_check.h>
#include <taper/ops/linalg/linalg_kernels.h>
#include <taper/ops/linalg/linalg_solve.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/reduce/sort.h>
#include <taper/ops/shared/no_derivative.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/triangle.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {

namespace linalg {

using namespace detail;

// ---------------------------------------------------------------------- LU
namespace {

// Returns the rows (..., m) for which row r of P^T A is row rows[r] of A.
Tensor permuted_rows(const Tensor& pivots, int64_t m) {
  Dims sizes = pivots.sizes();
  sizes[sizes.size() - 1] = m;
  const Tensor rows = taper::detail::make_tensor(sizes, kLong, pivots.device());
  const Tensor swaps = pivots.contiguous();
  TAPER_ON_DEVICE(rows, linalg_permutation, rows, swaps);
  return rows;
}
// Returns P^T x, or P x with `back`.
Tensor permute_rows(const Tensor& rows, const Tensor& x, bool back) {
  const Tensor index = back ? argsort(rows, int64_t{-1}) : rows;
  Dims batch = batch_with(x, {});
  batch.push_back(x.size(-2));
  return gather(x, -2, index.expand(batch).unsqueeze(-1).expand(x.sizes()));
}

Tensor permutation(const Tensor& pivots, const Tensor& LU) {
  const NoGradGuard values_only;
  const int64_t m = LU.size(-2);
  const Tensor p = zeros(batch_with(LU, {m, m}), LU.options().requires_grad(false));
  if (p.numel() == 0) return p;
  return p.scatter(-2, permuted_rows(pivots, m).unsqueeze(-2), Scalar(1));
}

int64_t least_of(const Tensor& LU) { return std::min(LU.size(-2), LU.size(-1)); }
Tensor lower_of(const Tensor& LU) {
  const int64_t k = least_of(LU);
  return tril(LU.narrow(-1, 0, k), -1) + eye(LU.size(-2), k, LU.options().requires_grad(false));
}
Tensor upper_of(const Tensor& LU) { return triu(LU.narrow(-2, 0, least_of(LU))); }

// Giles, "Collected matrix derivative results", 2008, for the triangular factors of square P L U =
// A. With more rows, the rest of L is A2 U^-1. With more columns, the rest of U is L^-1 A2. Their
// gradients add to those of U and L.
Tensor lu_gradient(const Tensor& g, const Tensor& LU, const Tensor& pivots) {
  const int64_t m = LU.size(-2), n = LU.size(-1), k = std::min(m, n);
  const Tensor L = lower_of(LU).narrow(-2, 0, k), U = upper_of(LU).narrow(-1, 0, k);
  const Tensor square = g.narrow(-2, 0, k).narrow(-1, 0, k);
  Tensor of_lower = matmul(L.mH(), tril(square, -1)), of_upper = matmul(triu(square), U.mH());
  Tensor rest;
  if (m > n) {
    const Tensor below = g.narrow(-2, k, m - k);
    of_upper = of_upper - matmul(LU.narrow(-2, k, m - k).mH(), below);
    rest = solve_triangular(U.mH(), below, false, false);
  } else if (n > m) {
    const Tensor right = g.narrow(-1, k, n - k);
    of_lower = of_lower - matmul(right, LU.narrow(-1, k, n - k).mH());
    rest = solve_triangular(L.mH(), right, true, true, true);
  }
  const Tensor left =
      solve_triangular(L.mH(), tril(of_lower, -1) + triu(of_upper), true, true, true);
  Tensor ga = solve_triangular(U.mH(), left, false, false);
  if (rest.defined()) ga = cat({ga, rest}, m > n ? -2 : -1);
  return permute_rows(permuted_rows(pivots, m), ga, true);
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> lu_factor_ex(const Tensor& A, bool pivot, bool check_errors) {
  if (auto done = at_door<"linalg_lu_factor_ex">(A, pivot, check_errors)) return done;
  check_matrices("torch.lu_factor", A);
  TAPER_CHECK(pivot, "linalg.lu_factor: LU without pivoting is not implemented on the CPU");
  const int64_t k = std::min(A.size(-2), A.size(-1));
  const Tensor a = copy_of(A.detach().mT()), info = make_info(A).zero_();
  const Tensor pivots = taper::detail::make_tensor(batch_with(A, {k}), kInt, A.device());
  if (A.numel() > 0) TAPER_ON_DEVICE(a, linalg_lu, a, pivots, info);
  if (check_errors)
    check_info("torch.linalg.lu_factor", info, [](const std::string& prefix, int i) {
      const std::string at = std::to_string(i);
      throw Error(prefix + "U[" + at + "," + at +
                  "] is zero and using it on lu_solve would result in a division by zero. If "
                  "you still want to perform the factorization, consider calling "
                  "linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)");
    });
  Tensor y = copy_of(a.mT());
  if (needs_grad(A))
    record("LinalgLuFactorExBackward0", y, {A},
           [y = saved_output(y), pivots = saved(pivots)](const Tensor& g) {
             return lu_gradient(g, y.get(), pivots.get());
           });
  return {y, pivots, info};
}

std::tuple<Tensor, Tensor> lu_factor(const Tensor& A, bool pivot) {
  if (auto done = at_door<"linalg_lu_factor">(A, pivot)) return done;
  const auto [LU, pivots, info] = lu_factor_ex(A, pivot, true);
  return {LU, pivots};
}

std::tuple<Tensor, Tensor, Tensor> lu(const Tensor& A, bool pivot) {
  if (auto done = at_door<"linalg_lu">(A, pivot)) return done;
  const auto [LU, pivots, info] = lu_factor_ex(A, pivot);
  return {permutation(pivots, LU), lower_of(LU), upper_of(LU)};
}

Tensor lu_solve(const Tensor& LU, const Tensor& pivots, const Tensor& B, bool left, bool adjoint) {
  if (auto done = at_door<"linalg_lu_solve">(LU, pivots, B, left, adjoint)) return done;
  check_square("torch.linalg.lu_solve", LU);
  check_defined("linalg.lu_solve", pivots, "pivots");
  check_matrices("linalg.lu_solve", B, "B");
  TAPER_CHECK(pivots.scalar_type() == kInt,
              "linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32");
  TAPER_CHECK(pivots.dim() == LU.dim() - 1 && pivots.size(-1) == LU.size(-1),
              "linalg.lu_solve: Number of pivots per batch should be same as the dimension of the "
              "matrix");
  TAPER_CHECK(pivots.sizes().slice(0, static_cast<size_t>(pivots.dim() - 1)) ==
                  LU.sizes().slice(0, static_cast<size_t>(LU.dim() - 2)),
              "linalg.lu_solve: pivots.shape must be of the form [...batch..., n], got ",
              pivots.sizes(), " for matrices ", LU.sizes());
  check_equation("linalg.lu_solve", LU, B, left);
  check_same_device("linalg.lu_solve", LU, pivots);
  // (X A)^H = A^H X^H.
  if (!left) return lu_solve(LU, pivots, B.mH(), true, !adjoint).mH();
  const Pair p = with_one_batch("linalg.lu_solve", LU, B);
  const Tensor rows = permuted_rows(pivots, LU.size(-1));
  if (adjoint) {
    const Tensor y = solve_triangular(p.A.mH(), p.B, false);
    return permute_rows(rows, solve_triangular(p.A.mH(), y, true, true, true), true);
  }
  const Tensor y = solve_triangular(p.A, permute_rows(rows, p.B, false), false, true, true);
  return solve_triangular(p.A, y, true);
}

// ---------------------------------------------------------------------- LDL
namespace {

// cuSOLVER factors only symmetric matrices.
void check_hermitian(const char* op, const Tensor& A, bool hermitian) {
  TAPER_CHECK(!(hermitian && A.is_complex() && A.is_cuda()), op,
              ": complex tensors with hermitian=True flag are not supported on CUDA.");
}

std::tuple<Tensor, Tensor, Tensor> ldl_values(const Tensor& A, bool hermitian, bool check_errors) {
  check_square("torch.linalg.ldl_factor_ex", A);
  check_hermitian("torch.linalg.ldl_factor", A, hermitian);
  check_may_wait("torch.linalg.ldl_factor", A);
  const NoGradGuard values_only;
  const Tensor a = copy_of(A.detach().mT()), info = make_info(A);
  const Tensor pivots = taper::detail::make_tensor(batch_with(A, {A.size(-1)}), kInt, A.device());
  TAPER_ON_DEVICE(a, linalg_ldl, a, pivots, hermitian, info);
  if (check_errors)
    check_info("torch.linalg.ldl_factor_ex", info, [](const std::string& prefix, int i) {
      throw LinAlgError(prefix + "D[" + std::to_string(i) + "," + std::to_string(i) +
                        "] is zero, the equations cannot be solved with these factors.");
    });
  return {tril(a.mT()), pivots, info};
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> ldl_factor_ex(const Tensor& A, bool hermitian,
                                                 bool check_errors) {
  if (auto done = at_door<"linalg_ldl_factor_ex">(A, hermitian, check_errors)) return done;
  auto [LD, pivots, info] = ldl_values(A, hermitian, check_errors);
  return {taper::detail::without_derivative("linalg_ldl_factor_ex", LD, {A}), pivots, info};
}

std::tuple<Tensor, Tensor> ldl_factor(const Tensor& A, bool hermitian) {
  if (auto done = at_door<"linalg_ldl_factor">(A, hermitian)) return done;
  const auto [LD, pivots, info] = ldl_factor_ex(A, hermitian, true);
  return {LD, pivots};
}

Tensor ldl_solve(const Tensor& LD, const Tensor& pivots, const Tensor& B, bool hermitian) {
  if (auto done = at_door<"linalg_ldl_solve">(LD, pivots, B, hermitian)) return done;
  check_square("torch.linalg.ldl_solve", LD);
  check_matrices("torch.linalg.ldl_solve", B, "B");
  TAPER_CHECK(
      LD.size(-1) == B.size(-2),
      "linalg.ldl_solve: Incompatible matrix sizes for torch.linalg.ldl_solve: each A matrix is ",
      LD.size(-2), " by ", LD.size(-1), " but each b matrix is ", B.size(-2), " by ", B.size(-1));
  check_defined("torch.linalg.ldl_solve", pivots, "pivots");
  TAPER_CHECK(isIntegralType(pivots.scalar_type(), false),
              "torch.linalg.ldl_solve: Expected pivots to be integers. Got ",
              toString(pivots.scalar_type()));
  TAPER_CHECK(pivots.sizes() == batch_with(LD, {LD.size(-1)}).ref(),
              "torch.linalg.ldl_solve: Expected LD.shape[:-1] and pivots.shape to be the same, but "
              "got pivots with shape ",
              pivots.sizes(), " instead");
  check_equation("torch.linalg.ldl_solve", LD, B, true);
  check_same_device("torch.linalg.ldl_solve", LD, pivots);
  check_hermitian("torch.linalg.ldl_solve", LD, hermitian);
  const Pair p = with_one_batch("linalg.ldl_solve", LD, B);
  const Tensor x = copy_of(p.B.detach().mT()), ld = copy_of(p.A.detach().mT());
  const Tensor swaps = copy_of(pivots.to(kInt).expand(batch_with(p.A, {LD.size(-1)})));
  TAPER_ON_DEVICE(x, linalg_ldl_solve, ld, swaps, x, hermitian);
  return taper::detail::without_derivative("linalg_ldl_solve", copy_of(x.mT()), {LD, B});
}

}  // namespace linalg

// ---------------------------------------------------------------------- older names
Tensor lu_solve(const Tensor& self, const Tensor& LU_data, const Tensor& LU_pivots) {
  if (auto done = at_door<"lu_solve">(self, LU_data, LU_pivots)) return done;
  return linalg::lu_solve(LU_data, LU_pivots, self);
}

std::tuple<Tensor, Tensor, Tensor> lu_unpack(const Tensor& LU_data, const Tensor& LU_pivots,
                                             bool unpack_data, bool unpack_pivots) {
  if (auto done = at_door<"lu_unpack">(LU_data, LU_pivots, unpack_data, unpack_pivots)) return done;
  linalg::detail::check_matrices("lu_unpack", LU_data, "LU_data");
  check_defined("torch.lu_unpack", LU_pivots, "LU_pivots");
  TAPER_CHECK(LU_pivots.scalar_type() == kInt,
              "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 "
              "dtype.\nNote: this function is intended to be used with the output produced by "
              "torch.linalg.lu_factor");
  const int64_t k = linalg::least_of(LU_data);
  TAPER_CHECK(LU_pivots.sizes() == linalg::detail::batch_with(LU_data, {k}).ref(),
              "torch.lu_unpack: expected ", k, " pivots for each matrix, got ", LU_pivots.sizes());
  const Tensor none = linalg::detail::make(LU_data, {0});
  const Tensor P = unpack_pivots ? linalg::permutation(LU_pivots, LU_data) : none;
  if (!unpack_data) return {P, none, none};
  return {P, linalg::lower_of(LU_data), linalg::upper_of(LU_data)};
}

Tensor Tensor::lu_solve(const Tensor& LU_data, const Tensor& LU_pivots) const {
  return taper::lu_solve(*this, LU_data, LU_pivots);
}

// ---------------------------------------------------------------- out forms
TAPER_OUT(linalg_lu_solve, (out, LU, pivots, B, left, adjoint),
          linalg::lu_solve(LU, pivots, B, left, adjoint), (LU, pivots, B), const Tensor& LU,
          const Tensor& pivots, const Tensor& B, bool left, bool adjoint)
TAPER_OUT_PAIR(linalg_lu_factor, (LU, pivots, self, pivot), LU, pivots,
               linalg::lu_factor(self, pivot), const Tensor& self, bool pivot)

}  // namespace torch::taper
