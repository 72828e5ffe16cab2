#include <taper/ops/linalg/linalg_lu.h>

#include <algorithm>
#include <cmath>

#include <taper/framework/autograd/autograd.h>
#include <taper/generated/linalg_names.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/linalg_factor.h>
#include <taper/ops/linalg/linalg_solve.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/triangle.h>

#include "ops/linalg/matrix_cases.h"

namespace torch::taper::testing {
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

TAPER_OP_CASES(lu_factor_case, {
  OpCase lu = matrix_case(
      "linalg_lu_factor", {{{3, 3}}, {{2, 4, 4}}, {{1, 1}}},
      [](const Args& a) { return std::get<0>(linalg::lu_factor(a.t[0])); },
      [](const ArrayArgs& a) {
        return for_matrices(a, [](const auto& given) {
          Matrix x = given[0];  // the diagonal is the largest: no rows are swapped
          for (int64_t k = 0; k < x.n; ++k)
            for (int64_t i = k + 1; i < x.n; ++i) {
              x(i, k) /= x(k, k);
              for (int64_t j = k + 1; j < x.n; ++j) x(i, j) -= x(i, k) * x(k, j);
            }
          return x;
        });
      });
  return std::vector<OpCase>{lu};
});

/// The rows that swaps (from 1) bring up: row i of P^T A is row order[i] of A.
Matrix permutation_of(const Matrix& swaps, int64_t n) {
  Sizes order;
  for (int64_t i = 0; i < n; ++i) order.push_back(i);
  for (int64_t i = 0; i < swaps.n; ++i)
    std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(swaps(0, i)) - 1]);
  Matrix p(n, n);
  for (int64_t i = 0; i < n; ++i) p(order[static_cast<size_t>(i)], i) = 1;
  return p;
}

TAPER_OP_CASES(unpacked_lu, {
  OpCase c;
  c.name = "lu_unpack";
  c.samples = [](ScalarType t) {
    const auto swaps = [](Sizes sizes, std::vector<double> v) {
      return tensor_of(std::move(sizes), std::move(v), kInt);
    };
    return std::vector<Args>{{{numbers({3, 3}, t), swaps({3}, {3, 3, 3})}},
                             {{numbers({4, 2}, t), swaps({2}, {2, 4})}},
                             {{numbers({2, 2, 3}, t), swaps({2, 2}, {2, 2, 1, 2})}}};
  };
  c.call = [](const Args& a) {
    const auto [p, l, u] = lu_unpack(a.t[0], a.t[1]);
    return Results{p, l, u};
  };
  c.reference = [](const ArrayArgs& a) {
    const ArrayArgs rows = with_rows(a);
    const auto part = [&](bool lower) {
      return for_matrices(rows, [lower](const auto& x) {
        const int64_t k = std::min(x[0].m, x[0].n);
        Matrix y(lower ? x[0].m : k, lower ? k : x[0].n);
        for (int64_t i = 0; i < y.m; ++i)
          for (int64_t j = 0; j < y.n; ++j)
            if (lower ? i > j : i <= j) y(i, j) = x[0](i, j);
        for (int64_t i = 0; lower && i < k; ++i) y(i, i) = 1;
        return y;
      });
    };
    return Arrays{for_matrices(rows, [](const auto& x) { return permutation_of(x[1], x[0].m); }),
                  part(true), part(false)};
  };
  c.errors = {error<Error>(
                  "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 "
                  "dtype.",
                  [] {
                    lu_unpack(numbers({2, 2}), values({1, 2}, kLong));
                  }),
              error<Error>("torch.lu_unpack: expected 2 pivots for each matrix, got [3]",
                           [] {
                             lu_unpack(numbers({2, 2}), values({1, 2, 2}, kInt));
                           }),
              error<Error>("lu_unpack", [] { lu_unpack(numbers({2}), values({1}, kInt)); })};
  return std::vector<OpCase>{c};
});

