#include <taper/ops/elementwise/special.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <taper/framework/autograd/autograd.h>
#include <taper/generated/special_names.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/special_bessel.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/nn/activation.h>
#include <taper/ops/tensor/factory.h>

#include "harness/pointwise.h"
#include "ops/elementwise/special_definitions.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

// Independent of the library: derivatives of log Gamma as sums far beyond the asymptotic range.
double digamma_sum(double x) {
  double sum = 0;
  for (; x < 30; x += 1) sum -= 1 / x;
  return sum + std::log(x) - 0.5 / x - 1 / (12 * x * x) + 1 / (120 * x * x * x * x);
}
double trigamma_sum(double x) {
  double sum = 0;
  for (; x < 30; x += 1) sum += 1 / (x * x);
  return sum + 1 / x + 0.5 / (x * x) + 1 / (6 * x * x * x) - 1 / (30 * std::pow(x, 5));
}
double erfinv_bisection(double y) {
  double low = -6, high = 6;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erf(middle) < y ? low : high) = middle;
  }
  return low;
}

OpCase float_case(std::string name, Tensor (*op)(const Tensor&), Unary f, Range range) {
  OpCase c = unary_case(std::move(name), op, f, range);
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16};
  c.result_dtype = float_result;
  c.tolerance = 8;
  return c;
}

TAPER_OP_CASES(special_unary, {
  std::vector<OpCase> list = {
      float_case("lgamma", &lgamma, [](double x) { return std::lgamma(x); }, {0.3, 8}),
      float_case("digamma", &digamma, &digamma_sum, {0.3, 20}),
      float_case("polygamma_1", [](const Tensor& x) { return polygamma(1, x); }, &trigamma_sum,
                 {0.3, 20}),
      float_case("erfinv", &erfinv, &erfinv_bisection, {-0.95, 0.95}),
      float_case("i0", &i0, [](double x) { return bessel_i_integral(x, 0); }, {-9, 9}),
      float_case("special_i1", &special::i1, [](double x) { return bessel_i_integral(x, 1); },
                 {-9, 9}),
      float_case("sinc", &sinc, [](double x) { return std::sin(kPi * x) / (kPi * x); }, {0.1, 3}),
      float_case("deg2rad", &deg2rad, [](double x) { return x * kPi / 180; }, {-180, 180}),
      float_case("rad2deg", &rad2deg, [](double x) { return x * 180 / kPi; }, {-3, 3})};
  OpCase sign =
      unary_case("signbit", &signbit, [](double x) { return double(std::signbit(x)); }, {-3, 3});
  sign.result_dtype = bool_result;
  sign.differentiable = false;
  list.push_back(sign);
  return list;
});

TAPER_OP_CASES(special_binary, {
  const auto floats = [](std::string name, Tensor (*op)(const Tensor&, const Tensor&), Binary f,
                         Range x, Range y) {
    OpCase c = binary_case(std::move(name), op, f, x, y);
    c.dtypes = {kFloat, kDouble};
    c.tolerance = 8;
    return c;
  };
  std::vector<OpCase> list = {
      floats("logaddexp", &logaddexp,
             [](double x, double y) { return std::log(std::exp(x) + std::exp(y)); }, {}, {}),
      floats("logaddexp2", &logaddexp2,
             [](double x, double y) { return std::log2(std::exp2(x) + std::exp2(y)); }, {}, {}),
      floats("hypot", &hypot, [](double x, double y) { return std::hypot(x, y); }, {}, {}),
      floats("xlogy", &xlogy, [](double x, double y) { return x * std::log(y); }, {}, {0.2, 4}),
      floats("fmax", &fmax, [](double x, double y) { return std::fmax(x, y); }, {-3, 0}, {1, 3}),
      floats("fmin", &fmin, [](double x, double y) { return std::fmin(x, y); }, {-3, 0}, {1, 3}),
      floats("ldexp", &ldexp, [](double x, double y) { return x * std::exp2(y); }, {}, {})};
  const auto integers = [&](std::string name, Tensor (*op)(const Tensor&, const Tensor&), Binary f,
                            Range x, Range y) {
    OpCase c = binary_case(name, op, f, x, y);
    c.dtypes = {kInt, kLong};
    c.differentiable = false;
    const std::string words = "\"" + name + "_cpu\" not implemented for 'Float'";
    c.errors = {error<NotImplementedError>(words, [op] { op(numbers({2}), numbers({2})); })};
    list.push_back(c);
  };
  integers("gcd", &gcd,
           [](double x, double y) {
             for (double d = std::max(std::abs(x), std::abs(y)); d > 0; --d)
               if (std::fmod(x, d) == 0 && std::fmod(y, d) == 0) return d;
             return 0.0;
           },
           {-12, 12}, {-12, 12});
  integers("lcm", &lcm,
           [](double x, double y) {
             for (double m = 1; x != 0 && y != 0; ++m)
               if (std::fmod(m, x) == 0 && std::fmod(m, y) == 0) return m;
             return 0.0;
           },
           {-12, 12}, {-12, 12});
  integers("bitwise_left_shift", &bitwise_left_shift,
           [](double x, double y) { return x * std::exp2(y); }, {-9, 9}, {0, 5});
  integers("bitwise_right_shift", &bitwise_right_shift,
           [](double x, double y) { return std::floor(x / std::exp2(y)); }, {-99, 99}, {0, 5});
  return list;
});

