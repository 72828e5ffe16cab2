// Functions of float that are written as arithmetic, at the edges of their domains; and results
// that are written by non-temporal stores.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <taper/framework/kernel/op_lists.h>
#include <taper/taper.h>

#include "test_util.h"

namespace torch::taper {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// The largest error of f on [low, high], in units of `floor + |exact|`.
template <class F, class Exact>
double largest_error(const F& f, const Exact& exact, double low, double high, double floor) {
  const int64_t n = 20011;
  const Tensor x = linspace(low, high, n), y = f(x);
  double worst = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double want = exact(static_cast<double>(x.data_ptr<float>()[i]));
    const double error = std::abs(y.data_ptr<float>()[i] - want) / (floor + std::abs(want));
    worst = std::max(worst, error);
  }
  return worst;
}

TEST(VectorMath, IsAccurateEverywhere) {
  const auto exponential = [](const Tensor& x) { return exp(x); };
  const auto e = [](double x) { return std::exp(x); };
  EXPECT_LT(largest_error(exponential, e, -87, 88.7, 0), 1.5e-7);
  EXPECT_LT(largest_error(exponential, e, -110, -80, 1e-38), 1e-6);  // down to subnormal results
  const auto tangent = [](const Tensor& x) { return tanh(x); };
  const auto t = [](double x) { return std::tanh(x); };
  EXPECT_LT(largest_error(tangent, t, -1e-3, 1e-3, 1e-30), 3e-7);
  EXPECT_LT(largest_error(tangent, t, -12, 12, 0), 3e-7);
  const auto logistic = [](const Tensor& x) { return sigmoid(x); };
  const auto l = [](double x) { return 1 / (1 + std::exp(-x)); };
  EXPECT_LT(largest_error(logistic, l, -100, 100, 1e-31), 4e-7);
  const auto gaussian = [](const Tensor& x) { return gelu(x); };
  const auto g = [](double x) { return x * 0.5 * std::erfc(-x * std::sqrt(0.5)); };
  EXPECT_LT(largest_error(gaussian, g, -1, 6, 0), 4e-7);
  EXPECT_LT(largest_error(gaussian, g, -20, 0, 0.01), 1e-6);
}

void expect_values(const Tensor& got, std::initializer_list<float> want) {
  const float* p = got.data_ptr<float>();
  for (float w : want) {
    const float v = *p++;
    EXPECT_TRUE(v == w || (std::isnan(v) && std::isnan(w))) << v << " for " << w;
  }
}

TEST(VectorMath, KeepsInfinitiesNaNAndSigns) {
  const Tensor x = tensor({-kInf, kInf, kNaN, 0.0f, 1e30f, -1e30f});
  expect_values(exp(x), {0, kInf, kNaN, 1, kInf, 0});
  expect_values(tanh(x), {-1, 1, kNaN, 0, 1, -1});
  expect_values(sigmoid(x), {0, 1, kNaN, 0.5f, 1, 0});
  expect_values(softmax(tensor({-kInf, 0.0f, 0.0f}), 0), {0, 0.5f, 0.5f});
  EXPECT_TRUE(std::signbit(tanh(tensor({-0.0f})).item<float>()));
  EXPECT_EQ(gelu(tensor({kInf})).item<float>(), kInf);
  EXPECT_EQ(gelu(tensor({-50.0f})).item<float>(), 0);
}

// Every length ends in another part of a vector; a sum that ran on would not be 1.
TEST(VectorMath, RowsOfEveryLengthEndWhereTheyEnd) {
  for (int64_t n = 1; n <= 140; ++n) {
    const Tensor x = randn({3, n + 1}).narrow(1, 1, n), sums = exp(x).sum(1, true);
    EXPECT_TRUE(allclose(softmax(x, 1), exp(x) / sums, 1e-5, 1e-7)) << n;
    EXPECT_TRUE(allclose(log_softmax(x, 1), x - log(sums), 1e-5, 1e-5)) << n;
    EXPECT_TRUE(allclose(exp(x.to(kDouble)), exp(x).to(kDouble), 1e-6, 0)) << n;
  }
}

