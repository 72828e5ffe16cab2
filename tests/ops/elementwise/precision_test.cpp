// How far the functions of one float are from the exact value, in units in the last place: the
// table of docs/contributing/performance.md. Each value of a row is a bound, at random points of
// the row's domains.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include <taper/framework/kernel/isa.h>
#include <taper/taper.h>

namespace torch::taper::testing {
namespace {

using Long = long double;
using Op = Tensor (*)(const Tensor&);
constexpr Long kPi = 3.14159265358979323846264338327950288L;

Long logistic(Long x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }
Long softplus(Long x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
Long logit_of(Long x) {
  const bool near = x > 0.25L && x < 0.75L;  // next to 1/2 a quotient would lose what counts
  return near ? std::log1p((2 * x - 1) / (1 - x)) : std::log(x / (1 - x));
}
Long normal_cdf(Long x) { return std::erfc(-x / std::sqrt(2.0L)) / 2; }

/// Where points are drawn: evenly, or with even logarithms, so that tiny and huge numbers are met.
struct Domain {
  double low, high;
  bool spread = false;
};
struct Row {
  const char* name;
  Op op;
  Long (*exact)(Long);
  double bound_f32, bound_f64;
  std::vector<Domain> domains;
};

constexpr bool kSpread = true;
const Domain kSmall{1e-37, 1, kSpread}, kSmallBelow{-1e-37, -1, kSpread};
const Domain kAll{1e-37, 1e37, kSpread}, kAllBelow{-1e-37, -1e37, kSpread};
// For doubles alone: floats round such points to 0 or infinity.
const Domain kTiny{1e-300, 1e-30, kSpread}, kHuge{1e30, 1e300, kSpread};

#define OP(f) [](const Tensor& x) { return f(x); }
#define EXACT(f) [](Long x) -> Long { return f; }

const std::vector<Row>& elementary() {
  static const std::vector<Row> rows = {
      {"exp",
       OP(exp),
       EXACT(std::exp(x)),
       1,
       1,
       {{-87, 88}, {-1, 1}, {-745, -700}, {-103, -87}, {700, 710}}},
      {"exp2", OP(exp2), EXACT(std::exp2(x)), 1, 1, {{-126, 128}, {-1, 1}, {-1074, 1024}}},
      {"expm1",
       OP(expm1),
       EXACT(std::expm1(x)),
       1,
       1,
       {{-40, 40}, {-1, 1}, {80, 89}, {700, 710}, kSmall, kSmallBelow}},
      {"log",
       OP(log),
       EXACT(std::log(x)),
       1,
       1,
       {kAll, {0.5, 2}, {0.99, 1.01}, {1e-323, 1e-300, kSpread}, kHuge, {1e-44, 1e-38, kSpread}}},
      {"log2",
       OP(log2),
       EXACT(std::log2(x)),
       1,
       1,
       {kAll, {0.5, 2}, {0.99, 1.01}, {1e-323, 1e-300, kSpread}, kHuge}},
      {"log10",
       OP(log10),
       EXACT(std::log10(x)),
       1,
       1,
       {kAll, {0.5, 2}, {0.99, 1.01}, {1e-323, 1e-300, kSpread}, kHuge}},
      {"log1p",
       OP(log1p),
       EXACT(std::log1p(x)),
       1,
       1,
       {kAll, {-0.999, 2}, {-0.01, 0.01}, {-1e-30, -0.9999, kSpread}, {-1, -0.9999}, kTiny, kHuge}},
      {"sqrt", OP(sqrt), EXACT(std::sqrt(x)), 0.51, 0.51, {kAll}},
      {"rsqrt", OP(rsqrt), EXACT(1 / std::sqrt(x)), 1, 1, {kAll, kTiny}},
      {"reciprocal", OP(reciprocal), EXACT(1 / x), 0.51, 0.51, {kAll}},
      {"sin",
       OP(sin),
       EXACT(std::sin(x)),
       1,
       1,
       {{-10, 10}, {-1000, 1000}, {1e3, 1e7, kSpread}, kSmall, {1e9, 1e15, kSpread}}},
      {"cos",
       OP(cos),
       EXACT(std::cos(x)),
       1,
       1,
       {{-10, 10}, {-1000, 1000}, {1e3, 1e7, kSpread}, kSmall, {1e9, 1e15, kSpread}}},
      {"tan",
       OP(tan),
       EXACT(std::tan(x)),
       1,
       1,
       {{-10, 10}, {-1000, 1000}, {1e3, 1e7, kSpread}, kSmall, {1e9, 1e15, kSpread}}},
      {"asin", OP(asin), EXACT(std::asin(x)), 1, 1, {{-1, 1}, {0.99, 1}, kSmall, kTiny}},
      {"acos", OP(acos), EXACT(std::acos(x)), 1, 1, {{-1, 1}, {0.99, 1}, {-1, -0.99}, kSmall}},
      {"atan", OP(atan), EXACT(std::atan(x)), 1, 1, {{-3, 3}, kAll, kAllBelow, kTiny, kHuge}},
      {"sinh",
       OP(sinh),
       EXACT(std::sinh(x)),
       1,
       1,
       {{-5, 5}, {-88, 89.4}, {700, 711}, kSmall, kSmallBelow}},
      {"cosh", OP(cosh), EXACT(std::cosh(x)), 1, 1, {{-5, 5}, {-88, 89.4}, {700, 711}, kSmall}},
      {"tanh",
       OP(tanh),
       EXACT(std::tanh(x)),
       1,
       1,
       {{-3, 3}, {-22, 22}, {-0.6, 0.6}, kSmall, kSmallBelow, kTiny}},
      {"asinh",
       OP(asinh),
       EXACT(std::asinh(x)),
       1,
       1,
       {{-5, 5}, kAll, kAllBelow, {1e8, 1e11, kSpread}, kTiny, {1e300, 1.7e308, kSpread}}},
      {"acosh",
       OP(acosh),
       EXACT(std::acosh(x)),
       1,
       1,
       {{1, 5}, {1, 1.001}, {1, 1e37, kSpread}, {1e300, 1.7e308, kSpread}}},
      {"atanh", OP(atanh), EXACT(std::atanh(x)), 1, 1, {{-1, 1}, {0.99, 1}, kSmall, kTiny}},
      {"erf",
       OP(erf),
       EXACT(std::erf(x)),
       1,
       1,
       {{-6, 6}, {-2, 2}, {0.7, 1}, kSmall, kSmallBelow, kTiny}},
      // Of doubles it is glibc's: 1.7 by its vectors, 3 by its scalar (in builds with sanitizers).
      {"erfc", OP(erfc), EXACT(std::erfc(x)), 1, 4, {{-6, 9}, {-2, 2}, {9, 10}, {9, 26}, kSmall}},
      {"sigmoid",
       OP(sigmoid),
       EXACT(logistic(x)),
       2.5,
       1,
       {{-20, 20}, {-87, 87}, {-1, 1}, {-745, 745}, {-103, -87}}},
  };
  return rows;
}

const std::vector<Row>& activations() {
  static const std::vector<Row> rows = {
      {"elu", OP(elu), EXACT(x > 0 ? x : std::expm1(x)), 1, 1, {{-40, 1}, {-1, 1}, kSmallBelow}},
      {"selu",
       OP(selu),
       EXACT(1.0507009873554804934193349852946 *
             (x > 0 ? x : 1.6732632423543772848170429916717 * std::expm1(x))),
       1,
       1,
       {{-40, 1}, {-1, 1}, kSmallBelow}},
      {"celu",
       [](const Tensor& x) { return celu(x, 0.75); },
       EXACT(x > 0 ? x : 0.75L * std::expm1(x / 0.75L)),
       1,
       1.5,
       {{-40, 1}, {-1, 1}, kSmallBelow}},
      {"silu",
       OP(silu),
       EXACT(x * logistic(x)),
       2.6,
       1,
       {{-20, 20}, {-80, 80}, {-87, 700}, kSmall}},
      {"silu, tail", OP(silu), EXACT(x * logistic(x)), 52, 1, {{-700, -80}, {-104, -87}}},
      {"mish",
       OP(mish),
       EXACT(x * std::tanh(softplus(x))),
       1,
       1,
       {{-20, 20}, {-80, 80}, {-1, 1}, {-700, 700}, kSmall}},
      {"softplus",
       OP(softplus),
       EXACT(x > 20 ? x : softplus(x)),
       1,
       1,
       {{-20, 21}, {-87, 30}, {-1, 1}, {-700, 0}}},
      {"log_sigmoid",
       OP(log_sigmoid),
       EXACT(0 - softplus(-x)),
       1,
       1,
       {{-20, 20}, {-80, 80}, {-1, 1}, {-700, 700}}},
      {"gelu", OP(gelu), EXACT(x * normal_cdf(x)), 4, 4, {{-8, 8}, {-1, 1}, kSmall}},
      {"gelu, tail", OP(gelu), EXACT(x * normal_cdf(x)), 4, 5, {{-13, -7}}},
      {"gelu, tanh",
       [](const Tensor& x) { return gelu(x, "tanh"); },
       EXACT(x * logistic(2 * std::sqrt(2 / kPi) * (x + 0.044715L * x * x * x))),
       4,
       4,
       {{-8, 8}, {-1, 1}, kSmall}},
      {"logit", OP(logit), &logit_of, 1, 1, {{0, 1}, {0.49, 0.51}, kSmall}},
  };
  return rows;
}

// Functions that are not held to one unit: what their definitions cost.
const std::vector<Row>& others() {
  static const std::vector<Row> rows = {
      {"ndtr", OP(special::ndtr), EXACT(normal_cdf(x)), 100, 200, {{-8, 8}}},
      {"erfcx", OP(special::erfcx), EXACT(std::exp(x * x) * std::erfc(x)), 0.6, 40, {{-5, 9}}},
      {"sinc",
       OP(sinc),
       EXACT(x == 0 ? 1 : std::sin(kPi * x) / (kPi * x)),
       4,
       4,
       {{-0.5, 0.5}, {1e-37, 0.5, kSpread}}},
      {"entr", OP(special::entr), EXACT(-x * std::log(x)), 6, 4, {{0, 3}}},
      {"rad2deg", OP(rad2deg), EXACT(x * 180 / kPi), 1, 1, {{-10, 10}}},
      {"deg2rad", OP(deg2rad), EXACT(x * kPi / 180), 1, 1, {{-400, 400}}},
  };
  return rows;
}

template <class T>
Tensor points(const Domain& d, int64_t n) {
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> unit(0, 1);
  const Tensor x = empty({n}, sizeof(T) == 4 ? kFloat : kDouble);
  for (int64_t i = 0; i < n; ++i) {
    const double u = unit(generator);
    const double v = d.spread ? d.low * std::pow(d.high / d.low, u) : d.low + u * (d.high - d.low);
    x.data_ptr<T>()[i] = static_cast<T>(v);
  }
  return x;
}

/// |got - exact| in units in the last place of exact; 0 where exact is no number or has no place in
/// T.
template <class T>
double error_of(T got, Long exact) {
  const Long size = std::fabs(exact);
  if (!(size <= std::numeric_limits<T>::max())) return 0;
  T below = static_cast<T>(size);
  if (below > size) below = std::nextafter(below, T(0));
  const Long place =
      static_cast<Long>(std::nextafter(below, std::numeric_limits<T>::infinity())) - below;
  const Long error = std::fabs(static_cast<Long>(got) - exact) / place;
  return error == error ? static_cast<double>(error) : std::numeric_limits<double>::infinity();
}

template <class T>
void hold(const Row& row, double bound) {
  constexpr int64_t n = 20011;
  double worst = 0, at = 0;
  for (const Domain& d : row.domains) {
    const Tensor x = points<T>(d, n), y = row.op(x);
    const T *p = x.data_ptr<T>(), *q = y.data_ptr<T>();
    for (int64_t i = 0; i < n; ++i) {
      if (!std::isfinite(p[i])) continue;
      const double error = error_of(q[i], row.exact(p[i]));
      if (error > worst) worst = error, at = static_cast<double>(p[i]);
    }
  }
  EXPECT_LE(worst, bound) << row.name << " of " << (sizeof(T) == 4 ? "f32" : "f64") << " at " << at;
  if (std::getenv("TAPER_PRECISION_TABLE"))
    std::printf("%-12s %s %8.3f at %.17g\n", row.name, sizeof(T) == 4 ? "f32" : "f64", worst, at);
}
void hold_all(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    hold<float>(row, row.bound_f32);
    hold<double>(row, row.bound_f64);
  }
}

TEST(Precision, OfElementaryFunctions) { hold_all(elementary()); }
TEST(Precision, OfActivations) { hold_all(activations()); }
TEST(Precision, OfOthersAsTheyAre) { hold_all(others()); }

/// The numbers of T next to the multiples of pi/2, whose sines or cosines have the fewest digits.
template <class T>
Tensor near_quarter_turns() {
  std::vector<T> v;
  for (int64_t k = 1; k < (1 << 20); k += 1 + k / 300) v.push_back(static_cast<T>(k * (kPi / 2)));
  return tensor(v, sizeof(T) == 4 ? kFloat : kDouble);
}
template <class T>
void hold_near_quarter_turns() {
  const Tensor x = near_quarter_turns<T>(), s = sin(x), c = cos(x), t = tan(x);
  for (int64_t i = 0; i < x.numel(); ++i) {
    const T v = x.data_ptr<T>()[i];
    const Long exact = v;
    EXPECT_LE(error_of(s.data_ptr<T>()[i], std::sin(exact)), 1) << v;
    EXPECT_LE(error_of(c.data_ptr<T>()[i], std::cos(exact)), 1) << v;
    EXPECT_LE(error_of(t.data_ptr<T>()[i], std::tan(exact)), 1) << v;
  }
}
TEST(Precision, NextToQuarterTurns) {
  hold_near_quarter_turns<float>();
  hold_near_quarter_turns<double>();
}

// ---------------------------------------------------------------- ends of domains, places in
// memory
template <class T>
bool same(T a, T b) {
  return (a != a && b != b) || (a == b && std::signbit(a) == std::signbit(b));
}
template <class T>
void expect_library_at_ends(const Row& row) {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const std::vector<T> given = {T(0), T(-0.0), inf, -inf, nan, T(1), T(-1), T(2), T(-2), T(-5)};
  const Tensor y = row.op(tensor(given, sizeof(T) == 4 ? kFloat : kDouble));
  for (size_t i = 0; i < given.size(); ++i) {
    const T got = y.data_ptr<T>()[i], want = static_cast<T>(row.exact(given[i]));
    const bool has_digits = std::isfinite(want) && want != 0;
    EXPECT_TRUE(has_digits ? error_of(got, want) <= 2 : same(got, want))
        << row.name << " of " << given[i] << ": " << got << ", not " << want;
  }
}
TEST(Precision, EndsOfDomains) {
  std::vector<Row> rows = elementary();
  rows.insert(rows.end(), activations().begin(), activations().end());
  for (const Row& row : rows) {
    expect_library_at_ends<float>(row);
    expect_library_at_ends<double>(row);
  }
}

// An element's result depends neither on its place in a row nor on what is beside it.
void expect_same_everywhere(const Row& row, ScalarType dtype) {
  const Tensor x = dtype == kDouble ? points<double>(row.domains[0], 200)
                                    : points<float>(row.domains[0], 200).to(dtype);
  const Tensor whole = row.op(x);
  for (int64_t n = 1; n < 40; ++n)
    EXPECT_TRUE(row.op(x.narrow(0, n, n)).equal(whole.narrow(0, n, n))) << row.name << ", " << n;
  const Tensor apart = x.view({100, 2}).select(1, 1);
  EXPECT_TRUE(row.op(apart).equal(whole.view({100, 2}).select(1, 1))) << row.name;
  EXPECT_TRUE(row.op(x.view({10, 20}).t()).equal(whole.view({10, 20}).t())) << row.name;
}
TEST(Precision, IsThatOfEveryPlace) {
  for (const auto* rows : {&elementary(), &activations()})
    for (const Row& row : *rows)
      for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16})
        expect_same_everywhere(row, dtype);
}

