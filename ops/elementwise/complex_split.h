// Complex arithmetic on separate real and imaginary parts, for the CPU's vector loops. It has no
// branches and calls only functions with vector forms. Not installed.
#pragma once

#include <cmath>

#include <taper/framework/kernel/vector_exp.h>
#include <taper/ops/elementwise/functor.h>

namespace torch::taper::complex_split {

template <class T>
struct Parts {
  T re, im;
};

/// Returns |z|. No square overflows or underflows.
TAPER_INLINE float size_of(Parts<float> z) {
  const double re = z.re, im = z.im;
  return static_cast<float>(std::sqrt(re * re + im * im));
}
TAPER_INLINE double size_of(Parts<double> z) { return std::hypot(z.re, z.im); }

TAPER_FUNCTOR(TAPER_INLINE, add, (Parts<T> a, Parts<T> b), Parts<T>{a.re + b.re, a.im + b.im})
TAPER_FUNCTOR(TAPER_INLINE, sub, (Parts<T> a, Parts<T> b), Parts<T>{a.re - b.re, a.im - b.im})
TAPER_FUNCTOR(TAPER_INLINE, mul, (Parts<T> a, Parts<T> b),
              Parts<T>{a.re * b.re - a.im * b.im, a.re* b.im + a.im* b.re})
// Smith's method scales by the larger part of b, so that nothing overflows. A NaN counts as
// larger, so that it spreads to the result.
struct div {
  template <class T>
  TAPER_INLINE Parts<T> operator()(Parts<T> a, Parts<T> b) const {
    const bool first = !(std::fabs(b.re) < std::fabs(b.im));
    const T large = first ? b.re : b.im, small = first ? b.im : b.re;
    const T p = first ? a.re : a.im, q = first ? a.im : a.re;
    const T divided = small / large, ratio = large == 0 ? T(0) : divided;
    const T scale = T(1) / (large == 0 ? std::fabs(small) : large + small * ratio);
    const T across = (q - p * ratio) * scale;
    return {(p + q * ratio) * scale, first ? across : -across};
  }
};
TAPER_FUNCTOR(TAPER_INLINE, neg, (Parts<T> z), Parts<T>{-z.re, -z.im})
TAPER_FUNCTOR(TAPER_INLINE, conj, (Parts<T> z), Parts<T>{z.re, -z.im})
TAPER_FUNCTOR(TAPER_INLINE, square, (Parts<T> z),
              Parts<T>{z.re * z.re - z.im * z.im, 2 * z.re* z.im})
TAPER_FUNCTOR(TAPER_INLINE, reciprocal, (Parts<T> z), div()(Parts<T>{1, 0}, z))

// Functors that divide z by a real number define it as `divisor`. It may be 0 if z is 0.
struct sgn {
  template <class T>
  TAPER_INLINE static T divisor(Parts<T> z) {
    return size_of(z);
  }
};

// Functors of exponentials define `exponent` of z, and the result from z and e = exp(exponent).
struct exp {
  template <class T>
  TAPER_INLINE static Parts<T> exponent(Parts<T> z) {
    return z;
  }
  template <class T>
  TAPER_INLINE static Parts<T> of_exp(Parts<T>, Parts<T> e) {
    return e;
  }
};
// Uses the exponential whose magnitude is at most 1.
struct sigmoid {
  template <class T>
  TAPER_INLINE static Parts<T> exponent(Parts<T> z) {
    return {z.re < 0 ? z.re : -z.re, z.re < 0 ? z.im : -z.im};
  }
  template <class T>
  TAPER_INLINE static Parts<T> of_exp(Parts<T> z, Parts<T> e) {
    const Parts<T> above{z.re < 0 ? e.re : T(1), z.re < 0 ? e.im : T(0)};
    return div()(above, Parts<T>{1 + e.re, e.im});
  }
};

}  // namespace torch::taper::complex_split
