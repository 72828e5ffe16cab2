#include <taper/ops/reduce/covariance.h>

#include <cmath>

#include <taper/ops/tensor/factory.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

void expect_near(const Tensor& t, const std::vector<double>& expected, double tolerance = 1e-6) {
  const std::vector<double> got = values_of(t);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_TRUE(std::abs(got[i] - expected[i]) <= tolerance) << i << ": " << got[i];
}

OpCase cov_case() {
  OpCase c;
  c.name = "cov";
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{3, 5}}, t, {}, {1}), sample_of({{2, 33}}, t, {}, {0}),
                             sample_of({{4, 1}}, t, {}, {0})};
  };
  c.call = [](const Args& a) { return cov(a.t[0], a.i[0]); };
  c.reference = [](const ArrayArgs& a) {
    const Array& x = a.t[0];
    const int64_t D = x.sizes[0], N = x.sizes[1];
    Array y({D, D}), mean({D});
    for (int64_t d = 0; d < D; ++d)
      for (int64_t n = 0; n < N; ++n) mean.at({d}) += x.at({d, n}) / static_cast<double>(N);
    for_each_index(y.sizes, [&](const std::vector<int64_t>& i) {
      for (int64_t n = 0; n < N; ++n)
        y.at(i) += (x.at({i[0], n}) - mean.at({i[0]})) * (x.at({i[1], n}) - mean.at({i[1]})) /
                   static_cast<double>(N - a.i[0]);
    });
    return y;
  };
  c.errors = {error<Error>("expected input to have two or fewer dimensions",
                           [] {
                             cov(zeros({1, 2, 3}));
                           }),
              error<Error>("fweights cannot be negative",
                           [] {
                             cov(zeros({3}), 1, values({1, -1, 1}, kLong));
                           }),
              error<Error>("to have the same numel as there are observations",
                           [] {
                             cov(zeros({3}), 1, values({1, 1}, kLong));
                           }),
              error<Error>("to have floating point dtype", [] {
                cov(zeros({3}), 1, nullopt, values({1, 1, 1}, kLong));
              })};
  return c;
}

TAPER_OP_CASES(covariance_cases, { return std::vector<OpCase>{cov_case()}; });

// Expected numbers: PyTorch's.
TEST(Cov, Weighs) {
  const Tensor x = tensor_of({2, 4}, {0, 2, 1, 5, 1, 1, 0, 3}, kDouble);
  const Tensor f = values({1, 2, 1, 3}, kLong), a = values({0.5, 1, 2, 0.25}, kDouble);
  expect_near(cov(x, 1, f), {4.4761905, 2.4523810, 2.4523810, 1.5714286});
  expect_near(cov(x, 1, nullopt, a), {2.1, 1.1142857, 1.1142857, 1.0285714});
  expect_near(cov(x, 1, f, a), {2.6449704, 1.5976331, 1.5976331, 1.2307692});
  expect_near(cov(x, 0, f, a), {2.0272109, 1.2244898, 1.2244898, 0.9433107});
  expect_near(corrcoef(x), {1, 0.8583951, 0.8583951, 1});
  expect_near(cov(x[0]), {4.6666667});
  EXPECT_EQ(corrcoef(x[0]).item<double>(), 1);
  EXPECT_EQ(cov(values({1, 2, 4}, kLong)).scalar_type(), kFloat);
}

}  // namespace
}  // namespace torch::taper::testing
