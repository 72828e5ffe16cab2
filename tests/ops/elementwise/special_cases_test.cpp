// More cases of special functions: of the normal distribution, entropies, several dimensions.
#include <cmath>

#include <gtest/gtest.h>

#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/special_names.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/nn/softmax.h>

#include "harness/pointwise.h"
#include "test_util.h"

namespace taper::testing {
namespace {

// ---------------------------------------------------------------------- of one number
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

// ---------------------------------------------------------------------- of two numbers
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
  next.differentiable = false;
  next.refuses_gradient = true;
  product.dtypes = {kFloat, kDouble};
  std::vector<OpCase> list = {product, power, step, next};
  for (OpCase& c : list) c.tolerance = 8;
  return list;
});

// ---------------------------------------------------------------------- polynomials
/// p(x, n) by p(0) = 1, p(1) = first(x), p(k + 1) = next(x, p(k), p(k - 1), k).
using First = double (*)(double x);
using Next = double (*)(double x, double now, double before, double k);
struct Polynomial {
  const char* name;
  Tensor (*op)(const Tensor&, const Tensor&);
  First first;
  Next next;
};
#define TAPER_POLYNOMIAL(name, first, ...)                                                        \
  Polynomial {                                                                                    \
#name, static_cast < Tensor (*)(const Tensor&, const Tensor&)>(&special::name),               \
        [](double x) -> double { return first; }, [](double x, double p, double q, double k)      \
                                                       -> double { return (void)k, __VA_ARGS__; } \
  }
const std::vector<Polynomial>& polynomials() {
  static const std::vector<Polynomial> list = {
      TAPER_POLYNOMIAL(chebyshev_polynomial_t, x, 2 * x * p - q),
      TAPER_POLYNOMIAL(chebyshev_polynomial_u, 2 * x, 2 * x * p - q),
      TAPER_POLYNOMIAL(chebyshev_polynomial_v, 2 * x - 1, 2 * x * p - q),
      TAPER_POLYNOMIAL(chebyshev_polynomial_w, 2 * x + 1, 2 * x * p - q),
      TAPER_POLYNOMIAL(shifted_chebyshev_polynomial_t, 2 * x - 1, 2 * (2 * x - 1) * p - q),
      TAPER_POLYNOMIAL(shifted_chebyshev_polynomial_u, 2 * (2 * x - 1), 2 * (2 * x - 1) * p - q),
      TAPER_POLYNOMIAL(shifted_chebyshev_polynomial_v, 4 * x - 3, 2 * (2 * x - 1) * p - q),
      TAPER_POLYNOMIAL(shifted_chebyshev_polynomial_w, 4 * x - 1, 2 * (2 * x - 1) * p - q),
      TAPER_POLYNOMIAL(hermite_polynomial_h, 2 * x, 2 * x * p - 2 * k * q),
      TAPER_POLYNOMIAL(hermite_polynomial_he, x, x * p - k * q),
      TAPER_POLYNOMIAL(laguerre_polynomial_l, 1 - x, ((2 * k + 1 - x) * p - k * q) / (k + 1))};
  return list;
}
Array by_recurrence(const Polynomial& f, const ArrayArgs& a) {
  Array y(broadcast(a.t[0].sizes, a.t[1].sizes));
  for_each_index(y.sizes, [&](const std::vector<int64_t>& index) {
    const double x = a.t[0].broadcast_at(index), n = a.t[1].broadcast_at(index);
    double before = 1, now = f.first(x);
    for (double k = 1; k < n; ++k) {
      const double next = f.next(x, now, before, k);
      before = now;
      now = next;
    }
    y.at(index) = n == 0 ? 1 : now;
  });
  return y;
}

TAPER_OP_CASES(of_degrees, {
  std::vector<OpCase> list;
  for (const Polynomial& f : polynomials()) {
    OpCase c;
    c.name = std::string("special_") + f.name;
    c.samples = [](ScalarType t) {
      const Tensor degrees = counting({6}, t);
      return std::vector<Args>{{{sample_of({{6}}, t, {0.05, 0.95}).t[0], degrees}},
                               {{sample_of({{3, 1}}, t, {0.05, 0.95}).t[0], degrees}}};
    };
    c.call = [op = f.op](const Args& a) { return op(a.t[0], a.t[1]); };
    c.reference = [f](const ArrayArgs& a) { return by_recurrence(f, a); };
    c.differentiable = false;
    c.refuses_gradient = true;
    c.tolerance = 20;
    list.push_back(c);
  }
  return list;
});

// ---------------------------------------------------------------------- names
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

}  // namespace
}  // namespace taper::testing
