// The formulas of special functions, for host and device, computed in double.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include <taper/framework/core/dtype.h>
#include <taper/framework/kernel/vector_exp.h>
#include <taper/ops/elementwise/functor.h>

namespace torch::taper::functor {

namespace special {

constexpr double kPi = 3.14159265358979323846;
/// B(2j) / (2j)! for j from 1, for the Euler-Maclaurin sum.
constexpr int kBernoulli = 8;

TAPER_HD inline float log_gamma(float x) {
#if defined(__CUDA_ARCH__)
  return ::lgammaf(x);
#else
  int sign;  // std::lgamma writes the sign to memory shared by all threads
  return ::lgammaf_r(x, &sign);
#endif
}
TAPER_HD inline double log_gamma(double x) {
#if defined(__CUDA_ARCH__)
  return ::lgamma(x);
#else
  int sign;
  return ::lgamma_r(x, &sign);
#endif
}

/// Computes d log Gamma / dx. The recurrence increases x until the asymptotic series is exact (DLMF
/// 5.5.2 and 5.11.2, https://dlmf.nist.gov).
TAPER_HD inline double digamma(double x) {
  if (x == 0) return std::copysign(std::numeric_limits<double>::infinity(), -x);
  double sum = 0;
  if (x < 0) {
    if (x == std::floor(x)) return std::numeric_limits<double>::quiet_NaN();
    // The integer part does not change the tangent and would cost digits.
    sum = -kPi / std::tan(kPi * (x - std::nearbyint(x)));
    x = 1 - x;
  }
  for (; x < 10; x += 1) sum -= 1 / x;
  const double z = 1 / (x * x);
  const double tail =
      z * (1.0 / 12 - z * (1.0 / 120 -
                           z * (1.0 / 252 -
                                z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760 - z / 12))))));
  return sum + std::log(x) - 0.5 / x - tail;
}

/// Computes the derivative of digamma by the method of digamma (DLMF 5.15.5 and 5.15.8).
TAPER_HD inline double trigamma(double x) {
  if (x <= 0 && x == std::floor(x)) return std::numeric_limits<double>::infinity();
  double sum = 0, sign = 1;
  if (x < 0) {
    const double s = std::sin(kPi * (x - std::nearbyint(x)));
    sum = kPi * kPi / (s * s);
    sign = -1;
    x = 1 - x;
  }
  double near = 0;
  for (; x < 10; x += 1) near += 1 / (x * x);
  const double z = 1 / (x * x);
  const double tail =
      z * (1.0 / 6 -
           z * (1.0 / 30 -
                z * (1.0 / 42 - z * (1.0 / 30 - z * (5.0 / 66 - z * (691.0 / 2730 - z * 7 / 6))))));
  return sum + sign * (near + (1 + 0.5 / x + tail) / x);
}

/// Computes Hurwitz's zeta function, the sum over k of (q + k)^-s. It adds the first terms and
/// takes the rest from the Euler-Maclaurin formula (DLMF 25.11.7).
TAPER_HD inline double zeta(double s, double q) {
  if (q <= 0 && q == std::floor(q)) return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (int k = 0; k < 12 || q < 12; ++k, q += 1) sum += std::pow(q, -s);
  const double power = std::pow(q, -s);
  sum += q * power / (s - 1) + 0.5 * power;
  const double ratios[kBernoulli] = {1.0 / 12,
                                     -1.0 / 720,
                                     1.0 / 30240,
                                     -1.0 / 1209600,
                                     1.0 / 47900160,
                                     -691.0 / 1307674368000.0,
                                     1.0 / 74724249600.0,
                                     -3617.0 / 10670622842880000.0};
  double factor = s * power / q;
  for (int j = 0; j < kBernoulli; ++j) {
    sum += ratios[j] * factor;
    factor *= (s + 2 * j + 1) * (s + 2 * j + 2) / (q * q);
  }
  return sum;
}

/// Returns the x with erf(x) = y. Three of Halley's steps improve an estimate (Winitzki, "A handy
/// approximation for the error function and its inverse", 2008).
TAPER_HD inline double inverse_erf(double y) {
  const double p = std::fabs(y);
  if (!(p < 1)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return p == 1 ? std::copysign(infinity, y) : std::numeric_limits<double>::quiet_NaN();
  }
  if (p < 1e-8) return y * (std::sqrt(kPi) / 2);
  const double a = 0.147, l = std::log1p(-p * p), half = 2 / (kPi * a) + l / 2;
  double x = std::sqrt(std::sqrt(half * half - l / a) - half);
  for (int i = 0; i < 3; ++i) {
    // Near 1, only the difference of the complements is accurate.
    const double error = p < 0.5 ? std::erf(x) - p : (1 - p) - std::erfc(x);
    const double newton = error / (2 / std::sqrt(kPi) * std::exp(-x * x));
    x -= newton / (1 + x * newton);
  }
  return std::copysign(x, y);
}

/// Computes modified Bessel functions of the first kind of order 0 and 1. It uses the power series,
/// and for large x the asymptotic series (DLMF 10.25.2 and 10.40.1).
TAPER_HD inline double bessel_i(int order, double given) {
  const double x = std::fabs(given);
  double sum = 1, term = 1;
  if (x <= 20) {
    const double quarter = x * x / 4;
    for (int k = 1; term > sum * 1e-17; ++k) sum += term *= quarter / (k * double(k + order));
    if (order == 1) sum *= x / 2;
  } else {
    const double mu = 4.0 * order * order;
    for (int k = 1; k < 24; ++k) {
      const double odd = 2 * k - 1;
      sum += term *= -(mu - odd * odd) / (8 * k * x);
    }
    // exp(x) could overflow before the result does. Two factors exp(x / 2) do not.
    const double half = std::exp(x / 2);
    sum = half / std::sqrt(2 * kPi * x) * sum * half;
  }
  return order == 1 && given < 0 ? -sum : sum;
}