TEST(VectorMath, NaNAndInfinityInARowMakeItNaN) {
  for (const float bad : {kNaN, kInf})
    for (int64_t at : {0, 17, 64, 99}) {
      const Tensor x = zeros({2, 100});
      x[0][at] = bad;
      const Tensor y = softmax(x, 1), z = log_softmax(x, 1);
      EXPECT_EQ(y.isnan().sum(1)[0].item<int64_t>(), 100) << bad << " at " << at;
      EXPECT_EQ(z.isnan().sum(1)[0].item<int64_t>(), 100) << bad << " at " << at;
      EXPECT_FALSE(y[1].isnan().any().item<bool>() || z[1].isnan().any().item<bool>());
    }
}

TEST(LargeResults, AreThoseOfTheirParts) {
  const int64_t n = (5 << 20) + 37;  // 20 MiB and an odd end
  const Tensor all = randn({n + 1}), x = all.narrow(0, 1, n), y = randn({n});
  const Tensor e = exp(x), sum = x + y, moved = x.clone(), scaled = y * 3;
  for (int64_t at : {int64_t{0}, int64_t{511}, n / 2 + 5, n - 1000}) {
    const auto part = [&](const Tensor& t) { return t.narrow(0, at, 1000); };
    EXPECT_TRUE(allclose(part(e), exp(part(x)), 1e-6, 0)) << at;
    EXPECT_TRUE(part(sum).equal(part(x) + part(y))) << at;
    EXPECT_TRUE(part(moved).equal(part(x))) << at;
    EXPECT_TRUE(part(scaled).equal(part(y) * 3)) << at;
  }
}

// ---------------------------------------------------------------- remainders
template <class T>
void check_remainders(const std::vector<T>& xs, const std::vector<T>& ys, ScalarType dtype) {
  const auto n = static_cast<int64_t>(xs.size());
  const Tensor x = from_blob(const_cast<T*>(xs.data()), {n}, TensorOptions(dtype)).clone();
  const Tensor y = from_blob(const_cast<T*>(ys.data()), {n}, TensorOptions(dtype)).clone();
  const Tensor f = fmod(x, y), r = remainder(x, y), q = floor_divide(x, y);
  const auto same = [](T a, T b) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
  };
  for (size_t i = 0; i < xs.size(); ++i) {
    const T exact = std::fmod(xs[i], ys[i]);
    const T floored = exact != 0 && (exact < 0) != (ys[i] < 0) ? exact + ys[i] : exact;
    ASSERT_TRUE(same(f.data_ptr<T>()[i], exact)) << xs[i] << " % " << ys[i];
    ASSERT_TRUE(same(r.data_ptr<T>()[i], floored)) << xs[i] << " mod " << ys[i];
    const T whole = q.data_ptr<T>()[i];
    if (std::isfinite(whole) && std::abs(whole) < 1e5 && std::isfinite(ys[i]))
      ASSERT_NEAR(whole * ys[i] + floored, xs[i], std::abs(xs[i]) * 1e-5 + std::abs(ys[i]) * 1e-6);
  }
}

template <class T>
void check_remainders_of(ScalarType dtype) {
  const T inf = std::numeric_limits<T>::infinity(), tiny = std::numeric_limits<T>::denorm_min();
  std::vector<T> xs, ys;
  for (int i = 0; i < 1500; ++i) {  // quotients up to 1e6, whole and nearly whole ones
    const T y = T(0.3) + T(i % 37) * T(0.7);
    const T x = T(i % 4 == 0 ? 1 : 1000) * y * T(i) + T(i % 3) * y * T(0.4);
    xs.push_back(i % 2 ? x : -x);
    ys.push_back(i % 5 ? y : -y);
  }
  check_remainders(xs, ys, dtype);
  for (T x : {T(0), -T(0), T(5), -T(5), T(1e30), -T(1e30), inf, -inf, T(NAN), tiny})
    for (T y : {T(0), T(3), -T(3), T(1e-30), inf, -inf, T(NAN), tiny, T(1e30)}) {
      xs.push_back(x);
      ys.push_back(y);
    }
  check_remainders(xs, ys, dtype);
}