// Expected values are PyTorch 1.13's.
TEST(Special, NumbersKeepTheirValueBesideSmallDtypes) {
  const Tensor bytes = values({5, 2}, kByte), bools = values({0, 1}, kBool);
  EXPECT_NEAR(xlogy(bytes, Scalar(300))[0].item<double>(), 5 * std::log(300.0), 1e-5);
  EXPECT_TRUE(xlogy(bytes, Scalar(-3)).isnan().all().item<bool>());
  EXPECT_NEAR(xlogy(bools, Scalar(2))[1].item<double>(), std::log(2.0), 1e-6);
  EXPECT_NEAR(xlogy(Scalar(300), bytes)[1].item<double>(), 300 * std::log(2.0), 1e-3);
  EXPECT_EQ(xlogy(values({1}, kHalf), Scalar(1e10)).scalar_type(), kHalf);
  const Tensor shifted = bitwise_left_shift(bools, Scalar(2));
  EXPECT_EQ(shifted.scalar_type(), kLong);
  expect_values(shifted, {2}, {0, 4});
}

TEST(Special, LogOfGammaIsAPositiveZeroAtOneAndTwo) {
  for (const ScalarType t : {kFloat, kDouble, kBFloat16})
    for (const double at : {1.0, 2.0}) {
      const Tensor y = lgamma(full({41}, at, t));
      EXPECT_FALSE(signbit(y).any().item<bool>()) << toString(t);
      EXPECT_TRUE(y.eq(0).all().item<bool>()) << toString(t);
    }
}

TEST(Special, OfBools) {
  const Tensor a = values({0, 0, 1, 1}, kBool), b = values({0, 1, 0, 1}, kBool);
  expect_values(fmax(a, b), {4}, {0, 1, 1, 1});
  expect_values(fmin(a, b), {4}, {0, 0, 0, 1});
  expect_values(heaviside(a, b), {4}, {0, 1, 1, 1});
  EXPECT_EQ(heaviside(a, b).scalar_type(), kBool);
}

