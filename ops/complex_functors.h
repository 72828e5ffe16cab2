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
