// Functions of matrices: powers, exponentials, pseudo-inverses, ranks, norms and chains.
#include <taper/ops/linalg/linalg_matrix.h>

#include <algorithm>
#include <cmath>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/linalg_exp.h>
#include <taper/ops/linalg/linalg_factor.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/tensor/factory.h>

#include "ops/linalg/matrix_cases.h"
#include "test_util.h"

namespace taper::testing {
namespace {

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

TAPER_OP_CASES(ranks, {
  OpCase c = matrix_case(
      "linalg_matrix_rank", {{{3, 3}}, {{2, 4, 4}}},
      [](const Args& a) { return linalg::matrix_rank(a.t[0].narrow(-1, 0, 2)); },
      [](const ArrayArgs& a) { return number_of_matrices(a, [](const Matrix&) { return 2.0; }); });
  c.result_dtype = [](ScalarType) { return kLong; };
  c.differentiable = false;
  return std::vector<OpCase>{c};
});
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

TEST(Pinv, OfHermitianMatricesReadsTheLowerTriangle) {
  const Tensor A = tensor_of({2, 2}, {1, 5, 2, 3}, kDouble);
  const Tensor expected = tensor_of({2, 2}, {-3, 2, 2, -1}, kDouble);
  EXPECT_TRUE(linalg::pinv(A, 1e-15, true).allclose(expected));
  const Tensor half = tensor_of({2, 2}, {-0.5, 0, 0, 0}, kDouble);
  EXPECT_TRUE(linalg::pinv(half, 1e-15, true).allclose(half.mul(4)));
  expect_error("linalg.eigh: A must be batches of square matrices, but they are 2 by 3 matrices",
               [] {
                 linalg::pinv(counting({2, 3}), 1e-15, true);
               });
}

}  // namespace
}  // namespace taper::testing
