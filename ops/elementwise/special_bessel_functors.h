// The formulas of the rarer special functions, for host and device, in double.
#pragma once

#include <taper/ops/elementwise/special_bessel_kernels.h>
#include <taper/ops/elementwise/special_functors.h>

namespace torch::taper::functor {
namespace special {

constexpr double kEuler = 0.57721566490153286061;
constexpr double kSqrtPi = 1.77245385090551602730;
TAPER_HD inline double not_a_number() { return std::numeric_limits<double>::quiet_NaN(); }
TAPER_HD inline double infinity() { return std::numeric_limits<double>::infinity(); }

// ---------------------------------------------------------------------- error functions
/// Computes exp(x^2) erfc(x). From 2 on it uses the continued fraction (DLMF 7.9.1).
TAPER_HD inline double erfcx(double x) {
  if (x < 2) return x < -27 ? infinity() : std::exp(x * x) * std::erfc(x);
  double tail = x;
  for (int k = 80; k > 0; --k) tail = x + 0.5 * k / tail;
  return 1 / (kSqrtPi * tail);
}
TAPER_HD inline double log_ndtr(double x) {
  const double t = x * 0.70710678118654752440;
  if (x < -1) return std::log(erfcx(-t) / 2) - t * t;
  return std::log1p(-std::erfc(t) / 2);
}
/// Returns the x < 0 with ndtr(x) = p. Newton's steps on the logarithms start from formula 26.2.23
/// of Abramowitz and Stegun, which is accurate to 0.00045.
TAPER_HD inline double ndtri_tail(double p) {
  const double log_p = std::log(p), t = std::sqrt(-2 * log_p);
  double x = (2.515517 + t * (0.802853 + t * 0.010328)) /
                 (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) -
             t;
  for (int step = 0; step < 3; ++step) {
    const double log_y = log_ndtr(x);
    x -= (log_y - log_p) * std::exp(log_y + x * x / 2) * std::sqrt(2 * kPi);
  }
  return x;
}
/// Returns the x with ndtr(x) = 1/2 + d for |d| <= 1/4. Newton's steps use erf, so that no digits
/// of d are lost.
TAPER_HD inline double ndtri_middle(double d) {
  double x = d * std::sqrt(2 * kPi);
  for (int step = 0; step < 5; ++step) {
    const double above = d - std::erf(x * 0.70710678118654752440) / 2;
    x += above * std::exp(x * x / 2) * std::sqrt(2 * kPi);
  }
  return x;
}
TAPER_HD inline double ndtri(double p) {
  if (!(p >= 0 && p <= 1)) return not_a_number();
  if (p == 0 || p == 1) return p == 0 ? -infinity() : infinity();
  if (std::fabs(p - 0.5) <= 0.25) return ndtri_middle(p - 0.5);
  return p < 0.5 ? ndtri_tail(p) : -ndtri_tail(1 - p);
}

// ---------------------------------------------------------------------- Bessel functions
/// Computes exp(-|x|) I(x). I is the Bessel function of bessel_i.
TAPER_HD inline double scaled_bessel_i(int order, double given) {
  const double x = std::fabs(given);
  if (x <= 20) return bessel_i(order, given) * std::exp(-x);
  double sum = 1, term = 1;
  const double mu = 4.0 * order * order;
  for (int k = 1; k < 24; ++k) {
    const double odd = 2 * k - 1;
    sum += term *= -(mu - odd * odd) / (8 * k * x);
  }
  sum /= std::sqrt(2 * kPi * x);
  return order == 1 && given < 0 ? -sum : sum;
}

/// Computes exp(x) K(x) for x above about 0.5. K is the modified Bessel function of the second
/// kind, of any order. It integrates exp(-x (cosh t - 1)) cosh(order t) over t > 0 by the trapezoid
/// rule (DLMF 10.32.9). The error falls with exp(-1 / step).
TAPER_HD inline double scaled_bessel_k_integral(double order, double x) {
  const double fine = 0.6 / std::sqrt(x), step = fine < 0.15 ? fine : 0.15;
  double sum = 0.5;
  for (int k = 1;; ++k) {
    const double t = k * step, half = std::sinh(t / 2), down = 2 * x * half * half;
    if (down > 45 + order * t) return sum * step;
    sum += std::exp(-down) * std::cosh(order * t);
  }
}
/// Computes K of order 0 and 1 for 0 < x <= 2 by the series around 0 (DLMF 10.31.1 and 10.31.2).
TAPER_HD inline double bessel_k_series(int order, double x) {
  const double quarter = x * x / 4, log_half = std::log(x / 2);
  double term = 1, harmonic = 0, sum = 0;
  for (int k = 0; k < 24; ++k) {
    // psi(k + 1) is harmonic - kEuler.
    const double next = harmonic + 1.0 / (k + 1);
    sum += term * (order == 0 ? harmonic - kEuler : harmonic + next - 2 * kEuler);
    harmonic = next;
    term *= quarter / ((k + 1.0) * (k + 1.0 + order));
  }
  if (order == 0) return sum - log_half * bessel_i(0, x);
  return 1 / x + log_half * bessel_i(1, x) - x / 4 * sum;
}
TAPER_HD inline double bessel_k(int order, double x, bool scaled) {
  if (!(x > 0)) return x == 0 ? infinity() : not_a_number();
  if (x <= 2) return bessel_k_series(order, x) * (scaled ? std::exp(x) : 1);
  const double y = std::isinf(x) ? 0 : scaled_bessel_k_integral(order, x);
  return scaled ? y : y * std::exp(-x);
}
TAPER_HD inline double bessel_y(int order, double x) {
  if (!(x > 0)) return x == 0 ? -infinity() : not_a_number();
  return order == 0 ? ::y0(x) : ::y1(x);
}
TAPER_HD inline double spherical_bessel_j0(double x) {
  if (std::isinf(x)) return 0;
  return std::fabs(x) < 1e-4 ? 1 - x * x / 6 : std::sin(x) / x;
}

// ---------------------------------------------------------------------- Airy's function
/// The value and the derivative of a solution of y'' = x y at one point.
struct AiryPoint {
  double y, slope;
};
/// Returns the solution at x + h, given p at x, by Taylor's series. |h| is at most 2.
TAPER_HD inline AiryPoint airy_step(AiryPoint p, double x, double h) {
  double a0 = p.y, a1 = p.slope, a2 = x * a0 / 2;  // coefficients n - 1, n, n + 1
  double power = h;                                // h^n
  AiryPoint to{a0 + a1 * h, a1};
  for (int n = 1; n < 48; ++n) {
    to.slope += (n + 1) * a2 * power;
    power *= h;
    to.y += a2 * power;
    const double a3 = (x * a1 + a0) / ((n + 1.0) * (n + 2.0));
    a0 = a1;
    a1 = a2;
    a2 = a3;
  }
  return to;
}
/// Computes Ai(x) for x < -9 by the asymptotic series (DLMF 9.7.9 to 9.7.12).
TAPER_HD inline double airy_far_left(double x) {
  const double root = std::sqrt(-x), zeta = 2.0 / 3 * -x * root;
  if (std::isinf(zeta)) return 0;
  double even = 0, odd = 0, term = 1;
  for (int k = 0; k < 14; ++k) {
    // Even terms k belong to the factor of the cosine, odd terms to the factor of the sine. The
    // signs are + + - -.
    const double signed_term = (k / 2) % 2 == 0 ? term : -term;
    (k % 2 == 0 ? even : odd) += signed_term;
    term *=
        (6.0 * k + 1) * (6.0 * k + 3) * (6.0 * k + 5) / (216.0 * (k + 1) * (2.0 * k + 1) * zeta);
  }
  const double angle = zeta - kPi / 4;
  return (std::cos(angle) * even + std::sin(angle) * odd) / (kSqrtPi * std::sqrt(root));
}
TAPER_HD inline double airy_ai(double x) {
  if (x != x) return x;
  if (std::isinf(x)) return 0;
  if (x < -9) return airy_far_left(x);
  if (x > 2) {
    const double zeta = 2.0 / 3 * x * std::sqrt(x);
    if (zeta > 750) return 0;  // below the least double
    return std::sqrt(x / 3) / kPi * scaled_bessel_k_integral(1.0 / 3, zeta) * std::exp(-zeta);
  }
  AiryPoint p{0.35502805388781723926, -0.25881940379280679840};  // at 0
  if (x > 0) return airy_step(p, 0, x).y;
  double at = 0;
  for (; at > x; at -= 1) p = airy_step(p, at, x < at - 1 ? -1 : x - at);
  return p.y;
}

// ---------------------------------------------------------------------- incomplete gamma
/// Computes x^a exp(-x) / Gamma(a + 1). It is accurate for large a, too.
TAPER_HD inline double gamma_density(double a, double x) {
  if (a < 10) return std::exp(a * std::log(x) - x - log_gamma(a + 1));
  const double d = (x - a) / a, square = a * a;
  const double correction =
      (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - 1.0 / (1680 * square)) / square) / square) / a;
  const double shape = d > -0.5 && d < 0.5 ? std::log1p(d) - d : std::log(x / a) - d;
  return std::exp(a * shape - correction) / std::sqrt(2 * kPi * a);
}
/// Computes the lower incomplete gamma function for x < a + 1 (DLMF 8.11.4).
TAPER_HD inline double gamma_series(double a, double x) {
  double sum = 1, term = 1;
  for (int k = 1; k < 100000 && term > sum * 1e-17; ++k) sum += term *= x / (a + k);
  return sum * gamma_density(a, x);
}
/// Computes the upper incomplete gamma function for x >= a + 1. It evaluates Legendre's continued
/// fraction (DLMF 8.9.2) by Lentz's method.
TAPER_HD inline double gamma_fraction(double a, double x) {
  const double tiny = 1e-300;
  double b = x + 1 - a, c = 1 / tiny, d = 1 / b, y = d;
  for (int k = 1; k < 100000; ++k) {
    const double an = -k * (k - a);
    b += 2;
    d = an * d + b;
    d = 1 / (std::fabs(d) < tiny ? tiny : d);
    c = b + an / c;
    if (std::fabs(c) < tiny) c = tiny;
    const double change = c * d;
    y *= change;
    if (std::fabs(change - 1) < 1e-16) break;
  }
  return y * a * gamma_density(a, x);
}
TAPER_HD inline double incomplete_gamma(double a, double x, bool upper) {
  if (!(a >= 0) || !(x >= 0) || (std::isinf(a) && std::isinf(x))) return not_a_number();
  if (a == 0 && x == 0) return not_a_number();
  if (x == 0 || std::isinf(a)) return upper ? 1 : 0;
  if (a == 0 || std::isinf(x)) return upper ? 0 : 1;
  const bool lower_is_small = x < a + 1;
  const double y = lower_is_small ? gamma_series(a, x) : gamma_fraction(a, x);
  return lower_is_small == upper ? 1 - y : y;
}

