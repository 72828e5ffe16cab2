#include <taper/ops/linalg/linalg_exp.h>

#include <gtest/gtest.h>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/linalg_factor.h>
#include <taper/ops/linalg/matmul.h>

#include "ops/linalg/matrix_cases.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

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

}  // namespace
}  // namespace torch::taper::testing
