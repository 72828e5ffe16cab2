// How exact lgamma, digamma, trigamma and erfinv are, against formulas in long double.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/special.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::testing {
namespace {

using Long = long double;
constexpr Long kPi = 3.14159265358979323846264338327950288L;

Long log_gamma(Long x) {
  int sign;
  return lgammal_r(x, &sign);
}

Long digamma_of(Long x) {
  Long sum = 0;
  if (x < 0) {
    sum = -kPi / std::tan(kPi * (x - std::rint(x)));
    x = 1 - x;
  }
  for (; x < 40; x += 1) sum -= 1 / x;
  const Long z = 1 / (x * x);
  return sum + std::log(x) - 0.5L / x -
         z * (1.L / 12 - z * (1.L / 120 - z * (1.L / 252 - z * (1.L / 240 - z / 132))));
}

Long trigamma_of(Long x) {
  Long sum = 0, sign = 1;
  if (x < 0) {
    const Long s = kPi / std::sin(kPi * (x - std::rint(x)));
    sum = s * s;
    sign = -1;
    x = 1 - x;
  }
  Long near = 0;
  for (; x < 40; x += 1) near += 1 / (x * x);
  const Long z = 1 / (x * x);
  const Long tail = z * (1.L / 6 - z * (1.L / 30 - z * (1.L / 42 - z * (1.L / 30 - z * 5 / 66))));
  return sum + sign * (near + (1 + 0.5L / x + tail) / x);
}

Long inverse_erf(Long y) {
  const Long p = std::fabs(y), a = 0.147L, l = std::log1p(-p * p), half = 2 / (kPi * a) + l / 2;
  if (p < 1e-9L) return y * std::sqrt(kPi) / 2;
  Long x = std::sqrt(std::sqrt(half * half - l / a) - half);
  for (int i = 0; i < 5; ++i) {
    const Long error = p < 0.5L ? std::erf(x) - p : (1 - p) - std::erfc(x);
    const Long newton = error / (2 / std::sqrt(kPi) * std::exp(-x * x));
    x -= newton / (1 + x * newton);
  }
  return std::copysign(x, y);
}

struct Function {
  Tensor (*op)(const Tensor&);
  Long (*reference)(Long);
};
const Function kLogGamma{&lgamma, &log_gamma}, kDigamma{&digamma, &digamma_of},
    kTrigamma{[](const Tensor&x) { return polygamma(1, x); }, &trigamma_of},
    kErfinv{&erfinv, &inverse_erf};

/// The largest error over [low, high] in units of the last place of max(|result|, least).
/// `spread`: the logarithms are even, so that tiny and huge numbers are met too.
template <class T>
double worst_error(const Function& f, double low, double high, bool spread, double least = 0) {
  constexpr int64_t n = 10007;
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> unit(0, 1);
  const Tensor x = empty({n}, sizeof(T) == 4 ? kFloat : kDouble);
  T* at = x.data_ptr<T>();
  for (int64_t i = 0; i < n; ++i) {
    const double u = unit(generator);
    at[i] = static_cast<T>(spread ? low * std::pow(high / low, u) : low + u * (high - low));
  }
  const Tensor y = f.op(x);
  double worst = 0;
  for (int64_t i = 0; i < n; ++i) {
    const Long expected = f.reference(at[i]);
    if (std::fabs(expected) > std::numeric_limits<T>::max()) continue;
    const T size = std::max(std::fabs(static_cast<T>(expected)), static_cast<T>(least));
    const T unit_of_last_place = std::nextafter(size, std::numeric_limits<T>::infinity()) - size;
    const Long error = std::fabs(y.data_ptr<T>()[i] - expected) / unit_of_last_place;
    if (!(error <= worst)) worst = static_cast<double>(error);
  }
  return worst;
}

TEST(SpecialAccuracy, FloatsAreRightToTheLastBit) {
  for (const Function& f : {kLogGamma, kDigamma, kTrigamma}) {
    EXPECT_LT(worst_error<float>(f, 1e-18, 1, true), 0.51);
    EXPECT_LT(worst_error<float>(f, -1e-18, -0.5, true), 0.51);
    EXPECT_LT(worst_error<float>(f, 0.3, 3, false), 0.51);
    EXPECT_LT(worst_error<float>(f, 0.999, 1.001, false), 0.51);
    EXPECT_LT(worst_error<float>(f, 3, 15, false), 0.51);
    EXPECT_LT(worst_error<float>(f, 15, 1e30, true), 0.51);
    EXPECT_LT(worst_error<float>(f, -20, -0.5, false), 0.51);
  }
  EXPECT_LT(worst_error<float>(kErfinv, 1e-37, 1, true), 0.51);
  EXPECT_LT(worst_error<float>(kErfinv, -1, 1, false), 0.51);
  EXPECT_LT(worst_error<float>(kErfinv, 0.9999, 1, false), 0.51);
}

TEST(SpecialAccuracy, LogGammaOfDoubles) {
  EXPECT_LT(worst_error<double>(kLogGamma, 1e-300, 0.5, true), 3);
  EXPECT_LT(worst_error<double>(kLogGamma, -1e-300, -0.5, true), 3);
  EXPECT_LT(worst_error<double>(kLogGamma, 0.4, 3, false), 3.5);
  EXPECT_LT(worst_error<double>(kLogGamma, 0.999, 1.001, false), 3.5);
  EXPECT_LT(worst_error<double>(kLogGamma, 1.999, 2.001, false), 3.5);
  EXPECT_LT(worst_error<double>(kLogGamma, 3, 12, false), 3.5);
  EXPECT_LT(worst_error<double>(kLogGamma, 12, 1e300, true), 3.5);
  EXPECT_LT(worst_error<double>(kLogGamma, -20, -0.5, false), 8);
}

// Near the places where digamma is 0 its error is not small beside it, but beside 1.
TEST(SpecialAccuracy, DigammaAndItsDerivativeOfDoubles) {
  EXPECT_LT(worst_error<double>(kDigamma, 1e-300, 0.5, true, 1), 8);
  EXPECT_LT(worst_error<double>(kDigamma, 0.4, 12, false, 1), 20);
  EXPECT_LT(worst_error<double>(kDigamma, 12, 1e300, true), 4);
  EXPECT_LT(worst_error<double>(kDigamma, -1e-300, -0.4, true, 1), 16);
  EXPECT_LT(worst_error<double>(kTrigamma, 1e-150, 0.5, true), 10);
  EXPECT_LT(worst_error<double>(kTrigamma, 0.4, 12, false), 12);
  EXPECT_LT(worst_error<double>(kTrigamma, 12, 1e300, true), 10);
  EXPECT_LT(worst_error<double>(kTrigamma, -20, -0.5, false), 12);
}

TEST(SpecialAccuracy, InverseErfOfDoubles) {
  EXPECT_LT(worst_error<double>(kErfinv, 1e-300, 1, true), 4);
  EXPECT_LT(worst_error<double>(kErfinv, -1, 1, false), 4);
  EXPECT_LT(worst_error<double>(kErfinv, 0.84, 0.86, false), 4);
  EXPECT_LT(worst_error<double>(kErfinv, 1 - 1e-8, 1, false), 4);
}

template <class T>
void expect_limits(ScalarType dtype) {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const T given[] = {T(0.0), T(-0.0), 1, 2, -1, -2, T(-1e30), inf, -inf, nan};
  const Tensor x = empty({10}, dtype);
  std::copy_n(given, 10, x.data_ptr<T>());
  const auto expect = [&](const Tensor& y, const std::vector<T>& expected) {
    for (size_t i = 0; i < expected.size(); ++i) {
      const T v = y.data_ptr<T>()[i];
      EXPECT_TRUE(v == expected[i] || (v != v && expected[i] != expected[i]))
          << given[i] << ": " << v << ", not " << expected[i];
    }
  };
  expect(lgamma(x), {inf, inf, 0, 0, inf, inf, inf, inf, inf, nan});
  expect(digamma(x).index_select(0, tensor({0, 1, 4, 5, 6, 7, 8, 9})),
         {-inf, inf, nan, nan, nan, inf, nan, nan});
  expect(polygamma(1, x).index_select(0, tensor({0, 1, 4, 5, 6, 7, 9})),
         {inf, inf, inf, inf, inf, 0, nan});
  expect(erfinv(x), {0, 0, inf, nan, -inf, nan, nan, nan, nan, nan});
  EXPECT_TRUE(std::signbit(erfinv(x)[1].item<double>()));
  const T tiny = std::numeric_limits<T>::denorm_min();
  const Tensor least = full({1}, static_cast<double>(tiny), dtype);
  EXPECT_NEAR(lgamma(least).item<double>(), -std::log(static_cast<double>(tiny)), 1e-5);
  EXPECT_EQ(digamma(least).item<double>(), -std::numeric_limits<double>::infinity());
}

TEST(SpecialAccuracy, Limits) {
  expect_limits<float>(kFloat);
  expect_limits<double>(kDouble);
}

TEST(SpecialAccuracy, StridedRowsAndHalves) {
  const Tensor x = arange(600, kDouble).view({300, 2}) * 0.07 - 3.01;
  const Tensor column = x.select(1, 1);
  EXPECT_TRUE(lgamma(column).equal(lgamma(column.contiguous())));
  for (const ScalarType half : {kHalf, kBFloat16}) {
    const Tensor rounded = x.to(half);
    EXPECT_TRUE(lgamma(rounded).equal(lgamma(rounded.to(kDouble)).to(half)));
    EXPECT_TRUE(erfinv(rounded * 0.02).equal(erfinv((rounded * 0.02).to(kDouble)).to(half)));
  }
}

}  // namespace
}  // namespace torch::taper::testing