TAPER_HD inline double hurwitz_zeta(double s, double q) {
  if (s == 1) return infinity();
  if (s < 1 || s != s || q != q) return not_a_number();
  if (q <= 0 && q == std::floor(q)) return infinity();
  if (q <= 0 && s != std::floor(s)) return not_a_number();  // a power of a negative number
  return zeta(s, q);
}

// ---------------------------------------------------------------------- polynomials
/// Returns the polynomial of degree 1.
TAPER_HD inline double first_degree(SpecialOfTwo f, double x) {
  switch (f) {
    case SpecialOfTwo::chebyshev_polynomial_t:
    case SpecialOfTwo::hermite_polynomial_he:
    case SpecialOfTwo::legendre_polynomial_p:
      return x;
    case SpecialOfTwo::chebyshev_polynomial_v:
      return 2 * x - 1;
    case SpecialOfTwo::chebyshev_polynomial_w:
      return 2 * x + 1;
    case SpecialOfTwo::laguerre_polynomial_l:
      return 1 - x;
    default:
      return 2 * x;
  }
}
/// Returns the polynomial of degree k + 1 from those of degrees k (`now`) and k - 1 (`before`)
/// (DLMF 18.9.1).
TAPER_HD inline double next_degree(SpecialOfTwo f, double x, double k, double now, double before) {
  switch (f) {
    case SpecialOfTwo::hermite_polynomial_h:
      return 2 * x * now - 2 * k * before;
    case SpecialOfTwo::hermite_polynomial_he:
      return x * now - k * before;
    case SpecialOfTwo::laguerre_polynomial_l:
      return ((2 * k + 1 - x) * now - k * before) / (k + 1);
    case SpecialOfTwo::legendre_polynomial_p:
      return ((2 * k + 1) * x * now - k * before) / (k + 1);
    default:
      return 2 * x * now - before;
  }
}
TAPER_HD inline double polynomial(SpecialOfTwo f, double x, int64_t n) {
  if (n == 0) return 1;
  double before = 1, now = first_degree(f, x);
  for (int64_t k = 1; k < n && std::isfinite(now); ++k) {
    const double next = next_degree(f, x, static_cast<double>(k), now, before);
    before = now;
    now = next;
  }
  return now;
}
/// Computes a Chebyshev polynomial. Within [-1, 1] it is a trigonometric function (DLMF 18.5.1 to
/// 18.5.4).
TAPER_HD inline double chebyshev(SpecialOfTwo f, double x, int64_t n) {
  using F = SpecialOfTwo;
  if (n <= 6 || !(std::fabs(x) < 1)) return polynomial(f, x, n);
  const double angle = std::acos(x), d = static_cast<double>(n);
  if (f == F::chebyshev_polynomial_t) return std::cos(d * angle);
  if (f == F::chebyshev_polynomial_u) return std::sin((d + 1) * angle) / std::sin(angle);
  if (f == F::chebyshev_polynomial_v) return std::cos((d + 0.5) * angle) / std::cos(angle / 2);
  return std::sin((d + 0.5) * angle) / std::sin(angle / 2);
}

