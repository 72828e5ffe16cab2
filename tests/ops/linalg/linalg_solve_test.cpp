#include <taper/ops/linalg/linalg_solve.h>

#include <gtest/gtest.h>

#include <cmath>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/node.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/linalg/linalg_factor.h>
#include <taper/ops/linalg/linalg_matrix.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/reduce/reduce_minmax.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/triangle.h>
#include <taper/ops/tensor/view.h>

#include "ops/linalg/matrix_cases.h"

namespace torch::taper::testing {
namespace {

const std::vector<std::vector<Sizes>> kSquare = {{{3, 3}}, {{2, 4, 4}}, {{1, 1}}};

const Tensor& singular() {
  static const Tensor x = stack({eye(2), zeros({2, 2})});
  return x;
}

// ---------------------------------------------------------------------- cases
TAPER_OP_CASES(equation_cases, {
  OpCase inverse = matrix_case(
      "linalg_inv", {{{3, 3}}, {{2, 4, 4}}, {{1, 1}}, {{2, 2, 2, 2}}},
      [](const Args& a) { return linalg::inv(a.t[0]); },
      [](const ArrayArgs& a) {
        return for_matrices(a, [](const auto& x) { return solved(x[0], identity(x[0].n)); });
      });
  inverse.errors = {
      error<LinAlgError>("linalg.inv: (Batch element 1): The diagonal element 1 is zero, the "
                         "inversion could not be completed because the input matrix is singular.",
                         [] { linalg::inv(singular()); }),
      error<LinAlgError>("linalg.inv: The diagonal element 1 is zero, the inversion could not be "
                         "completed because the input matrix is singular.",
                         [] {
                           linalg::inv(zeros({2, 2}));
                         }),
      error<Error>("linalg.inv: A must be batches of square matrices, but they are 2 by 3 matrices",
                   [] {
                     linalg::inv(numbers({2, 3}));
                   }),
      error<Error>("linalg.inv: The input tensor A must have at least 2 dimensions.",
                   [] { linalg::inv(numbers({2})); }),
      error<Error>("linalg.inv: Expected a floating point or complex tensor as input. Got Long",
                   [] {
                     linalg::inv(counting({2, 2}, kLong));
                   }),
      error<Error>("linalg.inv: Low precision dtypes not supported. Got Half", [] {
        linalg::inv(numbers({2, 2}, kHalf));
      })};
  OpCase det = matrix_case(
      "linalg_det", {{{3, 3}}, {{2, 4, 4}}, {{1, 1}}},
      [](const Args& a) { return linalg::det(a.t[0]); },
      [](const ArrayArgs& a) {
        Array y = for_matrices(a, [](const auto& x) {
          Matrix d(1, 1);
          solved(x[0], Matrix(x[0].n, 0), &d.v[0]);
          return d;
        });
        y.sizes.resize(y.sizes.size() - 2);
        return y;
      });
  OpCase solve = matrix_case(
      "linalg_solve", {{{3, 3}, {3, 2}}, {{2, 4, 4}, {2, 4, 1}}},
      [](const Args& a) { return linalg::solve(a.t[0], a.t[1]); },
      [](const ArrayArgs& a) {
        return for_matrices(a, [](const auto& x) { return solved(x[0], x[1]); });
      });
  solve.errors = {
      error<LinAlgError>("torch.linalg.solve: (Batch element 1): The solver failed because the "
                         "input matrix is singular.",
                         [] {
                           linalg::solve(singular(), numbers({2, 2, 2}));
                         }),
      error<Error>("linalg.solve: Incompatible shapes of A and B for the equation AX = B (2x2 and "
                   "3x2)",
                   [] {
                     linalg::solve(numbers({2, 2}), numbers({3, 2}));
                   }),
      error<Error>("linalg.solve: Expected A and B to have the same dtype, but found A of type "
                   "Float and B of type Double instead",
                   [] {
                     linalg::solve(numbers({2, 2}), numbers({2, 2}, kDouble));
                   })};
  std::vector<OpCase> list = {inverse, det, solve};
  for (const bool upper : {false, true})
    list.push_back(matrix_case(
        upper ? "linalg_solve_triangular_upper" : "linalg_solve_triangular_lower",
        {{{3, 3}, {3, 2}}, {{2, 4, 4}, {2, 4, 5}}},
        [upper](const Args& a) { return linalg::solve_triangular(a.t[0], a.t[1], upper); },
        [upper](const ArrayArgs& a) {
          return for_matrices(a, [upper](const auto& x) {
            Matrix t = x[0];
            for (int64_t i = 0; i < t.n; ++i)
              for (int64_t j = 0; j < t.n; ++j)
                if (upper ? j < i : j > i) t(i, j) = 0;
            return solved(t, x[1]);
          });
        }));
  return list;
});

TAPER_OP_CASES(determinants, {
  OpCase slogdet = matrix_case(
      "linalg_slogdet", kSquare,
      [](const Args& a) {
        const auto [sign, logarithm] = linalg::slogdet(a.t[0]);
        return Results{sign, logarithm};
      },
      [](const ArrayArgs& a) {
        return Arrays{
            number_of_matrices(a, [](const Matrix& x) { return determinant(x) < 0 ? -1.0 : 1.0; }),
            number_of_matrices(a,
                               [](const Matrix& x) { return std::log(std::abs(determinant(x))); })};
      });
  slogdet.errors = {error<Error>("must be batches of square matrices", [] {
    linalg::slogdet(numbers({2, 3}));
  })};
  // Of A A^T, whose determinant is positive.
  OpCase logdet = matrix_case(
      "logdet", kSquare, [](const Args& a) { return taper::logdet(matmul(a.t[0], a.t[0].mT())); },
      [](const ArrayArgs& a) {
        return number_of_matrices(
            a, [](const Matrix& x) { return 2 * std::log(std::abs(determinant(x))); });
      });
  return std::vector<OpCase>{slogdet, logdet};
});

// ---------------------------------------------------------------------- further forms
// Up to 8 rows by own loops, above by LAPACK; the rows of half the matrices have to be swapped.
TAPER_OP_CASES(reporting_forms, {
  OpCase inverse = matrix_case(
      "linalg_inv_ex", {{{3, 3}}, {{2, 4, 4}}},
      [](const Args& a) {
        const auto [x, info] = linalg::inv_ex(a.t[0]);
        return Results{x, info};
      },
      [](const ArrayArgs& a) {
        return Arrays{for_matrices(a, [](const auto& x) { return solved(x[0], identity(x[0].n)); }),
                      zero_for_each_matrix(a)};
      });
  inverse.errors = {error<LinAlgError>("The diagonal element 1 is zero", [] {
    linalg::inv_ex(to_tensor(Array({2, 2}), kFloat), true);
  })};
  OpCase solution = matrix_case(
      "linalg_solve_ex", {{{3, 3}, {3, 2}}, {{2, 4, 4}, {2, 4, 1}}},
      [](const Args& a) {
        const auto [x, info] = linalg::solve_ex(a.t[0], a.t[1]);
        return Results{x, info};
      },
      [](const ArrayArgs& a) {
        return Arrays{for_matrices(a, [](const auto& x) { return solved(x[0], x[1]); }),
                      zero_for_each_matrix(a)};
      });
  solution.errors = {error<LinAlgError>("torch.linalg.solve_ex", [] {
    linalg::solve_ex(to_tensor(Array({2, 2}), kFloat), numbers({2, 1}), true, true);
  })};
  return std::vector<OpCase>{inverse, solution};
});

TAPER_OP_CASES(triangular_case, {
  OpCase triangular = matrix_case(
      "triangular_solve", {{{3, 3}, {3, 2}}, {{2, 4, 4}, {2, 4, 1}}},
      [](const Args& a) { return std::get<0>(triangular_solve(a.t[1], a.t[0])); },
      [](const ArrayArgs& a) {
        return for_matrices(a, [](const auto& x) {
          Matrix t = x[0];
          for (int64_t i = 0; i < t.n; ++i)
            for (int64_t j = 0; j < i; ++j) t(i, j) = 0;
          return solved(t, x[1]);
        });
      });
  return std::vector<OpCase>{triangular};
});

TEST(Linalg, SmallMatricesOfEverySize) {
  for (ScalarType dtype : {kFloat, kDouble})
    for (int64_t n = 1; n <= 10; ++n) {
      const double tolerance = dtype == kFloat ? 1e-4 : 1e-11;
      const Tensor large = eye(n, dtype) * 4 + numbers({n, n}, dtype) / 4;
      const Tensor A = stack({large, large.roll(1, 0), large.roll(1, 1)}),
                   B = numbers({n, 2}, dtype);
      const Tensor unit = eye(n, dtype).expand({3, n, n});
      EXPECT_TRUE(matmul(linalg::inv(A), A).allclose(unit, tolerance, tolerance)) << n;
      EXPECT_TRUE(
          matmul(A, linalg::solve(A, B)).allclose(B.expand({3, n, 2}), tolerance, tolerance))
          << n;
      const auto [P, L, U] = linalg::lu(A);
      EXPECT_TRUE(matmul(P, matmul(L, U)).allclose(A, tolerance, tolerance)) << n;
      EXPECT_LE(L.abs().max().item<double>(), 1.0) << n;
      const Tensor d = linalg::det(A),
                   sign = tensor_of({3}, {1, n % 2 ? 1.f : -1.f, n % 2 ? 1.f : -1.f});
      EXPECT_TRUE(d.allclose(d[0] * sign.to(dtype), tolerance, tolerance)) << n;
      const Tensor S = matmul(A, A.mT()), C = linalg::cholesky(S);
      EXPECT_TRUE(matmul(C, C.mT()).allclose(S, tolerance, tolerance)) << n;
      EXPECT_TRUE(C.equal(C.tril())) << n;
      EXPECT_EQ(std::get<1>(linalg::cholesky_ex(-S))[0].item<int>(), 1) << n;
      EXPECT_EQ(std::get<1>(linalg::inv_ex(zeros({n, n}, dtype))).item<int>(), 1) << n;
    }
}

TEST(Linalg, VectorsBatchesAndTheRightSide) {
  const Tensor A = dominant({{2, 3, 3}}, kDouble).t[0], v = numbers({3}, kDouble);
  const Tensor x = linalg::solve(A[0], v);
  EXPECT_TRUE(matmul(A[0], x).allclose(v));
  EXPECT_TRUE(matmul(A, linalg::solve(A, numbers({3, 2}, kDouble)))
                  .allclose(numbers({3, 2}, kDouble).expand({2, 3, 2})));
  const Tensor B = numbers({2, 5, 3}, kDouble);
  EXPECT_TRUE(matmul(linalg::solve(A, B, false), A).allclose(B));
  EXPECT_TRUE(linalg::inv(A.transpose(1, 2)).allclose(linalg::inv(A).mT()));
}

TEST(Linalg, Determinants) {
  const Tensor swap = tensor_of({2, 2}, {0, 2, 3, 0});
  EXPECT_FLOAT_EQ(det(swap).item<float>(), -6);
  const auto [sign, logarithm] = slogdet(swap);
  EXPECT_EQ(sign.item<float>(), -1);
  EXPECT_FLOAT_EQ(logarithm.item<float>(), std::log(6.0f));
  EXPECT_TRUE(std::isnan(logdet(swap).item<float>()));
  EXPECT_EQ(logdet(zeros({2, 2})).item<float>(), -INFINITY);
  const Tensor z = tensor_of({2, 2}, {1, 2, 2, 4}).requires_grad_();
  det(z).backward();
  EXPECT_TRUE(z.grad().allclose(tensor_of({2, 2}, {4, -2, -2, 1}), 1e-4, 1e-4));
}

TEST(Linalg, EmptyMatrices) {
  EXPECT_EQ(linalg::inv(zeros({0, 2, 2})).sizes().vec(), (Sizes{0, 2, 2}));
  EXPECT_EQ(linalg::det(zeros({0, 0})).item<float>(), 1);
  EXPECT_EQ(linalg::svdvals(zeros({3, 0})).numel(), 0);
  EXPECT_TRUE(std::get<0>(linalg::qr(zeros({2, 0}), "complete")).equal(eye(2)));
}

// From some size on the gradient uses the factors of the forward pass.
TEST(Linalg, GradientsOfLargeEquations) {
  const int64_t n = 50;
  const Tensor a = (numbers({2, n, n}, kDouble) + 20 * eye(n, kDouble)).set_requires_grad(true);
  const Tensor b = numbers({2, n, 3}, kDouble).set_requires_grad(true);
  const Tensor x = linalg::solve(a, b), g = numbers({2, n, 3}, kDouble);
  EXPECT_TRUE(matmul(a, x).allclose(b, 1e-10, 1e-10));
  EXPECT_EQ(x.grad_fn()->name(), "LinalgSolveExBackward0");
  const auto once = autograd::grad({x}, {a, b}, {g}, true);
  const auto again = autograd::grad({x}, {a, b}, {g}, true, true);
  const Tensor gb = matmul(linalg::inv(a.detach()).mT(), g);
  EXPECT_TRUE(once[1].allclose(gb, 1e-9, 1e-11));
  EXPECT_TRUE(once[0].allclose(-matmul(gb, x.detach().mT()), 1e-9, 1e-11));
  EXPECT_TRUE(again[0].allclose(once[0], 1e-9, 1e-11) && again[1].allclose(once[1], 1e-9, 1e-11));
  EXPECT_TRUE(autograd::grad({again[0].sum()}, {b})[0].defined());
  const Tensor left = linalg::solve(a, b.mT(), false);
  EXPECT_TRUE(matmul(left, a).allclose(b.mT(), 1e-10, 1e-10));
  EXPECT_THROW(linalg::solve(zeros({n, n}).set_requires_grad(true), ones({n})), LinAlgError);
}

// Of several right sides by products of blocks; of few, and beyond some hundred rows, by LAPACK.
TEST(Linalg, SolvesAnyNumberOfRightSides) {
  for (const ScalarType t : {kFloat, kDouble})
    for (const int64_t n : {9, 16, 23, 64, 129})
      for (const int64_t count : {1, 7, 8, 33, 150}) {
        const auto close = [&](const Tensor& product, const Tensor& b, double scale) {
          const double error = (product - b).abs().max().item<double>();
          EXPECT_LT(error, (t == kFloat ? 2e-6 : 4e-15) * static_cast<double>(n) * scale)
              << toString(t) << ' ' << n << " for " << count;
        };
        const Tensor b = randn({n, count}, t), a = randn({n, n}, t) + 2 * eye(n, t).flip(0);
        const Tensor x = linalg::solve(a, b), left = linalg::solve(a, b.mT(), false);
        close(matmul(a, x), b, x.abs().max().item<double>());
        close(matmul(left, a), b.mT(), left.abs().max().item<double>());
        for (const bool upper : {false, true})
          for (const bool unit : {false, true}) {
            const Tensor full = randn({n, n}, t) * 0.1 + 2 * eye(n, t);
            Tensor triangle = upper ? full.triu() : full.tril();
            if (unit) triangle = triangle - triangle.diagonal().diag() + eye(n, t);
            const Tensor y = linalg::solve_triangular(full, b, upper, true, unit);
            close(matmul(triangle, y), b, y.abs().max().item<double>());
          }
        EXPECT_THROW(linalg::solve(ones({n, n}, t), b), LinAlgError);
      }
}

TEST(Linalg, RightSidesDoNotDependOnThreads) {
  const Tensor a = randn({100, 100}, kDouble), b = randn({100, 300}, kDouble);
  const int before = get_num_threads();
  set_num_threads(1);
  const Tensor x = linalg::solve(a, b), y = linalg::solve_triangular(a, b, true);
  for (const int threads : {2, 3}) {
    set_num_threads(threads);
    EXPECT_TRUE(linalg::solve(a, b).equal(x));
    EXPECT_TRUE(linalg::solve_triangular(a, b, true).equal(y));
  }
  set_num_threads(before);
}

// As in LibTorch, though the sign says that it wants one.
TEST(Linalg, NoGradientComesFromTheSignOfADeterminant) {
  const Tensor a = eye(2, kDouble).requires_grad_();
  const Tensor sign = std::get<0>(linalg::slogdet(a));
  EXPECT_FALSE(autograd::grad({sign}, {a}, {}, false, false, true)[0].defined());
}

TEST(Linalg, ConstantResultsHaveAGradientOfZeros) {
  const Tensor a = eye(2, kDouble).requires_grad_();
  const Tensor sign = std::get<0>(linalg::slogdet(a)), identity = linalg::matrix_power(a, 0);
  EXPECT_TRUE(sign.requires_grad() && identity.requires_grad());
  (sign + identity.sum()).backward();
  EXPECT_TRUE(a.grad().equal(zeros({2, 2}, kDouble)));
}

}  // namespace
}  // namespace torch::taper::testing
