#include <taper/ops/linalg/linalg_eig.h>

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/linalg/linalg_exp.h>
#include <taper/ops/linalg/linalg_factor.h>
#include <taper/ops/linalg/linalg_householder.h>
#include <taper/ops/linalg/linalg_solve.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>

#include "complex_util.h"
#include "ops/linalg/matrix_cases.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

double trace_of_power(const Matrix& x, int n) {
  Matrix p = identity(x.n);
  for (int i = 0; i < n; ++i) p = times(p, x);
  double s = 0;
  for (int64_t i = 0; i < x.n; ++i) s += p(i, i);
  return s;
}
Array traces(const ArrayArgs& a, int n) {
  Array y = for_matrices(a, [n](const auto& x) {
    Matrix one(1, 1);
    one.v[0] = trace_of_power(x[0], n);
    return one;
  });
  y.sizes.resize(y.sizes.size() - 2);
  return y;
}
ScalarType complex_of(ScalarType t) { return toComplexType(t); }

// Their order is free and complex ones are there: sums of powers, and A^3 made of both factors.
TAPER_OP_CASES(eigenvalues_of_any_matrix, {
  const auto samples = [](ScalarType t) {
    return plain_samples({{{3, 3}}, {{2, 4, 4}}, {{1, 1}}}, t);
  };
  OpCase values_only;
  values_only.name = "linalg_eigvals";
  values_only.samples = samples;
  values_only.call = [](const Args& a) {
    const Tensor l = linalg::eigvals(a.t[0]);
    return Results{l.sum(-1), (l * l).sum(-1), (l * l * l).sum(-1)};
  };
  values_only.reference = [](const ArrayArgs& a) {
    return Arrays{traces(a, 1), traces(a, 2), traces(a, 3)};
  };
  OpCase both = values_only;
  both.name = "linalg_eig";
  both.call = [](const Args& a) {
    const auto [l, v] = linalg::eig(a.t[0]);
    return Results{matmul(v * (l * l * l).unsqueeze(-2), linalg::inv(v)), (v * v.conj()).sum(-2)};
  };
  both.reference = [](const ArrayArgs& a) {
    Sizes lengths = a.t[0].sizes;
    lengths.pop_back();
    return Arrays{for_matrices(a, [](const auto& x) { return times(x[0], times(x[0], x[0])); }),
                  Array(lengths, 1)};
  };
  std::vector<OpCase> list = {values_only, both};
  for (OpCase& c : list) {
    const bool vectors = c.name == "linalg_eig";
    const auto run = [vectors](const Tensor& x) {
      vectors ? void(linalg::eig(x)) : void(linalg::eigvals(x));
    };
    c.result_dtype = &complex_of;
    c.tolerance = 100;
    c.errors = {
        error<Error>(
            "linalg.eig: A must be batches of square matrices, but they are 2 by 3 matrices",
            [run] {
              run(numbers({2, 3}));
            }),
        error<Error>("torch.linalg.eig: input tensor should not contain infs or NaNs.", [run] {
          run(to_tensor(Array({2, 2}, INFINITY), kFloat));
        })};
  }
  return list;
});

TEST(Eig, PyTorchsValues) {
  const Tensor A = tensor_of({3, 3}, {1, 2, 0, -1, 0.5, 3, 0.25, 1, -2}, kDouble);
  const auto [L, V] = linalg::eig(A);
  expect_close(L, {1.097184403, 1.099374933, 1.097184403, -1.099374933, -2.694368805, 0});
  expect_close(V.select(1, 0),
               {0.8636279618, 0, 0.0419655838, 0.4747254663, 0.1222626254, 0.109878185});
  EXPECT_TRUE(linalg::eigvals(A).allclose(L));
}

TEST(Eig, SolvesItsEquation) {
  for (const ScalarType t : {kFloat, kDouble}) {
    const Tensor A = numbers({2, 7, 7}, t);
    const auto [L, V] = linalg::eig(A);
    EXPECT_EQ(L.scalar_type(), toComplexType(t));
    const double atol = t == kFloat ? 1e-4 : 1e-12;
    EXPECT_TRUE(matmul(A.to(L.scalar_type()), V).allclose(V * L.unsqueeze(-2), 0, atol));
  }
  EXPECT_EQ(linalg::eigvals(zeros({2, 0, 0})).sizes().vec(), (std::vector<int64_t>{2, 0}));
}

TEST(Eig, Gradients) {
  const Tensor A = tensor_of({3, 3}, {1, 2, 0, -1, 0.5, 3, 0.25, 1, -2}, kDouble);
  check_gradient_at([](const Tensor& a) { return linalg::eigvals(a); }, A);
  // What does not depend on the phase of the vectors.
  check_gradient_at([](const Tensor& a) { return std::get<1>(linalg::eig(a)).abs(); }, A);
}

