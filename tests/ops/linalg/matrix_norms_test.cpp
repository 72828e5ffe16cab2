// Norms of matrices by their older names.
#include <taper/ops/linalg/matrix_norms.h>

#include <cmath>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/matmul.h>

#include "ops/linalg/matrix_cases.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

/// The roots of the sums of squares over some dimensions, which are kept with size 1.
Array root_of_squares(const Array& x, const Sizes& dims, double p = 2) {
  Sizes sizes = x.sizes;
  for (int64_t d : dims) sizes[static_cast<size_t>(d)] = 1;
  Array y(sizes);
  for_each_index(x.sizes, [&](const Sizes& index) {
    Sizes to = index;
    for (int64_t d : dims) to[static_cast<size_t>(d)] = 0;
    y.at(to) += std::pow(std::abs(x.at(index)), p);
  });
  for (double& v : y.v) v = std::pow(v, 1 / p);
  return y;
}

TAPER_OP_CASES(norms_by_older_names, {
  OpCase frobenius;
  frobenius.name = "frobenius_norm";
  frobenius.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{2, 3}}, t, {}, {0, 1}), sample_of({{2, 3, 4}}, t, {}, {1}),
                             sample_of({{2, 3, 4}}, t, {}, {0, 2}),
                             sample_of({{5, 33}}, t, {}, {1})};
  };
  frobenius.call = [](const Args& a) { return frobenius_norm(a.t[0], a.i, true); };
  frobenius.reference = [](const ArrayArgs& a) { return root_of_squares(a.t[0], a.i); };
  frobenius.tolerance = 4;
  // Numbers: the order, the dimension that stays.
  OpCase except = frobenius;
  except.name = "norm_except_dim";
  except.samples = [](ScalarType t) {
    return std::vector<Args>{
        sample_of({{2, 3}}, t, {}, {2, 0}), sample_of({{2, 3, 4}}, t, {}, {2, 1}),
        sample_of({{2, 3, 4}}, t, {}, {3, 2}), sample_of({{4}}, t, {}, {2, 0})};
  };
  except.call = [](const Args& a) {
    const Tensor y = norm_except_dim(a.t[0], a.i[0], a.i[1]);
    return a.t[0].dim() == 1 ? y.reshape({-1}) : y;
  };
  except.reference = [](const ArrayArgs& a) {
    Sizes others;
    for (int64_t d = 0; d < a.t[0].dim(); ++d)
      if (d != a.i[1]) others.push_back(d);
    return root_of_squares(a.t[0], others, static_cast<double>(a.i[0]));
  };
  // Of A A^T, where it is the trace.
  OpCase nuclear = matrix_case(
      "nuclear_norm", {{{3, 3}}, {{2, 4}}},
      [](const Args& a) { return nuclear_norm(matmul(a.t[0], a.t[0].mT())); },
      [](const ArrayArgs& a) {
        double sum = 0;
        for (double v : a.t[0].v) sum += v * v;
        return Array({}, sum);
      });
  nuclear.errors = {
      error<Error>(
          "Expected a tensor with 2 dimensions, but got a tensor with 1 dimension instead.",
          [] { nuclear_norm(numbers({2})); }),
      error<Error>("nuclear norm requires a 'dim' argument of size 2",
                   [] {
                     nuclear_norm(numbers({2, 2}), IntArrayRef{0});
                   }),
      error<Error>("nuclear_norm: dim 0 appears multiple times in the list of dims", [] {
        nuclear_norm(numbers({2, 2}), {0, -2});
      })};
  return std::vector<OpCase>{frobenius, except, nuclear};
});

// Expected values are PyTorch 1.13's.
TEST(MatrixNorms, EqualPyTorchs) {
  const Tensor v = counting({2, 3, 2});
  const Tensor n = norm_except_dim(v, 2, 1);
  EXPECT_EQ(n.sizes(), IntArrayRef({1, 3, 1}));
  EXPECT_NEAR(n[0][2][0].item<double>(), 16.18641471862793, 1e-5);
  EXPECT_NEAR(norm_except_dim(v, 2, -1).item<double>(), 22.4944, 1e-3);
  EXPECT_NEAR(frobenius_norm(v, {0, 2}, true)[0][2][0].item<double>(), 16.186414, 1e-5);
  EXPECT_NEAR(nuclear_norm(values({3, 0, 0, 4}).view({2, 2})).item<double>(), 7, 1e-5);
  EXPECT_EQ(nuclear_norm(v, {0, 2}, true).sizes(), IntArrayRef({1, 3, 1}));
  expect_error("Expected a tensor with 2 dimensions, but got a tensor with 3 dimensions instead.",
               [&] { nuclear_norm(v); });
}

}  // namespace
}  // namespace torch::taper::testing
