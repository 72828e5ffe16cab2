// Factors and values of matrices.
#include <taper/ops/linalg/linalg_factor.h>

#include <cmath>

#include <taper/framework/autograd/autograd.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/linalg/linalg_lu.h>
#include <taper/ops/linalg/linalg_matrix.h>
#include <taper/ops/linalg/linalg_solve.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/triangle.h>
#include <taper/ops/tensor/view.h>

#include "ops/linalg/matrix_cases.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

const std::vector<std::vector<Sizes>> kSquare = {{{3, 3}}, {{2, 4, 4}}, {{1, 1}}};

const Tensor& singular() {
  static const Tensor x = stack({eye(2), zeros({2, 2})});
  return x;
}

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
  return std::vector<OpCase>{cholesky, qr, svd, eigh};
});

// Sums of powers of the values are traces of powers of the matrix: enough to tell them.
TAPER_OP_CASES(values_of_matrices, {
  OpCase symmetric = matrix_case(
      "linalg_eigvalsh", kSquare,
      [](const Args& a) {
        const Tensor l = linalg::eigvalsh(a.t[0] + a.t[0].mT());
        return Results{l.sum(-1), l.pow(2).sum(-1), l.pow(3).sum(-1)};
      },
      [](const ArrayArgs& a) {
        const auto power = [&](int n) {
          return number_of_matrices(a, [n](const Matrix& x) {
            Matrix s = transposed(x), p = identity(x.n);
            for (size_t i = 0; i < s.v.size(); ++i) s.v[i] += x.v[i];
            for (int i = 0; i < n; ++i) p = times(p, s);
            return trace_of(p);
          });
        };
        return Arrays{power(1), power(2), power(3)};
      });
  symmetric.errors = {error<Error>("Expected UPLO argument to be 'L' or 'U', but got X", [] {
    linalg::eigvalsh(numbers({2, 2}), "X");
  })};
  OpCase singular = matrix_case(
      "linalg_svdvals", {{{3, 3}}, {{2, 4, 2}}, {{2, 3}}},
      [](const Args& a) {
        const Tensor s = linalg::svdvals(a.t[0]);
        return Results{s.pow(2).sum(-1), s.pow(4).sum(-1), s.prod(-1)};
      },
      [](const ArrayArgs& a) {
        return Arrays{
            number_of_matrices(a, [](const Matrix& x) { return trace_of(gram(x)); }),
            number_of_matrices(a,
                               [](const Matrix& x) { return trace_of(times(gram(x), gram(x))); }),
            number_of_matrices(a, [](const Matrix& x) { return std::sqrt(determinant(gram(x))); })};
      });
  return std::vector<OpCase>{symmetric, singular};
});
TAPER_OP_CASES(reporting_cholesky, {
  OpCase factor = matrix_case(
      "linalg_cholesky_ex", {{{3, 3}}, {{2, 4, 4}}},
      [](const Args& a) {
        const auto [l, info] = linalg::cholesky_ex(matmul(a.t[0], a.t[0].mT()));
        return Results{matmul(l, l.mT()), l.tril().sub(l), info};
      },
      [](const ArrayArgs& a) {
        return Arrays{for_matrices(a, [](const auto& x) { return times(x[0], transposed(x[0])); }),
                      Array(a.t[0].sizes), zero_for_each_matrix(a)};
      });
  factor.errors = {error<LinAlgError>("the leading minor of order 1 is not positive-definite", [] {
    linalg::cholesky_ex(to_tensor(Array({2, 2}), kFloat), false, true);
  })};
  return std::vector<OpCase>{factor};
});

Tensor factor_of(const Tensor& x) { return linalg::cholesky(matmul(x, x.mT())); }

