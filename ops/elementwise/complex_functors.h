// The formulas of complex arithmetic, over std::complex on the host and thrust::complex on GPUs.
// Not installed.
#pragma once

#include <taper/ops/elementwise/functor.h>

#ifdef __CUDACC__
#include <thrust/complex.h>
#else
#include <complex>
#endif

namespace torch::taper::complex_functor {

// The functors have the names of functions of std, so calls of the functions name the namespace.
#ifdef __CUDACC__
namespace math = thrust;
#else
namespace math = std;
#endif
template <class T>
using Complex = math::complex<T>;

/// The type of the real and the imaginary part.
template <class C>
using Part = typename C::value_type;

TAPER_FUNCTOR(TAPER_OUTLINED, exp, (T z), math::exp(z))
TAPER_FUNCTOR(TAPER_OUTLINED, exp2, (T z), math::exp(Part<T>(0.69314718055994530942) * z))
TAPER_FUNCTOR(TAPER_OUTLINED, log, (T z), math::log(z))
TAPER_FUNCTOR(TAPER_OUTLINED, log2, (T z), math::log(z) * Part<T>(1.44269504088896340736))
TAPER_FUNCTOR(TAPER_OUTLINED, log10, (T z), math::log10(z))
TAPER_FUNCTOR(TAPER_OUTLINED, sqrt, (T z), math::sqrt(z))
TAPER_FUNCTOR(TAPER_OUTLINED, rsqrt, (T z), Part<T>(1) / math::sqrt(z))
TAPER_FUNCTOR(TAPER_HD, reciprocal, (T z), Part<T>(1) / z)
TAPER_FUNCTOR(TAPER_OUTLINED, sin, (T z), math::sin(z))
TAPER_FUNCTOR(TAPER_OUTLINED, cos, (T z), math::cos(z))
TAPER_FUNCTOR(TAPER_OUTLINED, tan, (T z), math::tan(z))
TAPER_FUNCTOR(TAPER_OUTLINED, sinh, (T z), math::sinh(z))
TAPER_FUNCTOR(TAPER_OUTLINED, cosh, (T z), math::cosh(z))
TAPER_FUNCTOR(TAPER_OUTLINED, tanh, (T z), math::tanh(z))
TAPER_FUNCTOR(TAPER_OUTLINED, asin, (T z), math::asin(z))
TAPER_FUNCTOR(TAPER_OUTLINED, acos, (T z), math::acos(z))
TAPER_FUNCTOR(TAPER_OUTLINED, atan, (T z), math::atan(z))
TAPER_FUNCTOR(TAPER_OUTLINED, asinh, (T z), math::asinh(z))
TAPER_FUNCTOR(TAPER_OUTLINED, acosh, (T z), math::acosh(z))
TAPER_FUNCTOR(TAPER_OUTLINED, atanh, (T z), math::atanh(z))
TAPER_FUNCTOR(TAPER_OUTLINED, sigmoid, (T z), Part<T>(1) / (Part<T>(1) + math::exp(-z)))
TAPER_FUNCTOR(TAPER_HD, square, (T z),
              T(z.real() * z.real() - z.imag() * z.imag(), 2 * z.real() * z.imag()))
TAPER_FUNCTOR(TAPER_HD, neg, (T z), T(-z.real(), -z.imag()))
TAPER_FUNCTOR(TAPER_HD, conj, (T z), T(z.real(), -z.imag()))

// exp(z) - 1 = expm1(x) cos(y) - 2 sin(y / 2)^2 + i exp(x) sin(y), without cancellation.
struct expm1 {
  template <class C>
  TAPER_OUTLINED C operator()(C z) const {
    const auto half = std::sin(z.imag() / 2);
    return C(std::expm1(z.real()) * std::cos(z.imag()) - 2 * half * half,
             std::exp(z.real()) * std::sin(z.imag()));
  }
};
// Near 0, |1 + z|^2 - 1 = x (2 + x) + y^2.
struct log1p {
  template <class C>
  TAPER_OUTLINED C operator()(C z) const {
    using T = typename C::value_type;
    const T x = z.real(), y = z.imag();
    if (std::fabs(x) > T(0.5) || std::fabs(y) > T(0.5)) return math::log(C(1 + x, y));
    return C(std::log1p(x * (2 + x) + y * y) / 2, std::atan2(y, 1 + x));
  }
};

struct sgn {
  template <class C>
  TAPER_HD C operator()(const C& z) const {
    const typename C::value_type size = math::abs(z);
    return size == 0 ? C(0, 0) : C(z.real() / size, z.imag() / size);
  }
};

struct add {
  template <class C>
  TAPER_HD C operator()(const C& a, const C& b) const {
    return C(a.real() + b.real(), a.imag() + b.imag());
  }
};
struct sub {
  template <class C>
  TAPER_HD C operator()(const C& a, const C& b) const {
    return C(a.real() - b.real(), a.imag() - b.imag());
  }
};
// The standard library's product checks for infinities and is slower.
struct mul {
  template <class C>
  TAPER_HD C operator()(const C& a, const C& b) const {
    return C(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  }
};
struct div {
  template <class C>
  TAPER_HD C operator()(const C& a, const C& b) const {
    // Division (Smith's method) compares the parts of b. It cannot compare NaN.
    const auto parts = b.real() + b.imag();
    if (b.real() != b.real() || b.imag() != b.imag()) return C(parts, parts);
    return a / b;
  }
};
struct pow {
  template <class C>
  TAPER_HD C operator()(const C& a, const C& b) const {
    if (b == C(2, 0)) return mul()(a, a);
    if (b == C(0, 0)) return C(1, 0);
    return pow_of(a, b);
  }

 private:
  template <class C>
  TAPER_OUTLINED static C pow_of(C a, C b) {
    if (a == C(0, 0) && b.real() > 0) return C(0, 0);
    return math::exp(mul()(b, math::log(a)));
  }
};
// Adds the larger real part after the logarithm, so that no exponential overflows.
struct logaddexp {
  template <class C>
  TAPER_OUTLINED C operator()(C a, C b) const {
    if (a != a || b != b) {
      const auto nan = a != a ? a.real() + a.imag() : b.real() + b.imag();
      return C(nan, nan);
    }
    const bool a_is_low = a.real() < b.real();
    const C low = a_is_low ? a : b, high = a_is_low ? b : a;
    if (low.real() != high.real() || std::isfinite(low.real()))
      return high + log1p()(math::exp(low - high));
    return low.real() < 0 ? low : math::log(math::exp(a) + math::exp(b));
  }
};
struct of_parts {
  template <class T>
  TAPER_HD Complex<T> operator()(T re, T im) const {
    return Complex<T>(re, im);
  }
};
struct eq {
  template <class C>
  TAPER_HD bool operator()(const C& a, const C& b) const {
    return a.real() == b.real() && a.imag() == b.imag();
  }
};
struct ne {
  template <class C>
  TAPER_HD bool operator()(const C& a, const C& b) const {
    return a.real() != b.real() || a.imag() != b.imag();
  }
};

}  // namespace torch::taper::complex_functor