TAPER_HD inline double of_one(SpecialOfOne f, double x) {
  using F = SpecialOfOne;
  switch (f) {
    case F::erfcx:
      return erfcx(x);
    case F::log_ndtr:
      return log_ndtr(x);
    case F::ndtri:
      return ndtri(x);
    case F::i0e:
      return scaled_bessel_i(0, x);
    case F::i1e:
      return scaled_bessel_i(1, x);
    case F::bessel_j0:
      return ::j0(x);
    case F::bessel_j1:
      return ::j1(x);
    case F::bessel_y0:
      return bessel_y(0, x);
    case F::bessel_y1:
      return bessel_y(1, x);
    case F::modified_bessel_i0:
      return bessel_i(0, x);
    case F::modified_bessel_i1:
      return bessel_i(1, x);
    case F::modified_bessel_k0:
      return bessel_k(0, x, false);
    case F::modified_bessel_k1:
      return bessel_k(1, x, false);
    case F::scaled_modified_bessel_k0:
      return bessel_k(0, x, true);
    case F::scaled_modified_bessel_k1:
      return bessel_k(1, x, true);
    case F::spherical_bessel_j0:
      return spherical_bessel_j0(x);
    case F::airy_ai:
      break;
  }
  return airy_ai(x);
}

TAPER_HD inline double of_two(SpecialOfTwo f, double a, double b) {
  using F = SpecialOfTwo;
  if (f == F::igamma || f == F::igammac) return incomplete_gamma(a, b, f == F::igammac);
  if (f == F::zeta) return hurwitz_zeta(a, b);
  if (a != a || !(b >= 0)) return a != a ? a : 0;
  const int64_t n = b < 1e15 ? static_cast<int64_t>(b) : int64_t{1} << 50;
  switch (f) {
    case F::shifted_chebyshev_polynomial_t:
      return chebyshev(F::chebyshev_polynomial_t, 2 * a - 1, n);
    case F::shifted_chebyshev_polynomial_u:
      return chebyshev(F::chebyshev_polynomial_u, 2 * a - 1, n);
    case F::shifted_chebyshev_polynomial_v:
      return chebyshev(F::chebyshev_polynomial_v, 2 * a - 1, n);
    case F::shifted_chebyshev_polynomial_w:
      return chebyshev(F::chebyshev_polynomial_w, 2 * a - 1, n);
    case F::hermite_polynomial_h:
    case F::hermite_polynomial_he:
    case F::laguerre_polynomial_l:
    case F::legendre_polynomial_p:
      return polynomial(f, a, n);
    default:
      return chebyshev(f, a, n);
  }
}

}  // namespace special

struct special_of_one {
  SpecialOfOne f;
  template <class T>
  TAPER_HD T operator()(T x) const {
    return static_cast<T>(special::of_one(f, static_cast<double>(x)));
  }
};
/// Returns the mantissa and sets `exponent`. Infinities and NaNs get exponent 0, which std::frexp
/// leaves unspecified.
struct frexp {
  template <class T>
  TAPER_HD T operator()(T x, int32_t& exponent) const {
    int e = 0;
    const T mantissa = std::isfinite(x) ? std::frexp(x, &e) : x;
    exponent = e;
    return mantissa;
  }
};
struct special_of_two {
  SpecialOfTwo f;
  template <class T>
  TAPER_HD T operator()(T a, T b) const {
    return static_cast<T>(special::of_two(f, static_cast<double>(a), static_cast<double>(b)));
  }
};

}  // namespace torch::taper::functor