TEST(VectorMath, RemaindersAreExact) {
  check_remainders_of<float>(kFloat);
  check_remainders_of<double>(kDouble);
  const Tensor x = linspace(-50, 50, 1003);
  EXPECT_TRUE(fmod(x, 0.7f).equal(fmod(x, full({1003}, 0.7f))));
  EXPECT_TRUE(remainder(full({1}, 7.5f), x).equal(remainder(full({1003}, 7.5f), x)));
}

TEST(VectorMath, TwoArguments) {
  const Tensor x = tensor({-kInf, kInf, 3.0f, -3.0f, 0.0f, kNaN, 0.0f});
  const Tensor y = tensor({-kInf, -kInf, 4.0f, kInf, -0.0f, 1.0f, -2.0f});
  expect_values(hypot(x, y).narrow(0, 0, 5), {kInf, kInf, 5, kInf, 0});
  expect_values(logaddexp(x, y), {-kInf, kInf, 4.3132617f, kInf, 0.69314718f, kNaN});
  expect_values(logaddexp2(x, x).narrow(0, 0, 3), {-kInf, kInf, 4});
  EXPECT_NEAR(atan2(x, y)[6].item<float>(), 3.14159265f, 1e-6f);
  EXPECT_NEAR(hypot(full({40}, 3e30f), full({40}, 4e30f))[39].item<float>(), 5e30f, 1e25f);
  // The sum over k of 1 / (x + k)^2, by reflection on the left.
  EXPECT_NEAR(polygamma(1, tensor({1.0}, kDouble)).item<double>(), M_PI * M_PI / 6, 1e-14);
  EXPECT_NEAR(polygamma(1, tensor({-0.5}, kDouble)).item<double>(), M_PI * M_PI / 2 + 4, 1e-12);
  EXPECT_NEAR(polygamma(1, tensor({40.25}, kDouble)).item<double>(), 0.025155906192376037, 1e-14);
}

// Rare arguments stand among others, alone, and nowhere; against the library's functions.
template <class T, class F, class Exact>
void check_rare(ScalarType dtype, const F& f, const Exact& exact) {
  const T inf = std::numeric_limits<T>::infinity(), tiny = std::numeric_limits<T>::denorm_min();
  const std::vector<T> rare = {0,      -T(0), -1,    T(-0.5), -inf, inf,
                               T(NAN), tiny,  -tiny, -3,      2,    T(1.25)};
  for (const size_t every : {1, 7, 300}) {
    std::vector<T> xs;
    for (size_t i = 0; i < 1100; ++i)
      xs.push_back(i % every == 0 ? rare[i / every % rare.size()] : T(0.001) * T(i % 997 + 1));
    const Tensor y = f(tensor(xs, dtype));
    for (size_t i = 0; i < xs.size(); ++i) {
      const double got = static_cast<double>(y.data_ptr<T>()[i]);
      const double want = exact(static_cast<double>(xs[i]));
      if (std::isnan(want) || std::isinf(want) || want == 0)
        EXPECT_TRUE(std::isnan(want) ? std::isnan(got)
                                     : got == want && std::signbit(got) == std::signbit(want))
            << xs[i] << ": " << got << ", not " << want;
      else
        EXPECT_NEAR(got, want, std::abs(want) * 8 * std::numeric_limits<T>::epsilon()) << xs[i];
    }
  }
}

template <class T>
void check_rare_of(ScalarType t) {
  const auto check = [t](const auto& f, const auto& exact) { check_rare<T>(t, f, exact); };
  check([](const Tensor& x) { return log(x); }, [](double x) { return std::log(x); });
  check([](const Tensor& x) { return log2(x); }, [](double x) { return std::log2(x); });
  check([](const Tensor& x) { return log10(x); }, [](double x) { return std::log10(x); });
  check([](const Tensor& x) { return log1p(x); }, [](double x) { return std::log1p(x); });
  check([](const Tensor& x) { return asin(x); }, [](double x) { return std::asin(x); });
  check([](const Tensor& x) { return acos(x); }, [](double x) { return std::acos(x); });
}