// Returns |a|. The lowest integer is returned unchanged, because T cannot hold its absolute value.
template <class T>
TAPER_HD T absolute(T a) {
  return a < 0 ? static_cast<T>(uint64_t{0} - static_cast<uint64_t>(a)) : a;
}

template <class T>
TAPER_HD T greatest_divisor(T a, T b) {
  while (b != 0) {
    // Every integer is a multiple of -1. Dividing the lowest integer by -1 would trap.
    const bool unit = std::is_signed<T>::value && b == static_cast<T>(-1);
    const T rest = unit ? T(0) : static_cast<T>(a % b);
    a = b;
    b = rest;
  }
  return absolute(a);
}

}  // namespace special

TAPER_FUNCTOR(TAPER_HD, digamma, (T x), static_cast<T>(special::digamma(static_cast<double>(x))))
TAPER_FUNCTOR(TAPER_HD, erfinv, (T x), static_cast<T>(special::inverse_erf(static_cast<double>(x))))
TAPER_FUNCTOR(TAPER_HD, i0, (T x), static_cast<T>(special::bessel_i(0, static_cast<double>(x))))
TAPER_FUNCTOR(TAPER_HD, i1, (T x), static_cast<T>(special::bessel_i(1, static_cast<double>(x))))
struct lgamma {
  template <class T>
  TAPER_HD T operator()(T x) const {
    return special::log_gamma(x);
  }
};

/// Computes (-1)^(n+1) n! zeta(n + 1, x) for n > 0 (DLMF 25.11.12).
struct polygamma {
  double order, factor;
  template <class T>
  TAPER_HD T operator()(T given) const {
    const double x = static_cast<double>(given);
    if (order == 1) return static_cast<T>(special::trigamma(x));
    return static_cast<T>(factor * special::zeta(order + 1, x));
  }
};

struct logaddexp : Calling {
  template <class T>
  TAPER_HD T operator()(T a, T b) const {
    // NaN stays NaN, because `low` or `high` is NaN. Infinities of one sign are equal.
    const T high = a > b ? a : b, low = a > b ? b : a;
    return high + std::log1p(vector_exp(high == low ? T(0) : low - high));
  }
};
struct logaddexp2 : Calling {
  template <class T>
  TAPER_HD T operator()(T a, T b) const {
    const T high = a > b ? a : b, low = a > b ? b : a, log2_e = T(1.442695040888963407);
    return high + std::log1p(std::exp2(high == low ? T(0) : low - high)) * log2_e;
  }
};
struct hypot : Calling {
  template <class T>
  TAPER_HD T operator()(T a, T b) const {
    return std::hypot(a, b);
  }
};
struct xlogy : Calling {
  template <class T>
  TAPER_HD T operator()(T a, T b) const {
    const T y = a == 0 ? T(0) : a * std::log(b);
    return b != b ? b : y;
  }
};
// If one operand is NaN, the other one is returned.
struct fmax {
  template <class T>
  TAPER_HD T operator()(T a, T b) const {
    return a != a ? b : b != b ? a : a > b ? a : b;
  }
};
struct fmin {
  template <class T>
  TAPER_HD T operator()(T a, T b) const {
    return a != a ? b : b != b ? a : a < b ? a : b;
  }
};
struct heaviside {
  template <class T>
  TAPER_HD T operator()(T x, T at_zero) const {
    return x == 0 ? at_zero : static_cast<T>(x > 0 ? 1 : 0);
  }
};
struct nextafter {
  template <class T>
  TAPER_HD T operator()(T a, T b) const {
    return std::nextafter(a, b);
  }
};
struct gcd {
  template <class T>
  TAPER_HD T operator()(T a, T b) const {
    return special::greatest_divisor(a, b);
  }
};
struct lcm {
  template <class T>
  TAPER_HD T operator()(T a, T b) const {
    const T g = special::greatest_divisor(a, b);
    if (g == 0) return T(0);
    if constexpr (sizeof(T) < sizeof(int)) {  // C++ computes in int, as PyTorch does
      const int product = a / g * b;
      return static_cast<T>(product < 0 ? -product : product);
    }
    return special::absolute(
        static_cast<T>(static_cast<uint64_t>(a / g) * static_cast<uint64_t>(b)));
  }
};
// If b is negative or at least the number of bits, a left shift returns 0. For such a b, a right
// shift returns -1 if a is negative, else 0.
struct bitwise_left_shift {
  template <class T>
  TAPER_HD T operator()(T a, T b) const {
    constexpr int bits = static_cast<int>(sizeof(T) * 8);
    return b < 0 || static_cast<int64_t>(b) >= bits ? T(0)
                                                    : static_cast<T>(static_cast<uint64_t>(a) << b);
  }
};
struct bitwise_right_shift {
  template <class T>
  TAPER_HD T operator()(T a, T b) const {
    constexpr int bits = static_cast<int>(sizeof(T) * 8);
    const bool all = b < 0 || static_cast<int64_t>(b) >= bits;
    return static_cast<T>(a >> (all ? bits - 1 : static_cast<int>(b)));
  }
};

}  // namespace torch::taper::functor
