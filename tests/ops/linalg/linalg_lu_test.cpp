#include <taper/ops/linalg/linalg_lu.h>

#include <algorithm>
#include <cmath>

#include <taper/framework/autograd/autograd.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/linalg_factor.h>
#include <taper/ops/linalg/linalg_names.h>
#include <taper/ops/linalg/linalg_solve.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/triangle.h>

#include "ops/linalg/matrix_cases.h"

namespace taper::testing {
namespace {

Matrix naive_lu(Matrix x) {
  for (int64_t k = 0; k < std::min(x.m, x.n); ++k) {
    int64_t pivot = k;
    for (int64_t i = k; i < x.m; ++i)
      if (std::abs(x(i, k)) > std::abs(x(pivot, k))) pivot = i;
    for (int64_t j = 0; j < x.n; ++j) std::swap(x(k, j), x(pivot, j));
    for (int64_t i = k + 1; i < x.m; ++i) {
      x(i, k) /= x(k, k);
      for (int64_t j = k + 1; j < x.n; ++j) x(i, j) -= x(i, k) * x(k, j);
    }
  }
  return x;
}

TAPER_OP_CASES(lu_cases, {
  OpCase factor = matrix_case(
      "linalg_lu_factor_ex", {{{4, 2}}, {{2, 3, 5}}, {{3, 3}}},
      [](const Args& a) { return std::get<0>(linalg::lu_factor_ex(a.t[0])); },
      [](const ArrayArgs& a) {
        return for_matrices(a, [](const auto& x) { return naive_lu(x[0]); });
      });
  factor.errors = {
      error<Error>("torch.linalg.lu_factor: (Batch element 1): U[2,2] is zero and using it on "
                   "lu_solve would result in a division by zero. If you still want to perform the "
                   "factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, "
                   "pivot)",
                   [] {
                     linalg::lu_factor(stack({eye(2), tensor_of({2, 2}, {1, 1, 1, 1})}));
                   }),
      error<Error>("LU without pivoting is not implemented on the CPU",
                   [] { linalg::lu_factor(eye(2), false); })};
  std::vector<OpCase> list = {factor};
  for (const bool adjoint : {false, true})
    list.push_back(matrix_case(
        adjoint ? "linalg_lu_solve_adjoint" : "linalg_lu_solve",
        {{{3, 3}, {3, 2}}, {{2, 4, 4}, {2, 4, 1}}},
        [adjoint](const Args& a) {
          const auto [LU, pivots, info] = linalg::lu_factor_ex(a.t[0].flip({-2}));
          return linalg::lu_solve(LU, pivots, a.t[1], true, adjoint);
        },
        [adjoint](const ArrayArgs& a) {
          return for_matrices(a, [adjoint](const auto& x) {
            Matrix flipped = x[0];
            for (int64_t i = 0; i < flipped.m; ++i)
              for (int64_t j = 0; j < flipped.n; ++j) flipped(i, j) = x[0](flipped.m - 1 - i, j);
            return solved(adjoint ? transposed(flipped) : flipped, x[1]);
          });
        }));
  const auto ints = [](std::vector<double> v) { return values(std::move(v), kInt); };
  list.back().errors = {
      error<Error>("linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32",
                   [] {
                     linalg::lu_solve(eye(2), values({1, 2}, kLong), numbers({2, 1}));
                   }),
      error<Error>("linalg.lu_solve: Number of pivots per batch should be same as the dimension of "
                   "the matrix",
                   [ints] {
                     linalg::lu_solve(eye(2), ints({1}), numbers({2, 1}));
                   }),
      error<Error>(
          "torch.linalg.lu_solve: A must be batches of square matrices, but they are 2 by 3 "
          "matrices",
          [ints] {
            linalg::lu_solve(numbers({2, 3}), ints({1, 2}), numbers({2, 1}));
          }),
      error<Error>(
          "linalg.lu_solve: Incompatible shapes of A and B for the equation AX = B (2x2 and "
          "3x1)",
          [ints] {
            linalg::lu_solve(eye(2), ints({1, 2}), numbers({3, 1}));
          }),
      error<Error>("index 2 is out of bounds for dimension -2 with size 2", [ints] {
        linalg::lu_solve(eye(2), ints({1, 3}), numbers({2, 1}));
      })};
  return list;
});

TEST(LinalgLu, FactorsOfAllShapes) {
  for (const Sizes& sizes :
       std::vector<Sizes>{{3, 3}, {2, 4, 2}, {2, 2, 5}, {0, 3}, {3, 0}, {0, 2, 2}}) {
    const Tensor A = numbers(sizes, kDouble);
    const auto [P, L, U] = linalg::lu(A);
    EXPECT_TRUE(matmul(P, matmul(L, U)).allclose(A)) << A.sizes();
    const auto [LU, pivots, info] = linalg_lu_factor_ex(A);
    const auto [P2, L2, U2] = lu_unpack(LU, pivots);
    EXPECT_TRUE(P2.equal(P) && L2.equal(L) && U2.equal(U));
    EXPECT_EQ(info.sizes().vec(), Sizes(sizes.begin(), sizes.end() - 2));
  }
  const auto [P, L, U] = lu_unpack(eye(2), values({2, 2}, kInt), false);
  EXPECT_EQ(L.numel() + U.numel(), 0);
  EXPECT_EQ(values_of(P), (std::vector<double>{0, 1, 1, 0}));
}

TEST(LinalgLu, InfoInPlaceOfErrors) {
  const Tensor singular = stack({eye(2), zeros({2, 2})});
  const std::vector<double> second_fails = {0, 1};
  EXPECT_EQ(values_of(std::get<2>(linalg::lu_factor_ex(singular))), second_fails);
  EXPECT_EQ(values_of(std::get<1>(linalg::inv_ex(singular))), second_fails);
  EXPECT_EQ(values_of(std::get<1>(linalg::solve_ex(singular, numbers({2, 2, 1})))), second_fails);
  EXPECT_EQ(values_of(std::get<1>(linalg::cholesky_ex(singular))), second_fails);
  EXPECT_EQ(values_of(std::get<2>(linalg::ldl_factor_ex(singular))), second_fails);
  expect_error<LinAlgError>(
      "torch.linalg.solve_ex: (Batch element 1): The solver failed because the input matrix is "
      "singular.",
      [&] {
        linalg::solve_ex(singular, numbers({2, 2, 1}), true, true);
      });
  expect_error<LinAlgError>("(Batch element 1)", [&] { linalg::ldl_factor(singular); });
}

TEST(LinalgLu, SolvesOnTheRightAndInBatches) {
  const Tensor A = dominant({{2, 3, 3}}, kDouble).t[0], B = numbers({2, 4, 3}, kDouble);
  const auto [LU, pivots] = linalg::lu_factor(A);
  EXPECT_TRUE(matmul(linalg::lu_solve(LU, pivots, B, false), A).allclose(B));
  EXPECT_TRUE(matmul(linalg::lu_solve(LU, pivots, B, false, true), A.mT()).allclose(B));
  const Tensor shared = numbers({3, 2}, kDouble);
  EXPECT_TRUE(matmul(A, lu_solve(shared, LU, pivots)).allclose(shared.expand({2, 3, 2})));
}

TEST(LinalgLu, SymmetricFactors) {
  for (const Sizes& sizes : std::vector<Sizes>{{3, 3}, {2, 5, 5}, {1, 1}, {0, 0}}) {
    const Tensor x = numbers(sizes, kDouble), A = x + x.mT(),
                 b = numbers({sizes[sizes.size() - 1], 2}, kDouble);
    const auto [LD, pivots] = linalg::ldl_factor(A);
    EXPECT_TRUE(LD.equal(tril(LD)));
    const Tensor solution = linalg::ldl_solve(LD, pivots, b);
    EXPECT_TRUE(matmul(A, solution).allclose(matmul(A, linalg::solve(A, b)), 1e-4, 1e-6))
        << A.sizes();
  }
  // A zero diagonal takes blocks of two.
  const Tensor A = tensor_of({2, 2}, {0, 2, 2, 0});
  const auto [LD, pivots] = linalg::ldl_factor(A);
  EXPECT_EQ(values_of(pivots), (std::vector<double>{-2, -2}));
  EXPECT_EQ(values_of(linalg::ldl_solve(LD, pivots, values({2, 4}).view({2, 1}))),
            (std::vector<double>{2, 1}));
}

TEST(LinalgLu, RefusesWrongSymmetricPivotsAndGradients) {
  const Tensor A = eye(2).requires_grad_(), b = numbers({2, 1});
  const auto [LD, pivots] = linalg::ldl_factor(A);
  expect_error("derivative for aten::linalg_ldl_factor_ex is not implemented",
               [&, &f = LD] { f.sum().backward(); });
  const Tensor plain = eye(2);
  for (const auto& wrong :
       {values({1, 3}, kInt), values({0, 2}, kInt), values({1, -2}, kInt), values({-2, 2}, kInt)})
    expect_error("torch.linalg.ldl_solve: expected pivots as ldl_factor returns them",
                 [&] { linalg::ldl_solve(plain, wrong, b); });
  expect_error(
      "Incompatible matrix sizes for torch.linalg.ldl_solve: each A matrix is 2 by 2 but each b "
      "matrix is 3 by 1",
      [&] {
        linalg::ldl_solve(plain, values({1, 2}, kInt), numbers({3, 1}));
      });
}

}  // namespace
}  // namespace taper::testing