TEST(VectorMath, RareArguments) {
  check_rare_of<float>(kFloat);
  check_rare_of<double>(kDouble);
}

// Powers that overflow floats are distinguished by the doubles' test.
TEST(VectorMath, PowersOfAnyNumber) {
  for (const double e :
       {4.0, 5.0, 2.5, -4.0, -5.0, -0.75, 0.0, double(kInf), -double(kInf), double(kNaN)}) {
    const auto exact = [e](double x) { return std::pow(x, e); };
    check_rare<double>(
        kDouble, [e](const Tensor& x) { return pow(x, e); }, exact);
    check_rare<double>(
        kDouble, [e](const Tensor& x) { return pow(x, full_like(x, e)); }, exact);
  }
  for (const float e : {4.0f, 5.0f, 2.5f, 0.0f, kInf, -kInf, kNaN}) {
    const auto exact = [e](double x) {
      return static_cast<double>(std::pow(static_cast<float>(x), e));
    };
    check_rare<float>(
        kFloat, [e](const Tensor& x) { return pow(x, e); }, exact);
    check_rare<float>(
        kFloat, [e](const Tensor& x) { return pow(x, full_like(x, e)); }, exact);
  }
}

// Few floats side by side go to the loops of the kernels at once, all others by way of a kernel.
Tensor with_gaps(const Tensor& x) { return stack({x, x}, 1).select(1, 0); }
bool same_bits(const Tensor& a, const Tensor& b) {
  return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() &&
         std::memcmp(a.data_ptr(), b.contiguous().data_ptr(), a.nbytes()) == 0;
}
Tensor floats_of_all_kinds(int64_t n, float scale) {
  const Tensor x = (arange(n, TensorOptions(kFloat)) * 0.731f).sin() * scale;
  const std::vector<float> ends = {kInf, -kInf, 0.0f, -0.0f, 1e-40f, 2.0f};
  for (int64_t i = 0; i < std::min<int64_t>(n / 2, 6); ++i)
    x.data_ptr<float>()[2 * i] = ends[static_cast<size_t>(i)];
  return x;
}

TEST(FewFloats, OfOneOperandHaveTheBitsOfOthers) {
  for (const int64_t n : {1, 3, 8, 17, 64, 100, 4096, 4097}) {
    const Tensor x = floats_of_all_kinds(n, 3), gaps = with_gaps(x);
#define TAPER_SAME_BITS(name, kind) EXPECT_TRUE(same_bits(x.name(), gaps.name())) << #name << n;
    TAPER_UNARY_OPS(TAPER_SAME_BITS)
#undef TAPER_SAME_BITS
    EXPECT_TRUE(same_bits(x.logical_not(), gaps.logical_not())) << n;
    EXPECT_TRUE(same_bits(x.clone().exp_(), gaps.exp())) << n;
  }
}

