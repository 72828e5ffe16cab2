#include <taper/ops/linalg/linalg_householder.h>

#include <algorithm>
#include <cmath>

#include <taper/ops/reduce/reduce_sum.h>

#include "ops/linalg/matrix_cases.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

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