// ---------------------------------------------------------------- all 16-bit floats
Tensor all_of(ScalarType t) { return arange(-32768, 32768, kShort).view(t); }

/// The unit in the last place of a number of this size; of those below the normal range the
/// smallest one.
Long place_in(ScalarType t, Long size) {
  int exponent = 0;
  std::frexp(size, &exponent);
  return t == kHalf ? std::ldexp(1.0L, std::max(exponent - 11, -24))
                    : std::ldexp(1.0L, std::max(exponent - 8, -133));
}
Long largest_of(ScalarType t) { return t == kHalf ? 65504.0L : 0x1.fep127L; }

/// |got - exact| in units in the last place, less what `slack` allows; infinite where one is no
/// number, or zero of the other sign, and the other is not.
double error_in(ScalarType t, double got, Long exact, Long slack) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const Long size = std::fabs(exact);
  if (exact != exact || got != got) return (exact != exact) == (got != got) ? 0 : inf;
  if (exact == 0 && got == 0 && slack == 0)
    return std::signbit(exact) == std::signbit(got) ? 0 : inf;
  if (size > largest_of(t))
    return std::fabs(got) >= largest_of(t) && std::signbit(got) == std::signbit(exact) ? 0 : inf;
  const Long error = std::fabs(static_cast<Long>(got) - exact) - slack;
  return static_cast<double>(std::max(error, 0.0L) / place_in(t, size));
}