TEST(Special, Edges) {
  const double inf = INFINITY, nan = std::nan("");
  EXPECT_EQ(values_of(digamma(values({0, -0.0}))), (std::vector<double>{-inf, inf}));
  EXPECT_NEAR(digamma(values({-0.5}, kDouble)).item<double>(), 0.03648997397857652, 1e-14);
  EXPECT_NEAR(polygamma(2, values({1.5}, kDouble)).item<double>(), -0.8287966442343199, 1e-12);
  EXPECT_EQ(values_of(erfinv(values({1, -1}))), (std::vector<double>{inf, -inf}));
  // erfc of this is the input's distance from 1; PyTorch has 8 digits of it.
  EXPECT_NEAR(erfinv(values({1 - 1e-10}, kDouble)).item<double>(), 4.572824958544925, 1e-13);
  EXPECT_NEAR(i0(values({50}, kDouble)).item<double>() / 2.93255378384934e+20, 1, 1e-12);
  EXPECT_EQ(sinc(values({0})).item<double>(), 1);
  expect_values(signbit(values({-0.0, 0, -2, 3})), {4}, {1, 0, 1, 0});
  expect_values(fmax(values({1, nan}), values({nan, 2})), {2}, {1, 2});
  expect_values(heaviside(values({-1, 0, 2}), values({0.5})), {3}, {0, 0.5, 1});
  EXPECT_EQ(values_of(logaddexp(values({-inf, inf}), values({-inf, inf}))),
            (std::vector<double>{-inf, inf}));
  expect_values(xlogy(values({0, 0}), values({0, 3})), {2}, {0, 0});
  EXPECT_EQ(nextafter(values({1}), values({2})).item<float>(), std::nextafter(1.0f, 2.0f));
  EXPECT_EQ(float_power(values({2}, kLong), 3).scalar_type(), kDouble);
  EXPECT_EQ(values_of(values({2, 3}).float_power(2)), (std::vector<double>{4, 9}));
  Tensor base = values({2, 3}, kDouble);
  EXPECT_EQ(values_of(base.float_power_(2)), (std::vector<double>{4, 9}));
  EXPECT_EQ(values_of(base.float_power_(base.eq(4) + 1)), (std::vector<double>{16, 9}));
  expect_error(
      "the base given to float_power_ has dtype Float but the operation's result requires "
      "dtype Double",
      [] { values({2}).float_power_(2); });
  EXPECT_EQ(values_of(values({0, 3}).xlogy(1)), (std::vector<double>{0, 0}));
  EXPECT_EQ(values_of(values({1, 3}, kLong).bitwise_left_shift_(2)), (std::vector<double>{4, 12}));
  EXPECT_EQ(values_of(values({4, 12}, kLong).bitwise_right_shift(1)), (std::vector<double>{2, 6}));
  expect_values(bitwise_left_shift(values({3}, kLong), 2), {1}, {12});
  expect_values(heaviside(values({-2, 0, 3, nan}), values({7, 7, 7, 7})), {4}, {0, 7, 1, 0});
  const auto slopes = [](Tensor (*f)(const Tensor&), std::vector<double> at) {
    const Tensor x = values(std::move(at), kDouble).requires_grad_();
    f(x).sum().backward();
    return values_of(x.grad());
  };
  EXPECT_EQ(slopes(&special::entr, {0, 1, std::exp(1.0)}), (std::vector<double>{INFINITY, -1, -2}));
  EXPECT_EQ(slopes(&taper::sinc, {0, 5e-324, 1e-160}), (std::vector<double>{0, 0, 0}));
  EXPECT_FALSE(std::signbit(special::entr(values({0})).item<double>()));
  EXPECT_EQ(slopes([](const Tensor& y) { return pow(Scalar(0), y); }, {-1, 0, 2}),
            (std::vector<double>{-INFINITY, 0, 0}));
  EXPECT_NEAR(mvlgamma(values({3}, kDouble), 2).item<double>(), 1.5501949939575845, 1e-12);
  EXPECT_NEAR(mvlgamma(values({0.25}, kDouble), 2).item<double>(), 3.4499627801739637, 1e-12);
  EXPECT_EQ(mvlgamma(values({0}, kDouble), 2).item<double>(), INFINITY);
  EXPECT_NEAR(special::ndtri(special::ndtr(values({0.7}, kDouble))).item<double>(), 0.7, 1e-12);
  const double little = special::ndtri(values({0.5 + std::exp2(-40)}, kDouble)).item<double>();
  EXPECT_NEAR(little / 2.279765135091112e-12, 1, 1e-12);
  expect_error("polygamma(n, x) does not support negative n.", [] { polygamma(-1, values({1})); });
  expect_error("heaviside is not yet implemented for tensors with different dtypes.",
               [] { heaviside(values({1}), values({1}, kDouble)); });
  Tensor out = values({0, 0});
  lgamma_out(out, values({5}));
  expect_values(out, {1}, {std::log(24.0f)});
}

TEST(Xlog1py, PromotesAsOtherOpsDo) {
  const Tensor whole = values({1, 2}, kLong), number = zeros({}, kDouble), row = zeros({2});
  EXPECT_EQ(special::xlog1py(whole, number).scalar_type(), kDouble);
  EXPECT_EQ(special::xlog1py(number, whole).scalar_type(), kDouble);
  EXPECT_EQ(special::xlog1py(row, number).scalar_type(), kFloat);
  EXPECT_EQ(special::xlog1py(whole, whole).scalar_type(), kFloat);
}

