#include <taper/ops/linalg/linalg_tensor.h>

#include <algorithm>
#include <cmath>

#include <taper/generated/linalg_names.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/einsum.h>
#include <taper/ops/linalg/linalg_factor.h>
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

double largest_column(const Matrix& a) {
  double most = 0;
  for (int64_t j = 0; j < a.n; ++j) {
    double sum = 0;
    for (int64_t i = 0; i < a.m; ++i) sum += std::abs(a(i, j));
    most = std::max(most, sum);
  }
  return most;
}

TAPER_OP_CASES(vector_cases, {
  OpCase vander = matrix_case(
      "linalg_vander", {{{1, 3}}, {{2, 3}}}, [](const Args& a) { return linalg::vander(a.t[0]); },
      [](const ArrayArgs& a) {
        Array y({a.t[0].size(0), a.t[0].size(1), a.t[0].size(1)});
        for (int64_t i = 0; i < y.numel(); ++i)
          y.v[static_cast<size_t>(i)] = std::pow(a.t[0].v[static_cast<size_t>(i / y.size(2))],
                                                 static_cast<double>(i % y.size(2)));
        return y;
      });
  vander.errors = {
      error<Error>("N must be greater than 1.", [] { linalg::vander(numbers({1})); }),
      error<Error>("linalg.vander supports floating point, complex, and integer tensors, but got "
                   "Bool",
                   [] { linalg::vander(counting({3}, kBool)); })};
  OpCase vecdot = matrix_case(
      "linalg_vecdot", {{{2, 3}, {2, 3}}},
      [](const Args& a) { return linalg::vecdot(a.t[0], a.t[1]); },
      [](const ArrayArgs& a) {
        Array y({2});
        for (size_t i = 0; i < 6; ++i) y.v[i / 3] += a.t[0].v[i] * a.t[1].v[i];
        return y;
      });
  vecdot.errors = {
      error<Error>("linalg.vecdot: Expected x and y to have the same dtype, but found x "
                   "of type Float and y of type Double instead",
                   [] { linalg::vecdot(numbers({2}), numbers({2}, kDouble)); })};
  OpCase cond = matrix_case(
      "linalg_cond", {{{3, 3}}, {{2, 2, 2}}},
      [](const Args& a) { return linalg::cond(a.t[0], Scalar(1)); },
      [](const ArrayArgs& a) {
        Array y = for_matrices(a, [](const auto& x) {
          Matrix c(1, 1);
          c(0, 0) = largest_column(x[0]) * largest_column(solved(x[0], identity(x[0].n)));
          return c;
        });
        y.sizes.resize(y.sizes.size() - 2);
        return y;
      });
  cond.errors = {
      error<Error>("linalg.cond(ord=1): A must be batches of square matrices, but they are 3 by 2 "
                   "matrices",
                   [] {
                     linalg::cond(numbers({3, 2}), Scalar(1));
                   }),
      error<Error>("linalg.cond got an invalid norm type: x", [] { linalg::cond(eye(2), "x"); }),
      error<Error>("linalg.cond got an invalid norm type: 3",
                   [] { linalg::cond(eye(2), Scalar(3)); })};
  return std::vector<OpCase>{vander, vecdot, cond};
});

TEST(LinalgTensor, ConditionsOfAllNorms) {
  const Tensor A = tensor_of({2, 2}, {4, 0, 0, 2}, kDouble);
  EXPECT_DOUBLE_EQ(linalg::cond(A).item<double>(), 2);
  EXPECT_DOUBLE_EQ(linalg::cond(A, Scalar(-2)).item<double>(), 0.5);
  EXPECT_DOUBLE_EQ(linalg_cond(A, "nuc").item<double>(), 6 * 0.75);
  EXPECT_DOUBLE_EQ(linalg::cond(A, "fro").item<double>(), std::sqrt(20.0 * 0.3125));
  EXPECT_EQ(linalg::cond(stack({zeros({2, 2}), eye(2)}), Scalar(1)).sizes().vec(), (Sizes{2}));
  expect_values(linalg::cond(stack({zeros({2, 2}), eye(2)}), Scalar(1)), {2}, {INFINITY, 1});
  EXPECT_EQ(linalg::cond(zeros({0, 2, 2})).sizes().vec(), (Sizes{0}));
}

