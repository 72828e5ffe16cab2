// Functions of matrices: powers, pseudo-inverses, least squares, ranks, norms and chains.
#include <taper/ops/linalg/linalg_matrix.h>

#include <algorithm>
#include <cmath>

#include <taper/generated/linalg_names.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/linalg_factor.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/tensor/factory.h>

#include "ops/linalg/matrix_cases.h"
#include "test_util.h"

namespace torch::taper::testing {
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
  OpCase power = matrix_case(
      "linalg_matrix_power", {{{3, 3}}, {{2, 2, 2}}},
      [](const Args& a) { return linalg::matrix_power(a.t[0], 5); },
      [](const ArrayArgs& a) {
        return for_matrices(a, [](const auto& x) {
          const Matrix square = times(x[0], x[0]);
          return times(times(square, square), x[0]);
        });
      });
  return std::vector<OpCase>{pinv, power};
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

TAPER_OP_CASES(least_squares_cases, {
  std::vector<OpCase> list;
  for (const bool by_qr : {false, true}) {
    OpCase c = matrix_case(
        by_qr ? "linalg_lstsq_gels" : "linalg_lstsq",
        {{{4, 2}, {4, 3}}, {{2, 3, 3}, {2, 3, 1}}, {{2, 4}, {2, 2}}},
        [by_qr](const Args& a) {
          const optional<std::string_view> gels = "gels";
          return std::get<0>(linalg::lstsq(a.t[0], a.t[1], nullopt, by_qr ? gels : nullopt));
        },
        [](const ArrayArgs& a) {
          return for_matrices(a, [](const auto& x) {
            const Matrix t = transposed(x[0]);
            if (x[0].m >= x[0].n) return solved(times(t, x[0]), times(t, x[1]));
            return times(t, solved(times(x[0], t), x[1]));
          });
        });
    c.errors = {
        error<Error>("torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, "
                     "gelss)",
                     [] { linalg::lstsq(eye(2), eye(2), nullopt, "gelsx"); }),
        error<Error>("torch.linalg.lstsq: input.size(-2) should match other.size(-2)",
                     [] {
                       linalg::lstsq(numbers({3, 2}), numbers({2, 1}));
                     }),
        error<Error>("torch.linalg.lstsq: Expected input and other to have the same dtype, but got "
                     "input's dtype Float and other's dtype Double",
                     [] {
                       linalg::lstsq(numbers({3, 2}), numbers({3, 1}, kDouble));
                     })};
    list.push_back(c);
  }
  return list;
});

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

TEST(LinalgTensor, DriversOfLeastSquares) {
  const Tensor A = tensor_of({3, 2}, {1, 1, 1, 2, 1, 3}), b = values({1, 3, 4}).view({3, 1});
  for (const char* driver : {"gels", "gelsy", "gelsd", "gelss"}) {
    const std::string name = driver;
    const auto [x, residuals, rank, s] = linalg_lstsq(A, b, nullopt, driver);
    EXPECT_TRUE(x.allclose(tensor_of({2, 1}, {-1.0 / 3, 1.5}), 1e-4, 1e-5)) << name;
    if (name == "gelsy")
      EXPECT_EQ(residuals.numel(), 0);
    else
      EXPECT_TRUE(residuals.allclose(values({1.0 / 6}), 1e-3, 1e-5)) << name;
    EXPECT_EQ(rank.numel(), name == "gels" ? 0 : 1);
    EXPECT_EQ(rank.scalar_type(), kLong);
    EXPECT_EQ(s.numel(), name == "gelsd" || name == "gelss" ? 2 : 0);
  }
  // Of a matrix of less than full rank the solution of least norm.
  const auto [x, none, rank, s] = linalg_lstsq(ones({3, 2}), values({1, 2, 3}).view({3, 1}));
  EXPECT_TRUE(x.allclose(ones({2, 1}), 1e-4, 1e-5));
  EXPECT_EQ(rank.item<int64_t>(), 1);
  // With a large limit only the largest singular value counts.
  EXPECT_EQ(std::get<2>(linalg::lstsq(A, b, 0.9)).item<int64_t>(), 1);
  EXPECT_EQ(std::get<1>(linalg::lstsq(A, b, 0.9, "gelsd")).numel(), 0);
}

TEST(LinalgTensor, LimitsOfRankAndPseudoInverse) {
  const Tensor A = tensor_of({3, 3}, {4, 0, 0, 0, 1, 0, 0, 0, 1e-12}, kDouble);
  const auto rank = [](const Tensor& r) { return r.item<int64_t>(); };
  EXPECT_EQ(rank(linalg::matrix_rank(A)), 3);
  EXPECT_EQ(rank(linalg::matrix_rank(A, 2.0)), 1);
  EXPECT_EQ(rank(linalg_matrix_rank(A, optional<double>(1e-6), nullopt)), 2);
  EXPECT_EQ(rank(linalg::matrix_rank(A, nullopt, optional<double>(0.5))), 1);
  EXPECT_EQ(rank(linalg::matrix_rank(A, values({1e-6}, kDouble)[0])), 2);
  EXPECT_EQ(rank(linalg_matrix_rank(A, optional<Tensor>(full({}, 1e-6)),
                                    optional<Tensor>(full({}, 0.5)))),
            1);
  EXPECT_EQ(rank(linalg::matrix_rank(A, 2.0, true)), 1);
  const Tensor truncated = tensor_of({3, 3}, {0.25, 0, 0, 0, 1, 0, 0, 0, 0}, kDouble);
  EXPECT_TRUE(linalg_pinv(A, optional<double>(1e-6), nullopt).allclose(truncated));
  EXPECT_TRUE(linalg::pinv(A, 1e-6).allclose(truncated));
  EXPECT_TRUE(
      linalg_pinv(A, optional<Tensor>(), optional<Tensor>(full({}, 1e-6))).allclose(truncated));
}

TEST(LinalgNames, NormsByName) {
  const Tensor A = tensor_of({2, 2}, {1, -2, 3, 4});
  EXPECT_TRUE(linalg_norm(A, "fro").equal(linalg::norm(A, "fro")));
  EXPECT_TRUE(linalg_norm(A, std::string_view("nuc"), IntArrayRef({1, 0}), true)
                  .equal(linalg::norm(A, "nuc", IntArrayRef({1, 0}), true)));
}

TEST(LinalgNames, PowersOfWholeNumbers) {
  const Tensor A = tensor_of({2, 2}, {1, 1, 1, 0}, kLong);  // Fibonacci's numbers
  EXPECT_EQ(values_of(linalg::matrix_power(A, 10)), (std::vector<double>{89, 55, 55, 34}));
  EXPECT_EQ(values_of(linalg::matrix_power(A, 0)), (std::vector<double>{1, 0, 0, 1}));
  EXPECT_THROW(linalg::matrix_power(A, -1), Error);
  EXPECT_THROW(linalg::matrix_power(tensor_of({1, 2}, {1, 1}, kLong), 2), Error);
}

TEST(LinalgNames, NormsOfNothing) {
  const Tensor none = zeros({0, 3});
  EXPECT_EQ(linalg_vector_norm(none, 2).item<float>(), 0);
  EXPECT_EQ(linalg_vector_norm(none, -1, IntArrayRef({1})).sizes().vec(), (Sizes{0}));
  for (double ord : {-1.0, -2.0, -static_cast<double>(INFINITY), static_cast<double>(INFINITY)}) {
    expect_error("norm on an empty tensor because the operation does not have an identity",
                 [&] { linalg_vector_norm(none, ord); });
    expect_error("because this dimension is empty",
                 [&] { linalg_vector_norm(none, ord, IntArrayRef({0})); });
  }
}

}  // namespace
}  // namespace torch::taper::testing