double normal_area(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }
// pi^(3 / 2) Gamma(x) Gamma(x - 1/2) Gamma(x - 1), of which the logarithm.
double gamma_of_three(double x) {
  return 1.5 * std::log(M_PI) + std::lgamma(x) + std::lgamma(x - 0.5) + std::lgamma(x - 1);
}

TAPER_OP_CASES(of_one, {
  const auto floats = [](const char* name, std::function<Tensor(const Tensor&)> op, Unary f,
                         Range range) {
    OpCase c = unary_case(name, std::move(op), f, range);
    c.dtypes = {kFloat, kDouble};
    c.tolerance = 20;
    return c;
  };
  std::vector<OpCase> list = {
      floats("special_entr", &special::entr, [](double x) { return -x * std::log(x); }, {0.1, 4}),
      floats("special_ndtr", &special::ndtr, &normal_area, {-3, 3}),
      floats("mvlgamma", [](const Tensor& x) { return mvlgamma(x, 3); }, &gamma_of_three, {1.2, 6}),
      floats(
          "polygamma_0", [](const Tensor& x) { return polygamma(0, x); },
          [](double x) {
            double sum = 0;
            for (; x < 30; x += 1) sum -= 1 / x;
            return sum + std::log(x) - 0.5 / x - 1 / (12 * x * x) + 1 / (120 * x * x * x * x);
          },
          {0.3, 9})};
  case_in(list, "mvlgamma").inplace = [](const Args& a) { return a.t[0].mvlgamma_(3); };
  case_in(list, "polygamma_0").inplace = [](const Args& a) { return a.t[0].polygamma_(0); };
  case_in(list, "mvlgamma").errors = {
      error<Error>("p has to be greater than or equal to 1", [] { mvlgamma(numbers({2}), 0); })};
  case_in(list, "polygamma_0").errors = {error<Error>(
      "polygamma(n, x) does not support negative n.", [] { polygamma(-1, numbers({2})); })};
  return list;
});
TAPER_OP_CASES(of_two, {
  OpCase product = binary_case(
      "special_xlog1py", [](const Tensor& x, const Tensor& y) { return special::xlog1py(x, y); },
      [](double x, double y) { return x * std::log1p(y); }, {}, {0.1, 4});
  OpCase power = binary_case(
      "float_power", [](const Tensor& x, const Tensor& y) { return float_power(x, y); },
      [](double x, double y) { return std::pow(x, y); }, {0.2, 3}, {-2, 2});
  power.dtypes = {kFloat, kDouble, kHalf};
  power.result_dtype = [](ScalarType) { return kDouble; };
  OpCase step = binary_case(
      "heaviside", [](const Tensor& x, const Tensor& y) { return heaviside(x, y); },
      [](double x, double y) { return x < 0   ? 0
                                      : x > 0 ? 1
                                              : y; }, {-2, 2}, {});
  step.dtypes = {kFloat, kDouble, kLong};
  step.differentiable = false;
  step.refuses_gradient = true;
  step.errors = {error<Error>("heaviside is not yet implemented for tensors with different dtypes.",
                              [] { heaviside(values({1}), values({1}, kDouble)); })};
  OpCase next = binary_case(
      "nextafter", [](const Tensor& x, const Tensor& y) { return nextafter(x, y); },
      [](double x, double y) { return std::nextafter(x, y); }, {}, {});
  next.dtypes = {kDouble};
  product.dtypes = {kFloat, kDouble};
  std::vector<OpCase> list = {product, power, step, next};
  for (OpCase& c : list) c.tolerance = 8;
  return list;
});
TEST(SpecialNames, LongOnesAreTheSameFunctions) {
  const Tensor x = values({0.2, 0.5, 0.7}), n = values({0, 1, 3});
  EXPECT_TRUE(special_entr(x).equal(special::entr(x)));
  EXPECT_TRUE(special_erf(x).equal(erf(x)));
  EXPECT_TRUE(special_expit(x).equal(sigmoid(x)));
  EXPECT_TRUE(special_logit(x, 0.3).equal(logit(x, 0.3)));
  EXPECT_TRUE(special_polygamma(2, x).equal(polygamma(2, x)));
  EXPECT_TRUE(special_gammaincc(x, n).equal(igammac(x, n)));
  EXPECT_TRUE(special_softmax(x, 0, kDouble).equal(special::softmax(x, 0, kDouble)));
  EXPECT_TRUE(special_logsumexp(x, {0}, true).equal(special::logsumexp(x, {0}, true)));
  EXPECT_TRUE(special_zeta(2.0, x).equal(special::zeta(2.0, x)));
  EXPECT_TRUE(special_hermite_polynomial_he(x, 3).equal(special::hermite_polynomial_he(x, 3)));
  EXPECT_TRUE(special_bessel_j0(x).equal(special::bessel_j0(x)));
}

