// More cases of linear algebra: determinants' logarithms, values without vectors, norms, chains and
// the equations of tensors.
#include <cmath>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/linalg_factor.h>
#include <taper/ops/linalg/linalg_matrix.h>
#include <taper/ops/linalg/linalg_solve.h>
#include <taper/ops/linalg/linalg_tensor.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/reduce/reduce_sum.h>

#include "ops/linalg/matrix_case.h"

namespace taper::testing {
namespace {

const std::vector<std::vector<Sizes>> kSquare = {{{3, 3}}, {{2, 4, 4}}, {{1, 1}}};

/// One number of each matrix, without the two last dimensions.
template <class F>
Array number_of_matrices(const ArrayArgs& a, const F& f) {
  Array y = for_matrices(a, [&](const auto& x) {
    Matrix one(1, 1);
    one.v[0] = f(x[0]);
    return one;
  });
  y.sizes.resize(y.sizes.size() - 2);
  return y;
}
double determinant(const Matrix& x) {
  double d = 0;
  solved(x, Matrix(x.n, 0), &d);
  return d;
}
double trace_of(const Matrix& x) {
  double s = 0;
  for (int64_t i = 0; i < std::min(x.m, x.n); ++i) s += x(i, i);
  return s;
}
Matrix gram(const Matrix& x) {
  return x.m < x.n ? times(x, transposed(x)) : times(transposed(x), x);
}

// ---------------------------------------------------------------------- determinants
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

// ---------------------------------------------------------------------- values
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

TAPER_OP_CASES(ranks, {
  OpCase c = matrix_case(
      "linalg_matrix_rank", {{{3, 3}}, {{2, 4, 4}}},
      [](const Args& a) { return linalg::matrix_rank(a.t[0].narrow(-1, 0, 2)); },
      [](const ArrayArgs& a) { return number_of_matrices(a, [](const Matrix&) { return 2.0; }); });
  c.result_dtype = [](ScalarType) { return kLong; };
  c.differentiable = false;
  return std::vector<OpCase>{c};
});

// ---------------------------------------------------------------------- norms
double root_of_squares(const Matrix& x) { return std::sqrt(trace_of(times(transposed(x), x))); }
double largest_row_sum(const Matrix& x) {
  double most = 0;
  for (int64_t i = 0; i < x.m; ++i) {
    double s = 0;
    for (int64_t j = 0; j < x.n; ++j) s += std::abs(x(i, j));
    most = std::max(most, s);
  }
  return most;
}
// By the power method on A^T A.
double largest_stretch(const Matrix& x) {
  const Matrix square = times(transposed(x), x);
  Matrix v(x.n, 1);
  for (int64_t i = 0; i < x.n; ++i) v(i, 0) = 1 + 0.1 * double(i);
  for (int i = 0; i < 3000; ++i) {
    v = times(square, v);
    const double length = root_of_squares(v);
    for (double& e : v.v) e /= length;
  }
  return std::sqrt(root_of_squares(times(square, v)));
}

OpCase norm_case(const char* name, Tensor (*op)(const Tensor&), double (*f)(const Matrix&)) {
  OpCase c = matrix_case(
      std::string("linalg_matrix_norm_") + name, {{{3, 3}}, {{2, 3, 4}}},
      [op](const Args& a) { return op(a.t[0]); },
      [f](const ArrayArgs& a) { return number_of_matrices(a, f); });
  c.errors = {error<Error>("linalg.matrix_norm: Order 3 not supported.", [] {
    linalg::matrix_norm(numbers({2, 2}), 3);
  })};
  return c;
}

TAPER_OP_CASES(matrix_norms, {
  return std::vector<OpCase>{
      norm_case(
          "fro", [](const Tensor& x) { return linalg::matrix_norm(x); }, &root_of_squares),
      norm_case(
          "1", [](const Tensor& x) { return linalg::matrix_norm(x, 1); },
          [](const Matrix& x) { return largest_row_sum(transposed(x)); }),
      norm_case(
          "inf", [](const Tensor& x) { return linalg::matrix_norm(x, INFINITY); },
          &largest_row_sum),
      norm_case(
          "2", [](const Tensor& x) { return linalg::matrix_norm(x, 2); }, &largest_stretch),
      // Of A A^T, where it is the trace.
      norm_case(
          "nuc", [](const Tensor& x) { return linalg::matrix_norm(matmul(x, x.mT()), "nuc"); },
          [](const Matrix& x) { return trace_of(times(x, transposed(x))); })};
});

TAPER_OP_CASES(vector_norms, {
  std::vector<OpCase> list;
  for (const double p : {0.5, 1.0, 2.0, 3.0})
    list.push_back(matrix_case(
        "linalg_vector_norm_" + std::to_string(int(2 * p)) + "_halves", {{{3, 3}}, {{2, 3, 4}}},
        [p](const Args& a) {
          return linalg::vector_norm(a.t[0], p, IntArrayRef({-2, -1}));
        },
        [p](const ArrayArgs& a) {
          return number_of_matrices(a, [p](const Matrix& x) {
            double s = 0;
            for (double v : x.v) s += std::pow(std::abs(v), p);
            return std::pow(s, 1 / p);
          });
        }));
  return list;
});

// ---------------------------------------------------------------------- equations
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
  return std::vector<OpCase>{inverse, solve, triangular};
});

