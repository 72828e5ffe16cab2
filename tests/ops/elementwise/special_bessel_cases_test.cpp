// Bessel functions, incomplete gamma functions, polynomials and their like in the harness.
#include <taper/ops/elementwise/special_bessel.h>

#include <cmath>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/special_bessel_kernels.h>
#include <taper/ops/elementwise/unary.h>

#include "harness/pointwise.h"
#include "ops/elementwise/special_definitions.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Next = double (*)(double x, double now, double before, double k);

OpCase one(std::string name, Tensor (*op)(const Tensor&), Tensor& (*out)(Tensor&, const Tensor&),
           Unary f, Range range) {
  OpCase c = unary_case(std::move(name), op, f, range);
  c.dtypes = {kFloat, kDouble, kHalf};
  c.result_dtype = float_result;
  c.tolerance = 8;
  c.out = [out](Tensor& y, const Args& a) { return out(y, a.t[0]); };
  return c;
}

double inverse_of_ndtr(double p) {
  double below = -10, above = 10;
  for (int i = 0; i < 200; ++i) {
    const double middle = (below + above) / 2;
    (std::erfc(-middle * std::sqrt(0.5)) / 2 < p ? below : above) = middle;
  }
  return above;
}

std::vector<OpCase> cases_of_one() {
  namespace s = special;
  const Range around{-4, 4}, above{0.2, 6};
#define TAPER_CASE(name, f, range) one("special_" #name, &s::name, &s::name##_out, f, range)
  std::vector<OpCase> list{
      TAPER_CASE(
          erfcx, [](double x) { return std::exp(x * x) * std::erfc(x); }, (Range{-2, 4})),
      TAPER_CASE(
          log_ndtr, [](double x) { return std::log(ndtr(x)); }, around),
      TAPER_CASE(ndtri, inverse_of_ndtr, (Range{0.05, 0.95})),
      TAPER_CASE(
          i0e, [](double x) { return bessel_i_integral(x, 0) * std::exp(-std::abs(x)); }, around),
      TAPER_CASE(
          i1e, [](double x) { return bessel_i_integral(x, 1) * std::exp(-std::abs(x)); }, around),
      TAPER_CASE(
          bessel_j0, [](double x) { return bessel_j_integral(x, 0); }, around),
      TAPER_CASE(
          bessel_j1, [](double x) { return bessel_j_integral(x, 1); }, around),
      TAPER_CASE(
          bessel_y0, [](double x) { return ::yn(0, x); }, above),
      TAPER_CASE(
          bessel_y1, [](double x) { return ::yn(1, x); }, above),
      TAPER_CASE(
          modified_bessel_i0, [](double x) { return bessel_i_integral(x, 0); }, around),
      TAPER_CASE(
          modified_bessel_i1, [](double x) { return bessel_i_integral(x, 1); }, around),
      TAPER_CASE(
          spherical_bessel_j0, [](double x) { return std::sin(x) / x; }, above)};
  list.back().tolerance = 64;
  const auto costly = [&](OpCase c) {
    c.samples = [](ScalarType t) {
      return std::vector<Args>{sample_of({{7, 5}}, t, {0.2, 6}), sample_of({{}}, t, {0.2, 6}),
                               sample_of({{0}}, t, {0.2, 6})};
    };
    c.gradient_samples = {};
    list.push_back(c);
  };
  costly(TAPER_CASE(
      modified_bessel_k0, [](double x) { return bessel_k_integral(x, 0); }, above));
  costly(TAPER_CASE(
      modified_bessel_k1, [](double x) { return bessel_k_integral(x, 1); }, above));
  costly(TAPER_CASE(
      scaled_modified_bessel_k0, [](double x) { return bessel_k_integral(x, 0) * std::exp(x); },
      above));
  costly(TAPER_CASE(
      scaled_modified_bessel_k1, [](double x) { return bessel_k_integral(x, 1) * std::exp(x); },
      above));
  costly(TAPER_CASE(
      airy_ai,
      [](double x) {
        return std::sqrt(x / 3) / kPi * std::cyl_bessel_k(1.0 / 3, 2.0 / 3 * std::pow(x, 1.5));
      },
      above));
  list.back().differentiable = false;
  list.back().refuses_gradient = true;
#undef TAPER_CASE
  return list;
}
TAPER_OP_CASES(special_bessel_of_one, { return cases_of_one(); });

