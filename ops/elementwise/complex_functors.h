// The formulas of complex arithmetic, over std::complex on the host and thrust::complex on GPUs.
// Not installed.
#pragma once

#include <taper/framework/host_device.h>

#ifdef __CUDACC__
#include <thrust/complex.h>
#else
#include <complex>
#endif

namespace taper::complex_functor {

// The functors have the functions' names, so these are called by their namespace.
#ifdef __CUDACC__
namespace math = thrust;
#else
namespace math = std;
#endif
template <class T>
using Complex = math::complex<T>;

#define TAPER_FUNCTOR_AS(KIND, name, expression)         \
  struct name {                                          \
    template <class C>                                   \
    KIND C operator()(C z) const {                       \
      using T [[maybe_unused]] = typename C::value_type; \
      return expression;                                 \
    }                                                    \
  };
#define TAPER_FUNCTOR(name, expression) TAPER_FUNCTOR_AS(TAPER_HD, name, expression)
#define TAPER_LONG_FUNCTOR(name, expression) TAPER_FUNCTOR_AS(TAPER_OUTLINED, name, expression)
TAPER_LONG_FUNCTOR(exp, math::exp(z))
TAPER_LONG_FUNCTOR(log, math::log(z))
TAPER_LONG_FUNCTOR(log2, math::log(z) * T(1.44269504088896340736))
TAPER_LONG_FUNCTOR(log10, math::log10(z))
TAPER_LONG_FUNCTOR(sqrt, math::sqrt(z))
TAPER_LONG_FUNCTOR(rsqrt, T(1) / math::sqrt(z))
TAPER_FUNCTOR(reciprocal, T(1) / z)
TAPER_LONG_FUNCTOR(sin, math::sin(z))
TAPER_LONG_FUNCTOR(cos, math::cos(z))
TAPER_LONG_FUNCTOR(tan, math::tan(z))
TAPER_LONG_FUNCTOR(sinh, math::sinh(z))
TAPER_LONG_FUNCTOR(cosh, math::cosh(z))
TAPER_LONG_FUNCTOR(tanh, math::tanh(z))
TAPER_LONG_FUNCTOR(asin, math::asin(z))
TAPER_LONG_FUNCTOR(acos, math::acos(z))
TAPER_LONG_FUNCTOR(atan, math::atan(z))
TAPER_LONG_FUNCTOR(asinh, math::asinh(z))
TAPER_LONG_FUNCTOR(acosh, math::acosh(z))
TAPER_LONG_FUNCTOR(atanh, math::atanh(z))
TAPER_LONG_FUNCTOR(sigmoid, T(1) / (T(1) + math::exp(-z)))
TAPER_FUNCTOR(square, C(z.real() * z.real() - z.imag() * z.imag(), 2 * z.real() * z.imag()))
TAPER_FUNCTOR(neg, C(-z.real(), -z.imag()))
TAPER_FUNCTOR(conj, C(z.real(), -z.imag()))
#undef TAPER_FUNCTOR
#undef TAPER_LONG_FUNCTOR
#undef TAPER_FUNCTOR_AS

// exp(z) - 1 = expm1(x) cos(y) - 2 sin(y / 2)^2 + i exp(x) sin(y), with no difference of equals.
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
// Not the library's, which looks for infinities.
struct mul {
  template <class C>
  TAPER_HD C operator()(const C& a, const C& b) const {
    return C(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  }
};
struct div {
  template <class C>
  TAPER_HD C operator()(const C& a, const C& b) const {
    // Smith's method goes by the larger part, and NaN has no order.
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
// By the larger real part, whose exponential does not overflow.
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

}  // namespace taper::complex_functor