TEST(LinalgTensor, Powers) {
  expect_values(linalg::vander(counting({3}, kLong)), {3, 3}, {1, 0, 0, 1, 1, 1, 1, 2, 4});
  expect_values(linalg_vander(values({2, 3}), 4), {2, 4}, {1, 2, 4, 8, 1, 3, 9, 27});
  expect_values(linalg::vander(full({}, 2.0), 3), {1, 3}, {1, 2, 4});
}

TEST(LinalgTensor, EquationsOfTensors) {
  const Tensor A = dominant({{6, 6}}, kDouble).t[0], t = A.view({2, 3, 3, 2});
  const Tensor inverse = linalg::tensorinv(t);
  EXPECT_EQ(inverse.sizes().vec(), (Sizes{3, 2, 2, 3}));
  EXPECT_TRUE(tensordot(inverse, t, {2, 3}, {0, 1}).reshape({6, 6}).allclose(eye(6, kDouble)));
  const Tensor b = numbers({2, 3}, kDouble), x = linalg::tensorsolve(t, b);
  EXPECT_TRUE(tensordot(t, x, {2, 3}, {0, 1}).allclose(b));
  const Tensor moved = A.view({2, 3, 6}).movedim(2, 0);
  EXPECT_TRUE(linalg_tensorsolve(moved, b, IntArrayRef{0}).allclose(linalg::solve(A, b.flatten())));
  expect_error("Expected a strictly positive integer for 'ind', but got 0",
               [&] { linalg::tensorinv(t, 0); });
  expect_error(
      "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), "
      "but got 1 != 6",
      [] {
        linalg::tensorinv(numbers({2, 3}));
      });
  expect_error(
      "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
      "prod(self.shape[:other.ndim]), but got 3 != 2",
      [] {
        linalg::tensorsolve(numbers({2, 3}), numbers({2}));
      });
}

TEST(LinalgTensor, LongNamesOfOtherFunctions) {
  const Tensor A = numbers({2, 3, 3});
  EXPECT_TRUE(linalg_diagonal(A).equal(A.diagonal(0, -2, -1)));
  EXPECT_TRUE(linalg_matmul(A, A).equal(matmul(A, A)));
  Tensor L;
  linalg::cholesky_out(L = empty({0}), eye(3));
  EXPECT_TRUE(L.equal(eye(3)));
}

TEST(LinalgTensor, Methods) {
  const Tensor A = dominant({{3, 3}}, kDouble).t[0], b = numbers({3, 2}, kDouble);
  const auto [LU, pivots] = linalg::lu_factor(A);
  EXPECT_TRUE(matmul(A, b.lu_solve(LU, pivots)).allclose(b));
  const auto [a, tau] = A.geqrf();
  EXPECT_TRUE(matmul(a.orgqr(tau), triu(a)).allclose(A));
  EXPECT_TRUE(a.ormqr(tau, b).allclose(matmul(a.orgqr(tau), b)));
  EXPECT_TRUE(std::get<0>(A.symeig()).equal(std::get<0>(symeig(A))));
  EXPECT_TRUE(A.matrix_H().equal(A.t()));
  expect_error(
      "tensor.H is only supported on matrices (2-D tensors). Got 3-D tensor. For batches of "
      "matrices, consider using tensor.mH",
      [] {
        numbers({2, 3, 4}).matrix_H();
      });
}

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

TEST(Deprecated, FunctionsSayWhatToUse) {
  const Tensor m = eye(3);
  expect_warning("Using torch.cross without specifying the dim arg is deprecated.",
                 [&] { cross(m, m); });
  expect_warning("torch.chain_matmul is deprecated", [&] { chain_matmul({m, m}); });
  expect_warning("The use of `x.T` on tensors of dimension other than 2", [] {
    ones({2, 3, 4}).numpy_T();
  });
  EXPECT_TRUE(warnings_of([&] {
                cross(m, m, 0);
                linalg::multi_dot({m, m, m});
                m.numpy_T();
              }).empty());
}

}  // namespace
}  // namespace torch::taper::testing
