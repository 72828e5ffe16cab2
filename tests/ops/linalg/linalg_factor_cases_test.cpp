// Factors of matrices in the harness: reflections, LU and LDL taken apart, eigenvalues of any
// matrix, and the forms that tell where a matrix does not allow what is asked.
#include <algorithm>
#include <cmath>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/linalg/linalg_eig.h>
#include <taper/ops/linalg/linalg_factor.h>
#include <taper/ops/linalg/linalg_householder.h>
#include <taper/ops/linalg/linalg_lu.h>
#include <taper/ops/linalg/linalg_names.h>
#include <taper/ops/linalg/linalg_solve.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/reduce/reduce_sum.h>

#include "ops/linalg/matrix_cases.h"

namespace taper::testing {
namespace {

// ---------------------------------------------------------------------- reflections
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
/// tau (..., k) as matrices of one row.
ArrayArgs with_rows(ArrayArgs a) {
  a.t[1].sizes.insert(a.t[1].sizes.end() - 1, 1);
  return a;
}
std::vector<Args> plain_samples(const std::vector<std::vector<Sizes>>& sizes, ScalarType t) {
  std::vector<Args> list;
  for (const auto& s : sizes) list.push_back(sample_of(s, t, {-1, 1}));
  return list;
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

// ---------------------------------------------------------------------- LU and LDL
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

// A + A^T for a symmetric matrix, whose large diagonal has both signs.
Matrix symmetric(const Matrix& x) {
  Matrix y = transposed(x);
  for (size_t i = 0; i < y.v.size(); ++i) y.v[i] += x.v[i];
  return y;
}

TAPER_OP_CASES(equations_by_ldl, {
  OpCase c = matrix_case(
      "linalg_ldl_solve", {{{3, 3}, {3, 2}}, {{2, 4, 4}, {2, 4, 1}}, {{1, 1}, {1, 1}}},
      [](const Args& a) {
        const auto [ld, pivots, info] = linalg::ldl_factor_ex(a.t[0] + a.t[0].mT());
        return Results{linalg::ldl_solve(ld, pivots, a.t[1]), info};
      },
      [](const ArrayArgs& a) {
        Sizes batch(a.t[0].sizes.begin(), a.t[0].sizes.end() - 2);
        return Arrays{for_matrices(a, [](const auto& x) { return solved(symmetric(x[0]), x[1]); }),
                      Array(batch)};
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

// ---------------------------------------------------------------------- eigenvalues
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

// ---------------------------------------------------------------------- with a report
TAPER_OP_CASES(reporting_forms, {
  const auto reports = [](const ArrayArgs& a) {
    return Array(Sizes(a.t[0].sizes.begin(), a.t[0].sizes.end() - 2));
  };
  OpCase inverse = matrix_case(
      "linalg_inv_ex", {{{3, 3}}, {{2, 4, 4}}},
      [](const Args& a) {
        const auto [x, info] = linalg::inv_ex(a.t[0]);
        return Results{x, info};
      },
      [=](const ArrayArgs& a) {
        return Arrays{for_matrices(a, [](const auto& x) { return solved(x[0], identity(x[0].n)); }),
                      reports(a)};
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
      [=](const ArrayArgs& a) {
        return Arrays{for_matrices(a, [](const auto& x) { return solved(x[0], x[1]); }),
                      reports(a)};
      });
  solution.errors = {error<LinAlgError>("torch.linalg.solve_ex", [] {
    linalg::solve_ex(to_tensor(Array({2, 2}), kFloat), numbers({2, 1}), true, true);
  })};
  OpCase factor = matrix_case(
      "linalg_cholesky_ex", {{{3, 3}}, {{2, 4, 4}}},
      [](const Args& a) {
        const auto [l, info] = linalg::cholesky_ex(matmul(a.t[0], a.t[0].mT()));
        return Results{matmul(l, l.mT()), l.tril().sub(l), info};
      },
      [=](const ArrayArgs& a) {
        return Arrays{for_matrices(a, [](const auto& x) { return times(x[0], transposed(x[0])); }),
                      Array(a.t[0].sizes), reports(a)};
      });
  factor.errors = {error<LinAlgError>("the leading minor of order 1 is not positive-definite", [] {
    linalg::cholesky_ex(to_tensor(Array({2, 2}), kFloat), false, true);
  })};
  return std::vector<OpCase>{inverse, solution, factor};
});

}  // namespace
}  // namespace taper::testing