OpCase two(std::string name, Tensor (*op)(const Tensor&, const Tensor&), Binary f, Range a,
           Range b) {
  OpCase c;
  c.name = std::move(name);
  c.samples = [a, b](ScalarType t) {
    Random random(3);
    std::vector<Args> list;
    for (const auto& [first, second] :
         std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>>{
             {{4, 5}, {4, 5}}, {{3, 1}, {4}}, {{}, {3}}, {{0}, {1}}})
      list.push_back({{random_tensor(first, t, a, random), random_tensor(second, t, b, random)}});
    return list;
  };
  c.call = [op](const Args& args) { return op(args.t[0], args.t[1]); };
  c.reference = [f](const ArrayArgs& args) { return map(args.t[0], args.t[1], f); };
  c.inputs_without_gradient = {0};
  c.tolerance = 16;
  return c;
}
std::vector<OpCase> cases_of_two() {
  std::vector<OpCase> list{
      two("igamma", &igamma, &igamma_integral, {2, 9}, {0.3, 12}),
      two("igammac", &igammac, [](double a, double x) { return 1 - igamma_integral(a, x); }, {2, 9},
          {0.3, 12}),
      two("special_zeta", [](const Tensor& s, const Tensor& q) { return special::zeta(s, q); },
          &zeta_sum, {1.5, 6}, {0.3, 9})};
  case_in(list, "igamma").inplace = [](const Args& a) { return a.t[0].igamma_(a.t[1]); };
  case_in(list, "igammac").inplace = [](const Args& a) { return a.t[0].igammac_(a.t[1]); };
  list.push_back(two(
      "special_legendre_polynomial_p",
      [](const Tensor& x, const Tensor& n) { return special::legendre_polynomial_p(x, n); },
      [](double x, double n) { return std::legendre(static_cast<unsigned>(n), x); }, {-1, 1},
      {0, 9}));
  list.back().differentiable = false;
  list.back().refuses_gradient = true;
  list.back().covers = {
      "special_chebyshev_polynomial_t",         "special_chebyshev_polynomial_u",
      "special_chebyshev_polynomial_v",         "special_chebyshev_polynomial_w",
      "special_shifted_chebyshev_polynomial_t", "special_shifted_chebyshev_polynomial_u",
      "special_shifted_chebyshev_polynomial_v", "special_shifted_chebyshev_polynomial_w",
      "special_hermite_polynomial_h",           "special_hermite_polynomial_he",
      "special_laguerre_polynomial_l",          "special_legendre_polynomial_p"};
  return list;
}
TAPER_OP_CASES(special_bessel_of_two, { return cases_of_two(); });

/// p(x, n) by p(0) = 1, p(1) = first(x), p(k + 1) = next(x, p(k), p(k - 1), k).
using First = double (*)(double x);
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

TAPER_OP_CASES(mantissas, {
  OpCase mantissa = unary_case(
      "frexp", [](const Tensor& x) { return std::get<0>(frexp(x)); },
      [](double x) {
        int e;
        return std::frexp(x, &e);
      },
      Range{-9, 9});
  mantissa.dtypes = {kFloat, kDouble, kHalf};
  mantissa.result_dtype = {};
  mantissa.inplace = {};
  mantissa.out = {};
  mantissa.errors = {error<Error>("torch.frexp() only supports floating-point dtypes",
                                  [] { frexp(numbers({2}, kLong)); })};
  return std::vector<OpCase>{mantissa};
});

}  // namespace
}  // namespace torch::taper::testing