TEST(Eig, Refuses) {
  expect_error("must be batches of square matrices", [] { linalg::eig(ones({2, 3})); });
  expect_error("should not contain infs or NaNs", [] { linalg::eigvals(full({2, 2}, NAN)); });
}

TAPER_OP_CASES(exponentials, {
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
  return std::vector<OpCase>{exponential};
});

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

// On both sides of each bound of a polynomial. The squares of a number's exponential double its
// error.
TEST(Linalg, MatrixExpOfNumbersNextToTheBounds) {
  const std::pair<ScalarType, std::vector<double>> all[] = {{kDouble, {0.0499, 1.09}},
                                                            {kFloat, {0.58, 3.01}}};
  for (const auto& [dtype, bounds] : all)
    for (const double bound : bounds)
      for (const double factor : {1.0, 2.0, 4.0, 8.0})
        for (const double side : {-0.999, -1.001, 0.999, 1.001}) {
          const Tensor x = full({1, 1}, side * factor * bound, dtype);
          const double want = std::exp(x.item<double>());
          const double relative = factor * (dtype == kFloat ? 1.4e-5 : 4e-15);
          EXPECT_NEAR(linalg::matrix_exp(x).item<double>(), want, relative * want)
              << x.item<double>() << " of " << dtype;
        }
}

/// y - tau v (v^T y), v from column i of `x`: zeros above row i, 1 there.
Matrix reflected(const Matrix& x, int64_t i, double tau, Matrix y) {
  for (int64_t c = 0; c < y.n; ++c) {
    double along = y(i, c);
    for (int64_t r = i + 1; r < y.m; ++r) along += x(r, i) * y(r, c);
    y(i, c) -= tau * along;
    for (int64_t r = i + 1; r < y.m; ++r) y(r, c) -= tau * along * x(r, i);
  }
  return y;
}
/// H_1 ... H_k y, or the other way round.
Matrix all_reflected(const Matrix& x, const Matrix& tau, bool transpose, Matrix y) {
  const int64_t k = tau.n;
  for (int64_t s = 0; s < k; ++s) {
    const int64_t i = transpose ? s : k - 1 - s;
    y = reflected(x, i, tau(0, i), y);
  }
  return y;
}
/// Columns k, k + 1, ... left out.
Matrix first_columns(const Matrix& x, int64_t k) {
  Matrix y(x.m, k);
  for (int64_t i = 0; i < x.m; ++i)
    for (int64_t j = 0; j < k; ++j) y(i, j) = x(i, j);
  return y;
}

TAPER_OP_CASES(products_of_reflections, {
  OpCase c;
  c.name = "linalg_householder_product";
  c.samples = [](ScalarType t) {
    return plain_samples({{{3, 3}, {3}}, {{4, 2}, {2}}, {{2, 5, 3}, {2, 2}}, {{1, 1}, {1}}}, t);
  };
  c.call = [](const Args& a) {
    return Results{linalg::householder_product(a.t[0], a.t[1]), orgqr(a.t[0], a.t[1])};
  };
  c.reference = [](const ArrayArgs& a) {
    const Array y = for_matrices(with_rows(a), [](const auto& x) {
      return first_columns(all_reflected(x[0], x[1], false, identity(x[0].m)), x[0].n);
    });
    return Arrays{y, y};
  };
  c.covers = {"orgqr"};
  c.tolerance = 40;
  const std::string op = "torch.linalg.householder_product";
  c.errors = {
      error<Error>(op + ": input.shape[-2] must be greater than or equal to input.shape[-1]",
                   [] {
                     linalg::householder_product(numbers({2, 3}), numbers({2}));
                   }),
      error<Error>(op + ": input.shape[-1] must be greater than or equal to tau.shape[-1]",
                   [] {
                     linalg::householder_product(numbers({3, 2}), numbers({3}));
                   }),
      error<Error>(op + ": Expected tau to have one dimension less than input",
                   [] {
                     linalg::householder_product(numbers({3, 2}), numbers({2, 2}));
                   }),
      error<Error>(op + ": Expected input and tau to have the same dtype",
                   [] {
                     linalg::householder_product(numbers({3, 2}), numbers({2}, kDouble));
                   }),
      error<Error>(op + ": input must have at least 2 dimensions.",
                   [] { linalg::householder_product(numbers({3}), numbers({2})); })};
  return std::vector<OpCase>{c};
});

