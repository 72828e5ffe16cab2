#include <taper/ops/linalg/linalg_solve.h>

#include <gtest/gtest.h>

#include <cmath>

#include <taper/framework/autograd/autograd.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/linalg_exp.h>
#include <taper/ops/linalg/linalg_factor.h>
#include <taper/ops/linalg/linalg_matrix.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/triangle.h>
#include <taper/ops/tensor/view.h>

#include "ops/linalg/matrix_case.h"

namespace taper::testing {
namespace {

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

TAPER_OP_CASES(factor_cases, {
  const std::vector<std::vector<Sizes>> square = {{{3, 3}}, {{2, 4, 4}}, {{1, 1}}};
  const std::vector<std::vector<Sizes>> any = {{{3, 3}}, {{2, 4, 2}}, {{2, 3}}};
  OpCase cholesky = matrix_case(
      "linalg_cholesky", square,
      [](const Args& a) { return linalg::cholesky(matmul(a.t[0], a.t[0].mT())); },
      [](const ArrayArgs& a) {
        return for_matrices(a, [](const auto& x) {
          const Matrix s = times(x[0], transposed(x[0]));
          Matrix l(s.n, s.n);
          for (int64_t i = 0; i < s.n; ++i)
            for (int64_t j = 0; j <= i; ++j) {
              double v = s(i, j);
              for (int64_t k = 0; k < j; ++k) v -= l(i, k) * l(j, k);
              l(i, j) = i == j ? std::sqrt(v) : v / l(j, j);
            }
          return l;
        });
      });
  cholesky.out = [](Tensor& out, const Args& a) {
    return linalg::cholesky_out(out, matmul(a.t[0], a.t[0].mT()));
  };
  cholesky.errors = {error<LinAlgError>(
      "linalg.cholesky: (Batch element 1): The factorization could not be completed because the "
      "input is not positive-definite (the leading minor of order 1 is not positive-definite).",
      [] { linalg::cholesky(singular()); })};

  // The signs of the factors are free: squares have none. Q of Gram and Schmidt.
  OpCase qr = matrix_case(
      "linalg_qr", {{{3, 3}}, {{2, 4, 2}}},
      [](const Args& a) {
        const auto [q, r] = linalg::qr(a.t[0]);
        return Results{q * q, r * r, matmul(q, r)};
      },
      [](const ArrayArgs& a) {
        const auto gram_schmidt = [](const Matrix& x, Matrix& r) {
          Matrix q = x;
          for (int64_t j = 0; j < x.n; ++j) {
            for (int64_t k = 0; k <= j; ++k) {
              for (int64_t i = 0; i < x.m; ++i) r(k, j) += q(i, k) * q(i, j);
              if (k == j) r(k, j) = std::sqrt(r(k, j));
              for (int64_t i = 0; i < x.m; ++i)
                q(i, j) = k == j ? q(i, j) / r(k, j) : q(i, j) - r(k, j) * q(i, k);
            }
          }
          return q;
        };
        const auto squared = [](Matrix x) {
          for (double& v : x.v) v *= v;
          return x;
        };
        return Arrays{for_matrices(a,
                                   [&](const auto& x) {
                                     Matrix r(x[0].n, x[0].n);
                                     return squared(gram_schmidt(x[0], r));
                                   }),
                      for_matrices(a,
                                   [&](const auto& x) {
                                     Matrix r(x[0].n, x[0].n);
                                     gram_schmidt(x[0], r);
                                     return squared(r);
                                   }),
                      a.t[0]};
      });
  qr.errors = {error<Error>("qr received unrecognized mode 'x'", [] {
    linalg::qr(numbers({3, 2}), "x");
  })};

  // What all three factors must give, whatever their signs: A A^T A and A A^T.
  OpCase svd = matrix_case(
      "linalg_svd", any,
      [](const Args& a) {
        const auto [u, s, vh] = linalg::svd(a.t[0], false);
        return Results{matmul(u * s.pow(3).unsqueeze(-2), vh),
                       matmul(u * s.pow(2).unsqueeze(-2), u.mT())};
      },
      [](const ArrayArgs& a) {
        return Arrays{
            for_matrices(a,
                         [](const auto& x) { return times(times(x[0], transposed(x[0])), x[0]); }),
            for_matrices(a, [](const auto& x) { return times(x[0], transposed(x[0])); })};
      });
  svd.errors = {
      error<LinAlgError>("linalg.svd: The algorithm failed to converge because the input "
                         "matrix contained non-finite values.",
                         [] {
                           linalg::svd(full({2, 2}, std::nan("")));
                         })};
  OpCase eigh = matrix_case(
      "linalg_eigh", square,
      [](const Args& a) {
        const auto [l, v] = linalg::eigh(a.t[0] + a.t[0].mT());
        return Results{matmul(v * l.pow(3).unsqueeze(-2), v.mT()), l.sum({-1}, true).unsqueeze(-1)};
      },
      [](const ArrayArgs& a) {
        const auto symmetric = [](const Matrix& x) {
          Matrix y = transposed(x);
          for (size_t i = 0; i < y.v.size(); ++i) y.v[i] += x.v[i];
          return y;
        };
        return Arrays{for_matrices(a,
                                   [&](const auto& x) {
                                     const Matrix s = symmetric(x[0]);
                                     return times(times(s, s), s);
                                   }),
                      for_matrices(a, [&](const auto& x) {
                        Matrix t(1, 1);
                        for (int64_t i = 0; i < x[0].n; ++i) t.v[0] += 2 * x[0](i, i);
                        return t;
                      })};
      });
  OpCase lu = matrix_case(
      "linalg_lu_factor", square,
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
  return std::vector<OpCase>{cholesky, qr, svd, eigh, lu};
});

TAPER_OP_CASES(function_cases, {
  OpCase pinv = matrix_case(
      "linalg_pinv", {{{3, 3}}, {{2, 4, 2}}}, [](const Args& a) { return linalg::pinv(a.t[0]); },
      [](const ArrayArgs& a) {
        return for_matrices(a, [](const auto& x) {
          const Matrix t = transposed(x[0]);
          return solved(times(t, x[0]), t);
        });
      });
  OpCase exponential = matrix_case(
      "linalg_matrix_exp", {{{3, 3}}, {{2, 2, 2}}, {{1, 1}}, {{0, 0}}},
      [](const Args& a) { return linalg::matrix_exp(a.t[0]); },
      [](const ArrayArgs& a) {
        return a.t[0].numel() == 0 ? a.t[0] : for_matrices(a, [](const auto& x) {
          Matrix sum = identity(x[0].n), term = sum;
          for (int k = 1; k < 80; ++k) {
            term = times(term, x[0]);
            for (double& v : term.v) v /= k;
            for (size_t i = 0; i < sum.v.size(); ++i) sum.v[i] += term.v[i];
          }
          return sum;
        });
      });
  OpCase power = matrix_case(
      "linalg_matrix_power", {{{3, 3}}, {{2, 2, 2}}},
      [](const Args& a) { return linalg::matrix_power(a.t[0], 5); },
      [](const ArrayArgs& a) {
        return for_matrices(a, [](const auto& x) {
          const Matrix square = times(x[0], x[0]);
          return times(times(square, square), x[0]);
        });
      });
  return std::vector<OpCase>{pinv, exponential, power};
});

// ---------------------------------------------------------------------- further forms
// Up to 8 rows by own loops, above by LAPACK; the rows of half the matrices have to be swapped.
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

// exp(A) = V exp(w) V^T, at norms on both sides of each choice of polynomial.
TEST(Linalg, MatrixExpOfSmallAndLargeNorms) {
  for (ScalarType dtype : {kFloat, kDouble})
    for (double norm : {1e-9, 0.03, 0.3, 0.9, 2.5, 7.0, 40.0}) {
      const Tensor x = numbers({2, 5, 5}, kDouble), A = x + x.mT();
      const Tensor scaled = A * (norm / A.abs().sum({-1}).max().item<double>());
      const auto [w, V] = linalg::eigh(scaled);
      const Tensor want = matmul(V * w.exp().unsqueeze(-2), V.mT());
      const Tensor y = linalg::matrix_exp(scaled.to(dtype)).to(kDouble);
      const double relative = dtype == kFloat ? 4e-5 : 1e-12;
      EXPECT_LT((y - want).abs().max().item<double>(), relative * want.abs().max().item<double>())
          << dtype << norm;
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

TEST(Linalg, WideAndFullFactors) {
  const Tensor A = numbers({2, 4, 3}, kDouble);
  const auto [q, r] = linalg::qr(A, "complete");
  EXPECT_EQ(q.sizes().vec(), (Sizes{2, 4, 4}));
  EXPECT_TRUE(matmul(q, r).allclose(A));
  EXPECT_TRUE(matmul(q.mT(), q).allclose(eye(4, kDouble).expand({2, 4, 4})));
  const auto [qw, rw] = linalg::qr(A.mT());
  EXPECT_TRUE(matmul(qw, rw).allclose(A.mT()));
  EXPECT_TRUE(std::get<1>(linalg::qr(A, "r")).abs().allclose(r.narrow(1, 0, 3).abs()));
  const auto [u, s, vh] = linalg::svd(A);
  EXPECT_EQ(u.sizes().vec(), (Sizes{2, 4, 4}));
  EXPECT_TRUE(matmul(u.narrow(2, 0, 3) * s.unsqueeze(-2), vh).allclose(A));
  EXPECT_TRUE(linalg::svdvals(A).allclose(s));
  const auto [p, l, upper] = linalg::lu(A);
  EXPECT_TRUE(matmul(p, matmul(l, upper)).allclose(A));
  EXPECT_TRUE(linalg::eigvalsh(matmul(A.mT(), A)).allclose(s.square().flip({-1})));
}

TEST(Linalg, GradientsOfWideFactors) {
  const Tensor A = numbers({2, 4}, kDouble).requires_grad_();
  const auto [q, r] = linalg::qr(A);
  // Q R is A, so that its gradient is the cotangent.
  const Tensor g = numbers({2, 4}, kDouble);
  EXPECT_TRUE(autograd::grad({matmul(q, r)}, {A}, {g})[0].allclose(g));
}

TEST(Linalg, OlderNames) {
  const Tensor A = dominant({{3, 3}}, kDouble).t[0], S = matmul(A, A.mT());
  const Tensor U = cholesky(S, true), b = numbers({3, 2}, kDouble);
  EXPECT_TRUE(matmul(U.mT(), U).allclose(S));
  EXPECT_TRUE(matmul(S, cholesky_solve(b, U, true)).allclose(b));
  EXPECT_TRUE(cholesky_inverse(cholesky(S)).allclose(inverse(S)));
  EXPECT_TRUE(matmul(triu(A), std::get<0>(triangular_solve(b, A))).allclose(b));
  EXPECT_TRUE(matmul(triu(A).mT(), std::get<0>(triangular_solve(b, A, true, true))).allclose(b));
  const auto [u, s, v] = svd(A);
  EXPECT_TRUE(matmul(u * s, v.t()).allclose(A));
  EXPECT_TRUE(pinverse(A).allclose(inverse(A)));
}

TEST(Linalg, LeastSquaresAndRank) {
  const Tensor A = tensor_of({3, 2}, {1, 0, 1, 1, 1, 2}, kDouble), b = values({1, 3, 5}, kDouble);
  const auto [x, residuals, rank, rest] = linalg::lstsq(A, b, nullopt, "gelsd");
  EXPECT_TRUE(x.allclose(values({1, 2}, kDouble)));
  EXPECT_EQ(residuals.numel(), 1);
  EXPECT_EQ(rank.item<int64_t>(), 2);
  EXPECT_EQ(linalg::matrix_rank(tensor_of({2, 2}, {1, 2, 2, 4})).item<int64_t>(), 1);
  EXPECT_EQ(linalg::matrix_rank(eye(3), 2.0).item<int64_t>(), 0);
}

TEST(Linalg, PowersOfIntegers) {
  for (const ScalarType t : {kByte, kInt, kLong}) {
    const Tensor A = values({2, 0, 3, 1}, t).reshape({2, 2});
    const Tensor y = linalg::matrix_power(A, 3);
    EXPECT_EQ(y.scalar_type(), t);
    expect_values(y, {2, 2}, {8, 0, 21, 1});
    expect_values(linalg::matrix_power(A, 0), {2, 2}, {1, 0, 0, 1});
    EXPECT_THROW(linalg::matrix_power(A, -1), Error);
    EXPECT_THROW(linalg::matrix_power(A.narrow(0, 0, 1), 2), Error);
  }
}

TEST(Linalg, Norms) {
  const Tensor A = tensor_of({2, 2}, {1, -2, 3, 4});
  EXPECT_FLOAT_EQ(linalg::norm(A).item<float>(), std::sqrt(30.0f));
  EXPECT_FLOAT_EQ(linalg::matrix_norm(A).item<float>(), std::sqrt(30.0f));
  EXPECT_FLOAT_EQ(linalg::norm(A, 1).item<float>(), 6);
  EXPECT_FLOAT_EQ(linalg::norm(A, INFINITY).item<float>(), 7);
  EXPECT_FLOAT_EQ(linalg::norm(A, -1).item<float>(), 4);
  // (s1 + s2)^2 = |A|^2 + 2 |det A|, s1 s2 = |det A|.
  EXPECT_NEAR(linalg::norm(A, "nuc").item<float>(), std::sqrt(50.0f), 1e-5);
  const float largest = linalg::norm(A, 2).item<float>();
  EXPECT_NEAR(largest * linalg::norm(A, -2).item<float>(), 10, 1e-4);
  EXPECT_EQ(linalg::matrix_norm(numbers({2, 3, 4}), 2, {0, 2}, true).sizes().vec(),
            (Sizes{1, 3, 1}));
  expect_error("linalg.matrix_norm: Order 3 not supported.", [&] { linalg::norm(A, 3); });
  expect_error("linalg.matrix_norm: Order x not supported.", [&] { linalg::norm(A, "x"); });
  expect_error(
      "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got "
      "3D.",
      [&] {
        linalg::norm(numbers({2, 2, 2}), "fro");
      });
}

TEST(Linalg, MultiDot) {
  const Tensor a = numbers({2, 3}, kDouble), b = numbers({3, 4}, kDouble),
               v = numbers({4}, kDouble);
  EXPECT_TRUE(linalg::multi_dot({a, b, v}).allclose(matmul(matmul(a, b), v)));
  expect_error("multi_dot(): expected at least 2 tensors but got 1",
               [&] { linalg::multi_dot({a}); });
  expect_error("multi_dot(): tensors 0 and 1 with shapes [2, 3] and [4] cannot be multiplied", [&] {
    linalg::multi_dot({a, v});
  });
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

TEST(Linalg, ConstantResultsHaveAGradientOfZeros) {
  const Tensor a = eye(2, kDouble).requires_grad_();
  const Tensor sign = std::get<0>(linalg::slogdet(a)), identity = linalg::matrix_power(a, 0);
  EXPECT_TRUE(sign.requires_grad() && identity.requires_grad());
  (sign + identity.sum()).backward();
  EXPECT_TRUE(a.grad().equal(zeros({2, 2}, kDouble)));
}

}  // namespace
}  // namespace taper::testing
