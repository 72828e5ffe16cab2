#include <taper/ops/linalg/linalg_eig.h>

#include <gtest/gtest.h>

#include <cmath>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/complex.h>
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

}  // namespace
}  // namespace torch::taper::testing