// Numbers: left, transpose.
TAPER_OP_CASES(products_with_reflections, {
  OpCase c;
  c.name = "ormqr";
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (int64_t left = 0; left < 2; ++left)
      for (int64_t transpose = 0; transpose < 2; ++transpose)
        for (const auto& s : std::vector<std::vector<Sizes>>{
                 {{4, 2}, {2}, left ? Sizes{4, 3} : Sizes{3, 4}},
                 {{2, 3, 3}, {2, 2}, left ? Sizes{2, 3, 1} : Sizes{2, 2, 3}}})
          list.push_back(sample_of(s, t, {-1, 1}, {left, transpose}));
    return list;
  };
  c.call = [](const Args& a) { return ormqr(a.t[0], a.t[1], a.t[2], a.i[0] != 0, a.i[1] != 0); };
  c.reference = [](const ArrayArgs& a) {
    return for_matrices(with_rows(a), [&](const auto& x) {
      const bool left = a.i[0] != 0, transpose = a.i[1] != 0;
      if (left) return all_reflected(x[0], x[1], transpose, x[2]);
      return transposed(all_reflected(x[0], x[1], !transpose, transposed(x[2])));
    });
  };
  c.tolerance = 40;
  c.errors = {
      error<Error>("torch.ormqr: other.shape[-2] must be equal to input.shape[-2]",
                   [] {
                     ormqr(numbers({3, 2}), numbers({2}), numbers({4, 2}));
                   }),
      error<Error>("torch.ormqr: other.shape[-1] must be greater than or equal to tau.shape[-1]",
                   [] {
                     ormqr(numbers({3, 2}), numbers({2}), numbers({3, 1}), false);
                   }),
      error<Error>("torch.ormqr: input must have at least 2 dimensions.", [] {
        ormqr(numbers({3}), numbers({2}), numbers({3, 1}));
      })};
  return std::vector<OpCase>{c};
});

/// LAPACK's reflections: the one of column i takes it to a multiple of the unit vector, with the
/// sign that its element i does not have. tau, 0 where there is nothing below, goes behind the
/// matrix.
Matrix naive_geqrf(Matrix x, Matrix* tau) {
  *tau = Matrix(1, std::min(x.m, x.n));
  for (int64_t i = 0; i < tau->n; ++i) {
    double below = 0;
    for (int64_t r = i + 1; r < x.m; ++r) below += x(r, i) * x(r, i);
    if (below == 0) continue;
    const double alpha = x(i, i), beta = -std::copysign(std::sqrt(alpha * alpha + below), alpha);
    (*tau)(0, i) = (beta - alpha) / beta;
    for (int64_t r = i + 1; r < x.m; ++r) x(r, i) /= alpha - beta;
    Matrix rest(x.m, x.n - i - 1);
    for (int64_t r = 0; r < x.m; ++r)
      for (int64_t j = 0; j < rest.n; ++j) rest(r, j) = x(r, i + 1 + j);
    rest = reflected(x, i, (*tau)(0, i), rest);
    for (int64_t r = 0; r < x.m; ++r)
      for (int64_t j = 0; j < rest.n; ++j) x(r, i + 1 + j) = rest(r, j);
    x(i, i) = beta;
  }
  return x;
}

TAPER_OP_CASES(reflections_of_qr, {
  OpCase c;
  c.name = "geqrf";
  c.samples = [](ScalarType t) {
    return plain_samples({{{3, 3}}, {{4, 2}}, {{2, 3, 5}}, {{1, 1}}}, t);
  };
  c.call = [](const Args& a) {
    const auto [x, tau] = geqrf(a.t[0]);
    return Results{x, tau};
  };
  c.reference = [](const ArrayArgs& a) {
    Array tau = for_matrices(a, [](const auto& x) {
      Matrix t(1, 0);
      naive_geqrf(x[0], &t);
      return t;
    });
    tau.sizes.erase(tau.sizes.end() - 2);
    return Arrays{for_matrices(a,
                               [](const auto& x) {
                                 Matrix t(1, 0);
                                 return naive_geqrf(x[0], &t);
                               }),
                  tau};
  };
  c.tolerance = 40;
  c.differentiable = false;
  c.refuses_gradient = true;
  c.errors = {error<NotImplementedError>("the derivative for 'geqrf' is not implemented.",
                                         [] {
                                           const Tensor x = numbers({2, 2}).requires_grad_();
                                           std::get<0>(geqrf(x)).sum().backward();
                                         }),
              error<Error>("torch.geqrf: The input tensor input must have at least 2 dimensions.",
                           [] { geqrf(numbers({3})); })};
  return std::vector<OpCase>{c};
});

}  // namespace
}  // namespace torch::taper::testing