/// Holds y = f(all_of(t)) to `bound`.
void hold_all_of(const char* name, ScalarType t, const Tensor& y, Long (*exact)(Long), double bound,
                 bool finite = false, Long slack = 0) {
  const Tensor x = all_of(t).to(kDouble), got = y.to(kDouble);
  double worst = 0, at = 0;
  for (int64_t i = 0; i < x.numel(); ++i) {
    const double v = x.data_ptr<double>()[i];
    if (finite && !std::isfinite(v)) continue;
    const double error = error_in(t, got.data_ptr<double>()[i], exact(v), slack);
    if (error > worst) worst = error, at = v;
  }
  EXPECT_LE(worst, bound) << name << " of " << toString(t) << " at " << at;
  if (std::getenv("TAPER_PRECISION_TABLE"))
    std::printf("%-12s %s %8.3f at %.17g\n", name, toString(t), worst, at);
}

// Builds with sanitizers have kernels for no other.
bool by_oldest_instruction_set() {
#ifdef TAPER_NO_ISA_VARIANTS
  return true;
#else
  return cpu::best_isa == cpu::Isa::kBase;
#endif
}

// By the oldest instruction set sigmoid of bf16 is 0 below -88.
TEST(Precision, OfAll16BitFloats) {
  const Long lost = by_oldest_instruction_set() ? 6.1e-39L : 0;
  for (const auto* rows : {&elementary(), &activations()})
    for (const Row& row : *rows)
      for (const ScalarType t : {kHalf, kBFloat16})
        hold_all_of(row.name, t, row.op(all_of(t)), row.exact, 1, false, lost);
}