TEST(FewFloats, OfTwoOperandsHaveTheBitsOfOthers) {
  using Op = Tensor (*)(const Tensor&, const Tensor&);
  const std::vector<Op> ops = {
      [](const Tensor& a, const Tensor& b) { return a + b; },
      [](const Tensor& a, const Tensor& b) { return a - b; },
      [](const Tensor& a, const Tensor& b) { return a * b; },
      [](const Tensor& a, const Tensor& b) { return a / b; },
      [](const Tensor& a, const Tensor& b) { return maximum(a, b); },
      [](const Tensor& a, const Tensor& b) { return minimum(a, b); },
      [](const Tensor& a, const Tensor& b) { return atan2(a, b); },
      [](const Tensor& a, const Tensor& b) { return copysign(a, b); },
      [](const Tensor& a, const Tensor& b) { return fmod(a, b); },
      [](const Tensor& a, const Tensor& b) { return remainder(a, b); },
      [](const Tensor& a, const Tensor& b) { return floor_divide(a, b); },
      [](const Tensor& a, const Tensor& b) { return div(a, b, "trunc"); },
      [](const Tensor& a, const Tensor& b) { return a.abs().pow(b); },
      [](const Tensor& a, const Tensor& b) { return relu_backward(a, b); },
      [](const Tensor& a, const Tensor& b) { return tanh_backward(a, b); },
      [](const Tensor& a, const Tensor& b) { return sigmoid_backward(a, b); },
      [](const Tensor& a, const Tensor& b) { return a == b; },
      [](const Tensor& a, const Tensor& b) { return a != b; },
      [](const Tensor& a, const Tensor& b) { return a < b; },
      [](const Tensor& a, const Tensor& b) { return a <= b; },
      [](const Tensor& a, const Tensor& b) { return a > b; },
      [](const Tensor& a, const Tensor& b) { return a >= b; },
      [](const Tensor& a, const Tensor& b) { return logical_and(a, b); },
      [](const Tensor& a, const Tensor& b) { return logical_or(a, b); },
      [](const Tensor& a, const Tensor& b) { return logical_xor(a, b); },
  };
  for (const int64_t n : {1, 3, 8, 17, 64, 100, 4096, 4097}) {
    const Tensor a = floats_of_all_kinds(n, 3), b = floats_of_all_kinds(n, 2).flip(0);
    for (size_t i = 0; i < ops.size(); ++i)
      EXPECT_TRUE(same_bits(ops[i](a, b), ops[i](with_gaps(a), with_gaps(b)))) << i << " " << n;
    EXPECT_TRUE(same_bits(a.clone().mul_(b), a * b)) << n;
    EXPECT_TRUE(same_bits(a.clone().mul_(a), a * a)) << n;
    const Tensor scaled = with_gaps(a).add(with_gaps(b), -0.3);
    EXPECT_TRUE(same_bits(a.add(b, -0.3), scaled)) << n;
    EXPECT_TRUE(same_bits(a.sub(b, 0.3), scaled)) << n;
    EXPECT_TRUE(same_bits(a.clone().add_(b, -0.3), scaled)) << n;
    const Tensor twice = a.clone();
    EXPECT_TRUE(same_bits(twice.add_(twice, -0.3), with_gaps(a).add(with_gaps(a), -0.3))) << n;
    EXPECT_EQ(twice._version(), 1);
  }
}

// Rows of C that fill a vector, half of one, or less; operands as they lie and transposed.
TEST(FewFloats, OfMatricesAreMultiplied) {
  for (const int64_t m : {1, 2, 8, 9, 17})
    for (const int64_t k : {1, 4, 8, 33, 40})
      for (int64_t n = 1; n <= 17; ++n) {
        const Tensor a = (arange(m * k, TensorOptions(kDouble)) * 0.7).sin().view({m, k});
        const Tensor b = (arange(k * n, TensorOptions(kDouble)) * 0.3).cos().view({k, n});
        const Tensor want = a.mm(b), x = a.to(kFloat), w = b.to(kFloat);
        const Tensor xt = x.t().contiguous().t(), wt = w.t().contiguous().t();
        for (const Tensor& got : {x.mm(w), x.mm(wt), xt.mm(w), xt.mm(wt)})
          EXPECT_LT((got.to(kDouble) - want).abs().max().item<double>(), 1e-5 * (1 + k))
              << m << " " << k << " " << n;
      }
}

// Memory that is not theirs stays as it is.
TEST(FewFloats, AreChangedAlone) {
  const Tensor whole = ones({4, 5});
  const Tensor row = whole[1];
  row.zero_();
  whole[2].mul_(full({5}, 3.0f));
  whole[3].neg_();
  for (int64_t i = 0; i < 20; ++i) {
    const float want[] = {1, 0, 3, -1};
    EXPECT_EQ(whole.data_ptr<float>()[i], want[i / 5]) << i;
  }
  EXPECT_EQ(row._version(), 3);
  empty({0}).zero_();
}

}  // namespace
}  // namespace torch::taper