// P, L, U of matrices whose rows are swapped: the largest elements stand on the other diagonal.
TAPER_OP_CASES(lu_in_parts, {
  const auto flipped = [](const Matrix& x) {
    Matrix y(x.m, x.n);
    for (int64_t i = 0; i < x.m; ++i)
      for (int64_t j = 0; j < x.n; ++j) y(i, j) = x(x.m - 1 - i, j);
    return y;
  };
  OpCase c = matrix_case(
      "linalg_lu", {{{3, 3}}, {{2, 4, 4}}, {{1, 1}}},
      [](const Args& a) {
        const auto [p, l, u] = linalg::lu(a.t[0].flip({-2}));
        return Results{matmul(matmul(p, l), u), l.triu(1), u.tril(-1),
                       l.diagonal(0, -2, -1),   p.sum(-1), u};
      },
      [flipped](const ArrayArgs& a) {
        const auto of = [&](const auto& f) { return for_matrices(a, f); };
        const auto zeros = [](const auto& x) { return Matrix(x[0].n, x[0].n); };
        Sizes rows = a.t[0].sizes;
        rows.pop_back();
        return Arrays{of([&](const auto& x) { return flipped(x[0]); }),
                      of(zeros),
                      of(zeros),
                      Array(rows, 1),
                      Array(rows, 1),
                      of([](const auto& x) {
                        Matrix u = x[0];  // the swaps undo the flip, as the diagonal is the largest
                        for (int64_t k = 0; k < u.n; ++k)
                          for (int64_t i = k + 1; i < u.m; ++i) {
                            const double factor = u(i, k) / u(k, k);
                            for (int64_t j = 0; j < u.n; ++j) u(i, j) -= factor * u(k, j);
                            u(i, k) = 0;
                          }
                        return u;
                      })};
      });
  c.errors = {error<Error>("LU without pivoting is not implemented on the CPU", [] {
    linalg::lu(numbers({2, 2}), false);
  })};
  return std::vector<OpCase>{c};
});

// Of A + A^T, whose large diagonal has both signs.
TAPER_OP_CASES(equations_by_ldl, {
  OpCase c = matrix_case(
      "linalg_ldl_solve", {{{3, 3}, {3, 2}}, {{2, 4, 4}, {2, 4, 1}}, {{1, 1}, {1, 1}}},
      [](const Args& a) {
        const auto [ld, pivots, info] = linalg::ldl_factor_ex(a.t[0] + a.t[0].mT());
        return Results{linalg::ldl_solve(ld, pivots, a.t[1]), info};
      },
      [](const ArrayArgs& a) {
        return Arrays{for_matrices(a, [](const auto& x) { return solved(symmetric(x[0]), x[1]); }),
                      zero_for_each_matrix(a)};
      });
  c.covers = {"linalg_ldl_factor", "linalg_ldl_factor_ex"};
  c.differentiable = false;
  c.refuses_gradient = true;
  const auto pivots = [](std::vector<double> v, ScalarType t = kInt) {
    return values(std::move(v), t);
  };
  c.errors = {
      error<Error>("torch.linalg.ldl_solve: Expected pivots to be integers. Got Float",
                   [=] {
                     linalg::ldl_solve(numbers({2, 2}), pivots({1, 2}, kFloat), numbers({2, 1}));
                   }),
      error<Error>("Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with "
                   "shape [1]",
                   [=] {
                     linalg::ldl_solve(numbers({2, 2}), pivots({1}), numbers({2, 1}));
                   }),
      error<Error>("each A matrix is 2 by 2 but each b matrix is 3 by 1",
                   [=] {
                     linalg::ldl_solve(numbers({2, 2}), pivots({1, 2}), numbers({3, 1}));
                   }),
      error<LinAlgError>("torch.linalg.ldl_factor_ex: D[1,1] is zero", [] {
        linalg::ldl_factor(to_tensor(Array({1, 1}), kFloat));
      })};
  return std::vector<OpCase>{c};
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
}  // namespace torch::taper::testing