TEST(SpecialNames, LogarithmsOfOneMoreTakeNumbers) {
  const Tensor x = values({0, 2, -1}, kDouble);
  EXPECT_TRUE(special::xlog1py(x, 1).allclose(values({0, 2 * M_LN2, -M_LN2}, kDouble)));
  const Tensor expected = values({0, 2 * std::log(3.0), -INFINITY}, kDouble);
  EXPECT_TRUE(special_xlog1py(2, x).allclose(expected));
  EXPECT_EQ(special::xlog1py(counting({2}, kLong), 1).scalar_type(), kFloat);
}

TEST(Nextafter, CountsInTheBitsOfBFloat16) {
  const auto next = [](double x, double y) {
    return nextafter(values({x}, kBFloat16), values({y}, kBFloat16)).item<double>();
  };
  EXPECT_EQ(next(1, 2), 1 + 0x1p-7);
  EXPECT_EQ(next(1, 0), 1 - 0x1p-8);
  EXPECT_EQ(next(-1, 0), -1 + 0x1p-8);
  EXPECT_EQ(next(-1, -2), -1 - 0x1p-7);
  EXPECT_EQ(next(2, 2), 2);
  EXPECT_EQ(next(0, 1), 0x1p-133);
  EXPECT_EQ(next(0, -1), -0x1p-133);
  EXPECT_EQ(next(0x1p-133, -1), 0);
  EXPECT_EQ(next(0x1.FEp127, INFINITY), INFINITY);
  EXPECT_EQ(next(INFINITY, 0), 0x1.FEp127);
  EXPECT_TRUE(std::isnan(next(NAN, 1)) && std::isnan(next(1, NAN)));
  EXPECT_EQ(nextafter(zeros({2, 1}, kBFloat16), zeros({3}, kBFloat16)).sizes(),
            IntArrayRef({2, 3}));
}
TEST(Nextafter, CountsInTheBitsOfHalf) {
  const auto next = [](double x, double y) {
    return nextafter(values({x}, kHalf), values({y}, kHalf)).item<double>();
  };
  EXPECT_EQ(next(1, 2), 1 + 0x1p-10);
  EXPECT_EQ(next(-1, 0), -1 + 0x1p-11);
  EXPECT_EQ(next(0, -1), -0x1p-24);
  EXPECT_EQ(next(65504, INFINITY), INFINITY);
  EXPECT_TRUE(std::isnan(next(NAN, 1)));
}

TEST(Xlog1py, ItsDerivativeAtZeroIsTheLogarithm) {
  const Tensor x = values({0, 0, 0}, kDouble).requires_grad_();
  const Tensor y = values({1, -1, INFINITY}, kDouble);
  const Tensor z = special::xlog1py(x, y);
  expect_values(z, {3}, {0, 0, 0});
  z.sum().backward();
  EXPECT_NEAR(x.grad()[0].item<double>(), std::log(2.0), 1e-15);
}

TEST(Xlogy, ItsDerivativeIsComputedInTheDtypeOfTheResult) {
  const Tensor x = values({1, 2}, kDouble).requires_grad_();
  const Tensor y = values({0.8125, 3}, kBFloat16);
  xlogy(x, y).sum().backward();
  EXPECT_NEAR(x.grad()[0].item<double>(), std::log(0.8125), 1e-15);
}

// pi times a whole number is off by its rounding: of 16 bits that would be 1e-3.
TEST(Sinc, Of16BitsIsNoneAtWholeNumbers) {
  for (const ScalarType t : {kHalf, kBFloat16}) {
    const Tensor y = sinc(values({-2, 3, 5}, t));
    EXPECT_EQ(y.scalar_type(), t);
    EXPECT_LT(y.abs().max().item<double>(), 1e-6);
  }
}