Long normal_density(Long x) { return std::exp(-x * x / 2) / std::sqrt(2 * kPi); }
Long gate_slope(Long x, Long gate, Long rate) { return gate * (1 + x * rate * (1 - gate)); }

// Some cross 0, where floats have no more digits: that much is allowed beside a unit.
TEST(Precision, OfSlopesOfAll16BitFloats) {
  if (by_oldest_instruction_set()) GTEST_SKIP() << "those of floats, whose tails are shorter";
  constexpr Long crossing = 3e-7L;
  const std::vector<std::tuple<const char*, Op, Long (*)(Long), Long>> rows = {
      {"gelu", OP(gelu), EXACT(normal_cdf(x) + x * normal_density(x)), crossing},
      {"gelu, tanh", [](const Tensor& x) { return gelu(x, "tanh"); },
       EXACT(gate_slope(x, logistic(2 * std::sqrt(2 / kPi) * (x + 0.044715L * x * x * x)),
                        2 * std::sqrt(2 / kPi) * (1 + 3 * 0.044715L * x * x))),
       crossing},
      {"silu", OP(silu), EXACT(gate_slope(x, logistic(x), 1)), crossing},
      {"mish", OP(mish),
       EXACT(std::tanh(softplus(x)) + x * (1 - std::pow(std::tanh(softplus(x)), 2)) * logistic(x)),
       crossing},
      {"elu", OP(elu), EXACT(x > 0 ? 1 : std::exp(x)), 1e-40L},
      {"softplus", OP(softplus), EXACT(x > 20 ? 1 : logistic(x)), 1e-40L},
      {"log_sigmoid", OP(log_sigmoid), EXACT(logistic(-x)), 1e-40L},
      {"hardswish", OP(hardswish),
       EXACT(x < -3  ? 0
             : x > 3 ? 1
                     : x / 3 + 0.5L),
       crossing},
      {"hardsigmoid", OP(hardsigmoid), EXACT(x > -3 && x < 3 ? 1.0L / 6 : 0 * x), 1e-40L},
      {"leaky_relu", [](const Tensor& x) { return leaky_relu(x, 0.25); }, EXACT(x > 0 ? 1 : 0.25L),
       1e-40L},
  };
  for (const auto& [name, op, exact, slack] : rows)
    for (const ScalarType t : {kHalf, kBFloat16}) {
      const Tensor x = all_of(t).requires_grad_();
      op(x).backward(ones_like(x));
      hold_all_of(name, t, x.grad(), exact, 1, true, slack);
    }
}

}  // namespace
}  // namespace torch::taper::testing