TAPER_OP_CASES(factored, {
  OpCase inverse = matrix_case(
      "cholesky_inverse", {{{3, 3}}, {{1, 1}}},
      [](const Args& a) { return cholesky_inverse(factor_of(a.t[0])); },
      [](const ArrayArgs& a) {
        return for_matrices(a, [](const auto& x) {
          return solved(times(x[0], transposed(x[0])), identity(x[0].n));
        });
      });
  OpCase solve = matrix_case(
      "cholesky_solve", {{{3, 3}, {3, 2}}, {{2, 4, 4}, {2, 4, 1}}},
      [](const Args& a) { return cholesky_solve(a.t[1], factor_of(a.t[0])); },
      [](const ArrayArgs& a) {
        return for_matrices(
            a, [](const auto& x) { return solved(times(x[0], transposed(x[0])), x[1]); });
      });
  return std::vector<OpCase>{inverse, solve};
});

Matrix cube(const Matrix& x) { return times(times(x, transposed(x)), x); }

// What the factors must give, whatever their signs.
TAPER_OP_CASES(factors_by_older_names, {
  OpCase symeig = matrix_case(
      "symeig", {{{3, 3}}, {{2, 4, 4}}},
      [](const Args& a) {
        const auto [l, v] = taper::symeig(a.t[0] + a.t[0].mT(), true, false);
        return matmul(v * l.pow(2).unsqueeze(-2), v.mT());
      },
      [](const ArrayArgs& a) {
        return for_matrices(a,
                            [](const auto& x) { return times(symmetric(x[0]), symmetric(x[0])); });
      });
  OpCase svd = matrix_case(
      "svd", {{{3, 3}}, {{2, 4, 2}}, {{2, 3}}},
      [](const Args& a) {
        const auto [u, s, v] = taper::svd(a.t[0]);
        return matmul(u * s.pow(3).unsqueeze(-2), v.mT());
      },
      [](const ArrayArgs& a) { return for_matrices(a, [](const auto& x) { return cube(x[0]); }); });
  OpCase qr = matrix_case(
      "qr", {{{3, 3}}, {{2, 4, 2}}},
      [](const Args& a) {
        const auto [q, r] = taper::qr(a.t[0]);
        return Results{matmul(q, r), matmul(r.mT(), r), r.tril(-1)};
      },
      [](const ArrayArgs& a) {
        return Arrays{a.t[0],
                      for_matrices(a, [](const auto& x) { return times(transposed(x[0]), x[0]); }),
                      for_matrices(a, [](const auto& x) { return Matrix(x[0].n, x[0].n); })};
      });
  for (OpCase* c : {&symeig, &svd, &qr}) c->tolerance = 100;
  return std::vector<OpCase>{symeig, svd, qr};
});

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

TEST(CholeskyInverse, RefusesSingularFactors) {
  const Tensor L = tensor_of({2, 2, 2}, {1, 0, 1, 1, 1, 0, 1, 0}, kDouble);
  EXPECT_TRUE(cholesky_inverse(L[0]).allclose(tensor_of({2, 2}, {2, -1, -1, 1}, kDouble)));
  expect_error<LinAlgError>(
      "cholesky_inverse: The diagonal element 2 is zero, the inversion could "
      "not be completed because the input matrix is singular.",
      [&] { cholesky_inverse(L[1]); });
  expect_error<LinAlgError>("cholesky_inverse: (Batch element 1): The diagonal element 2 is zero",
                            [&] { cholesky_inverse(L); });
}

TEST(LinalgTensor, SymmetricEigenvaluesOfTheOlderName) {
  const Tensor A = tensor_of({2, 2}, {2, 1, 5, 2}, kDouble);
  EXPECT_TRUE(std::get<0>(symeig(A)).allclose(values({1, 3}, kDouble)));
  EXPECT_EQ(std::get<1>(symeig(A)).numel(), 0);
  EXPECT_TRUE(std::get<0>(symeig(A, true, false)).allclose(values({-3, 7}, kDouble)));
}

}  // namespace
}  // namespace torch::taper::testing