TEST(Nextafter, ItsSlopeIsOneWhereItMoves) {
  const Tensor x = values({1, 2, 3}, kDouble).requires_grad_();
  const Tensor y = tensor_of({2, 3}, {2, 2, 1, 0, 5, 3}).requires_grad_();
  (nextafter(x, y) * tensor_of({2, 3}, {1, 2, 3, 4, 5, 6})).sum().backward();
  expect_values(x.grad(), {3}, {5, 5, 3});
  expect_values(y.grad(), {2, 3}, {0, 0, 0, 0, 0, 0});
}

// As in LibTorch, whose derivatives of these need the input alone.
TEST(SpecialFunctions, TheirResultsMayBeOverwritten) {
  const std::vector<Tensor (*)(const Tensor&)> ops = {[](const Tensor& x) { return lgamma(x); },
                                                      [](const Tensor& x) { return digamma(x); },
                                                      [](const Tensor& x) { return polygamma(1, x); },
                                                      [](const Tensor& x) { return erfinv(x); },
                                                      [](const Tensor& x) { return i0(x); },
                                                      [](const Tensor& x) { return special::entr(x); }};
  for (size_t i = 0; i < ops.size(); ++i) {
    const Tensor x = values({0.2, 0.5}, kDouble).requires_grad_();
    const Tensor untouched = autograd::grad({ops[i](x).sum()}, {x})[0];
    ops[i](x).mul_(3).sum().backward();
    EXPECT_TRUE(allclose(x.grad(), untouched * 3)) << i;
  }
}

TEST(Fmin, ItsResultMayBeOverwritten) {
  const Tensor x = values({1, 3}, kDouble).requires_grad_(), y = values({2, 2}, kDouble);
  fmin(x, y).mul_(2).sum().backward();
  expect_values(x.grad(), {2}, {2, 0});
}

// As in PyTorch, to the bit.
TEST(Lcm, OfSmallIntegersWrapsAsInPyTorch) {
  EXPECT_EQ(values_of(lcm(tensor({100, -128, 127}, kChar), tensor({99, 127, -128}, kChar))),
            (std::vector<double>{-84, -128, -128}));
  EXPECT_EQ(values_of(lcm(tensor({100}, kByte), tensor({99}, kByte))), std::vector<double>{172});
  EXPECT_EQ(values_of(lcm(tensor({20000}, kShort), tensor({19999}, kShort))),
            std::vector<double>{13792});
}

TEST(Round, DecimalsOf16BitsAreRoundedAsFloats) {
  const auto rounded = [](double v, ScalarType t, int64_t decimals) {
    return round(tensor({v}).to(t), decimals).item<double>();
  };
  EXPECT_EQ(rounded(1000.55, kHalf, 2), 1000.5);
  EXPECT_EQ(rounded(60000, kHalf, 2), 60000);
  EXPECT_EQ(rounded(60000, kHalf, -2), 60000);
  EXPECT_NEAR(rounded(0.015, kHalf, 2), 0.010002, 1e-6);
  EXPECT_NEAR(rounded(0.015, kBFloat16, 2), 0.02002, 1e-5);
  EXPECT_EQ(rounded(123.456, kBFloat16, 3), 123.5);
}

TEST(Atan2, HasNoGradientAtTheOrigin) {
  const Tensor y = tensor({0., -0., 0., 3.}, kDouble).requires_grad_();
  const Tensor x = tensor({0., 0., -0., 4.}, kDouble).requires_grad_();
  atan2(y, x).sum().backward();
  EXPECT_EQ(values_of(y.grad()), (std::vector<double>{0, 0, 0, 0.16}));
  EXPECT_EQ(values_of(x.grad()), (std::vector<double>{0, 0, 0, -0.12}));
}

// A NaN stays visible.
TEST(Relu, LetsTheGradientOfANaNPass) {
  for (const int64_t n : {1, 40}) {
    const Tensor x = full({n}, NAN).requires_grad_();
    relu(x).sum().backward();
    EXPECT_EQ(values_of(x.grad()), std::vector<double>(static_cast<size_t>(n), 1));
  }
}

}  // namespace
}  // namespace torch::taper::testing