TAPER_OP_CASES(chains, {
  OpCase c;
  c.name = "linalg_multi_dot";
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{2, 3}, {3, 4}, {4, 2}}, t),
                             sample_of({{2, 5}, {5, 1}, {1, 3}, {3, 2}}, t),
                             sample_of({{3, 2}, {2, 3}}, t)};
  };
  c.call = [](const Args& a) { return linalg::multi_dot(a.t); };
  c.reference = [](const ArrayArgs& a) {
    Matrix y = matrix_of(a.t[0], 0);
    for (size_t i = 1; i < a.t.size(); ++i) y = times(y, matrix_of(a.t[i], 0));
    Array out({y.m, y.n});
    out.v = y.v;
    return out;
  };
  c.tolerance = 8;
  c.errors = {error<Error>("multi_dot(): expected at least 2 tensors but got 1", [] {
    linalg::multi_dot(std::vector<Tensor>{numbers({2, 2})});
  })};
  return std::vector<OpCase>{c};
});

/// A (2, 3, 6) and b (2, 3), as the matrix and the vector of an equation of 6 unknowns.
std::vector<Args> tensor_equations(ScalarType t) {
  const Args a = dominant({{6, 6}, {6, 1}}, t);
  return {{{a.t[0].reshape({2, 3, 6}), a.t[1].reshape({2, 3})}}};
}
Matrix as_matrix(Array x, Sizes sizes) {
  x.sizes = std::move(sizes);
  return matrix_of(x, 0);
}
Array as_array(const Matrix& x, const Sizes& sizes) {
  Array y(sizes);
  y.v = x.v;
  return y;
}

TAPER_OP_CASES(equations_of_tensors, {
  OpCase inverse;
  inverse.name = "linalg_tensorinv";
  inverse.samples = [](ScalarType t) { return std::vector<Args>{{{tensor_equations(t)[0].t[0]}}}; };
  inverse.call = [](const Args& a) { return linalg::tensorinv(a.t[0], 2); };
  inverse.reference = [](const ArrayArgs& a) {
    return as_array(solved(as_matrix(a.t[0], {6, 6}), identity(6)), {6, 2, 3});
  };
  inverse.errors = {error<Error>("Expected a strictly positive integer for 'ind'", [] {
    linalg::tensorinv(numbers({2, 2}), 0);
  })};
  OpCase solve;
  solve.name = "linalg_tensorsolve";
  solve.samples = &tensor_equations;
  solve.call = [](const Args& a) { return linalg::tensorsolve(a.t[0], a.t[1]); };
  solve.reference = [](const ArrayArgs& a) {
    return as_array(solved(as_matrix(a.t[0], {6, 6}), as_matrix(a.t[1], {6, 1})), {6});
  };
  inverse.tolerance = solve.tolerance = 40;
  return std::vector<OpCase>{inverse, solve};
});

}  // namespace
}  // namespace taper::testing
