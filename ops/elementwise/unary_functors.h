// The formulas of the unary ops, for host and device. T is float or double. T may be an integer
// type for ops that keep the dtype. Callers convert 16-bit floats to float.
#pragma once

#include <type_traits>

#include <taper/framework/core/dtype.h>
#include <taper/framework/kernel/vector_exp.h>
#include <taper/ops/elementwise/functor.h>

namespace torch::taper::functor {

#include <taper/ops/elementwise/lane_functors.inc>

TAPER_FUNCTOR(TAPER_HD, exp, (T x), vector_exp(x))
TAPER_FUNCTOR(TAPER_HD, exp2, (T x), std::exp2(x))
TAPER_FUNCTOR(TAPER_HD, expm1, (T x), std::expm1(x))
TAPER_FUNCTOR(TAPER_HD, log, (T x), std::log(x))
TAPER_FUNCTOR(TAPER_HD, log2, (T x), std::log2(x))
TAPER_FUNCTOR(TAPER_HD, log10, (T x), std::log10(x))
TAPER_FUNCTOR(TAPER_HD, log1p, (T x), std::log1p(x))
TAPER_FUNCTOR(TAPER_HD, rsqrt, (T x), T(1) / std::sqrt(x))
TAPER_FUNCTOR(TAPER_HD, sin, (T x), std::sin(x))
TAPER_FUNCTOR(TAPER_HD, cos, (T x), std::cos(x))
TAPER_FUNCTOR(TAPER_HD, tan, (T x), std::tan(x))
TAPER_FUNCTOR(TAPER_HD, asin, (T x), std::asin(x))
TAPER_FUNCTOR(TAPER_HD, acos, (T x), std::acos(x))
TAPER_FUNCTOR(TAPER_HD, atan, (T x), std::atan(x))
TAPER_FUNCTOR(TAPER_HD, sinh, (T x), std::sinh(x))
TAPER_FUNCTOR(TAPER_HD, cosh, (T x), std::cosh(x))
TAPER_FUNCTOR(TAPER_HD, tanh, (T x), vector_tanh(x))
TAPER_FUNCTOR(TAPER_HD, asinh, (T x), std::asinh(x))
TAPER_FUNCTOR(TAPER_HD, acosh, (T x), std::acosh(x))
TAPER_FUNCTOR(TAPER_HD, atanh, (T x), std::atanh(x))
TAPER_FUNCTOR(TAPER_HD, erf, (T x), std::erf(x))
TAPER_FUNCTOR(TAPER_HD, erfc, (T x), std::erfc(x))
TAPER_FUNCTOR(TAPER_HD, sigmoid, (T x), logistic(x))

// The functors that round do not change integers. round() rounds ties to even.
struct floor {
  template <class T>
  TAPER_HD T operator()(T x) const {
    if constexpr (std::is_integral<T>::value)
      return x;
    else
      return std::floor(x);
  }
};
struct ceil {
  template <class T>
  TAPER_HD T operator()(T x) const {
    if constexpr (std::is_integral<T>::value)
      return x;
    else
      return std::ceil(x);
  }
};
struct round {
  template <class T>
  TAPER_HD T operator()(T x) const {
    if constexpr (std::is_integral<T>::value)
      return x;
    else
      return std::nearbyint(x);
  }
};
struct trunc {
  template <class T>
  TAPER_HD T operator()(T x) const {
    if constexpr (std::is_integral<T>::value)
      return x;
    else
      return std::trunc(x);
  }
};
struct frac {
  template <class T>
  TAPER_HD T operator()(T x) const {
    if constexpr (std::is_integral<T>::value)
      return T(0);
    else
      return x - std::trunc(x);
  }
};

// x - x is NaN if x is infinite or NaN.
struct isfinite {
  template <class T>
  TAPER_HD bool operator()(T x) const {
    if constexpr (std::is_integral<T>::value)
      return true;
    else
      return x - x == T(0);
  }
};
struct isinf {
  template <class T>
  TAPER_HD bool operator()(T x) const {
    return x == x && !isfinite()(x);
  }
};
struct bitwise_not {
  template <class T>
  TAPER_HD T operator()(T x) const {
    if constexpr (std::is_same<T, bool>::value)
      return !x;
    else
      return static_cast<T>(~x);
  }
};

}  // namespace torch::taper::functor
