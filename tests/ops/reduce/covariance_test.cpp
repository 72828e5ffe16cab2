// cov, integrals, windows, and what real tensors have of complex ones.
#include <taper/ops/reduce/covariance.h>

#include <cmath>

#include <taper/ops/elementwise/complex.h>
#include <taper/ops/fft/window.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/reduce/trapezoid.h>
#include <taper/ops/tensor/factory.h>

#include "test_util.h"

namespace taper::testing {
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

OpCase trapezoid_case() {
  OpCase c;
  c.name = "trapezoid";
  c.samples = [](ScalarType t) {
    return std::vector<Args>{
        sample_of({{5}, {5}}, t, {}, {0}), sample_of({{3, 33}, {33}}, t, {}, {-1}),
        sample_of({{4, 3}, {4, 3}}, t, {}, {0}), sample_of({{2, 1}, {1}}, t, {}, {1})};
  };
  c.call = [](const Args& a) { return trapezoid(a.t[0], a.t[1], a.i[0]); };
  c.reference = [](const ArrayArgs& a) {
    const Array &y = a.t[0], &x = a.t[1];
    const int64_t d = a.i[0] < 0 ? a.i[0] + y.dim() : a.i[0];
    std::vector<int64_t> sizes = y.sizes;
    sizes.erase(sizes.begin() + d);
    Array sum{sizes};
    for_each_index(y.sizes, [&](const std::vector<int64_t>& i) {
      if (i[d] + 1 == y.sizes[d]) return;
      std::vector<int64_t> next = i, to = i;
      ++next[d];
      to.erase(to.begin() + d);
      const double width = x.dim() == 1 ? x.v[i[d] + 1] - x.v[i[d]] : x.at(next) - x.at(i);
      sum.at(to) += (y.at(i) + y.at(next)) / 2 * width;
    });
    return sum;
  };
  c.errors = {error<Error>("There must be one `x` value for each sample point",
                           [] { trapezoid(zeros({3}), zeros({4})); }),
              error<IndexError>("Dimension out of range", [] { trapezoid(zeros({3}), 1, 1); })};
  c.covers = {"trapz"};
  return c;
}

OpCase inner_case() {
  OpCase c;
  c.name = "inner";
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{5}, {5}}, t), sample_of({{3, 33}, {33}}, t),
                             sample_of({{2, 3, 4}, {5, 4}}, t), sample_of({{}, {2, 3}}, t),
                             sample_of({{3, 0}, {2, 0}}, t)};
  };
  c.call = [](const Args& a) { return inner(a.t[0], a.t[1]); };
  c.reference = [](const ArrayArgs& a) {
    const Array &x = a.t[0], &y = a.t[1];
    if (x.dim() == 0 || y.dim() == 0) {
      Array r = x.dim() == 0 ? y : x;
      for (double& v : r.v) v *= x.dim() == 0 ? x.v[0] : y.v[0];
      return r;
    }
    std::vector<int64_t> sizes(x.sizes.begin(), x.sizes.end() - 1);
    sizes.insert(sizes.end(), y.sizes.begin(), y.sizes.end() - 1);
    Array r{sizes};
    const int64_t k = x.size(-1), columns = k > 0 ? y.numel() / k : 1;
    for (int64_t i = 0; k > 0 && i < r.numel(); ++i)
      for (int64_t j = 0; j < k; ++j) r.v[i] += x.v[i / columns * k + j] * y.v[i % columns * k + j];
    return r;
  };
  c.errors = {
      error<Error>("inner() the last dimension must match on both input tensors but got "
                   "shapes [2, 2] and [3]",
                   [] {
                     inner(zeros({2, 2}), zeros({3}));
                   })};
  return c;
}

TAPER_OP_CASES(covariance_cases, {
  return std::vector<OpCase>{cov_case(), trapezoid_case(), inner_case()};
});

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

TEST(Trapezoid, EvenlySpacedAndCumulative) {
  EXPECT_EQ(trapezoid(values({1, 2, 4}), 2).item<float>(), 9);
  expect_values(cumulative_trapezoid(values({1, 2, 4}), 2), {2}, {3, 9});
  expect_values(cumulative_trapezoid(values({1, 2, 4}), values({0, 1, 3})), {2}, {1.5, 7.5});
  expect_values(trapz(zeros({2, 0})), {2}, {0, 0});
}

TEST(Windows, HaveTheirFormulas) {
  expect_near(hann_window(5), {0, 0.3454915, 0.9045085, 0.9045085, 0.3454915});
  expect_near(hann_window(4, false), {0, 0.75, 0.75, 0});
  expect_near(hamming_window(4), {0.08, 0.54, 1, 0.54});
  expect_near(hamming_window(3, true, 0.6, 0.4), {0.2, 0.8, 0.8});
  expect_near(blackman_window(4), {0, 0.34, 1, 0.34});
  expect_near(bartlett_window(5, false), {0, 0.5, 1, 0.5, 0});
  expect_values(hann_window(1), {1}, {1});
  EXPECT_EQ(hann_window(0).numel(), 0);
  EXPECT_EQ(hann_window(3, kDouble).scalar_type(), kDouble);
  EXPECT_TRUE(hann_window(3, requires_grad()).requires_grad());
  EXPECT_EQ(message_of([] { hann_window(-1); }),
            "hann_window requires non-negative window_length, got window_length=-1");
  EXPECT_NE(message_of([] { hann_window(3, kLong); }).find("expects floating point dtypes"),
            std::string::npos);
}

TEST(Real, TensorsAreTheirOwnConjugates) {
  const Tensor x = tensor_of({1, 2}, {-INFINITY, INFINITY});
  EXPECT_TRUE(real(x).is_same(x) && conj(x).is_same(x) && x.positive().is_same(x));
  expect_values(x.mH(), {2, 1}, {-INFINITY, INFINITY});
  expect_values(isposinf(x), {1, 2}, {0, 1});
  expect_values(isneginf(x), {1, 2}, {1, 0});
  expect_values(isposinf(values({1}, kLong)), {1}, {0});
  expect_values(isreal(x), {1, 2}, {1, 1});
  expect_values(x.sgn(), {1, 2}, {-1, 1});
  EXPECT_EQ(message_of([&] { imag(x); }),
            "imag is not implemented for tensors with non-complex dtypes.");
  EXPECT_EQ(message_of([] { zeros({1}, kBool).positive(); }),
            "The `+` operator, on a bool tensor is not supported.");
  EXPECT_THROW(adjoint(zeros({3})), Error);
}

TEST(InPlace, ProductsScansAndTriangles) {
  Tensor x = ones({2});
  x.addmv_(tensor_of({2, 2}, {1, 2, 3, 4}), values({1, 1}), 1, 2);
  expect_values(x, {2}, {7, 15});
  EXPECT_THROW(zeros({3}).addmv_(zeros({2, 2}), zeros({2})), Error);
  expect_values(ones({2, 2}).addr_(values({1, 2}), values({3, 4})), {2, 2}, {4, 5, 7, 9});
  expect_values(ones({1, 1, 1}).baddbmm_(ones({1, 1, 3}), ones({1, 3, 1})), {1, 1, 1}, {4});
  expect_values(counting({3}).cumsum_(0), {3}, {0, 1, 3});
  expect_values(counting({3}, kFloat, 1).cumprod_(0), {3}, {1, 2, 6});
  expect_values(ones({2, 2}).tril_(), {2, 2}, {1, 0, 1, 1});
  expect_values(ones({2, 2}).triu_(), {2, 2}, {1, 1, 0, 1});
}

}  // namespace
}  // namespace taper::testing
