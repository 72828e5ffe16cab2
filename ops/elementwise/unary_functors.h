// The formulas of the unary ops, for host and device. T is float, double or (for the ops that keep
// the dtype) an integer type; 16-bit floats arrive as float.
#pragma once

#include <type_traits>

#include <taper/framework/cpu/vector_exp.h>
#include <taper/framework/dtype.h>

namespace taper::functor {

#define TAPER_FUNCTOR(name, expression)  \
  struct name {                          \
    template <class T>                   \
    TAPER_HD T operator()(T x) const {   \
      return static_cast<T>(expression); \
    }                                    \
  };

TAPER_FUNCTOR(exp, vector_exp(x))
TAPER_FUNCTOR(exp2, std::exp2(x))
TAPER_FUNCTOR(expm1, std::expm1(x))
TAPER_FUNCTOR(log, std::log(x))
TAPER_FUNCTOR(log2, std::log2(x))
TAPER_FUNCTOR(log10, std::log10(x))
TAPER_FUNCTOR(log1p, std::log1p(x))
TAPER_FUNCTOR(sqrt, std::sqrt(x))
TAPER_FUNCTOR(rsqrt, T(1) / std::sqrt(x))
TAPER_FUNCTOR(reciprocal, T(1) / x)
TAPER_FUNCTOR(sin, std::sin(x))
TAPER_FUNCTOR(cos, std::cos(x))
TAPER_FUNCTOR(tan, std::tan(x))
TAPER_FUNCTOR(asin, std::asin(x))
TAPER_FUNCTOR(acos, std::acos(x))
TAPER_FUNCTOR(atan, std::atan(x))
TAPER_FUNCTOR(sinh, std::sinh(x))
TAPER_FUNCTOR(cosh, std::cosh(x))
TAPER_FUNCTOR(tanh, vector_tanh(x))
TAPER_FUNCTOR(asinh, std::asinh(x))
TAPER_FUNCTOR(acosh, std::acosh(x))
TAPER_FUNCTOR(atanh, std::atanh(x))
TAPER_FUNCTOR(erf, std::erf(x))
TAPER_FUNCTOR(erfc, std::erfc(x))
TAPER_FUNCTOR(sigmoid, logistic(x))

TAPER_FUNCTOR(square, x* x)
// Comparisons written so that NaN passes through.
TAPER_FUNCTOR(relu, x <= T(0) ? T(0) : x)
#undef TAPER_FUNCTOR

struct neg {
  template <class T>
  TAPER_HD T operator()(T x) const {
    if constexpr (std::is_integral<T>::value)
      return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(x));
    else
      return -x;
  }
};
struct abs {
  template <class T>
  TAPER_HD T operator()(T x) const {
    if constexpr (std::is_floating_point<T>::value)
      return std::fabs(x);
    else if constexpr (std::is_signed<T>::value)
      return without_sign(x);
    else
      return x;
  }

 private:
  // Of a choice GCC makes a jump where there is no instruction for the maximum of int64.
  template <class T>
  TAPER_HD static T without_sign(T x) {
    using U = std::make_unsigned_t<T>;
    const U sign = x < 0 ? ~U(0) : U(0);
    return static_cast<T>(static_cast<U>((static_cast<U>(x) ^ sign) - sign));
  }
};
struct sign {
  template <class T>
  TAPER_HD T operator()(T x) const {
    if constexpr (std::is_unsigned<T>::value)
      return static_cast<T>(x > 0);
    else
      return static_cast<T>((x > 0) - (x < 0));
  }
};

// Rounding leaves integers as they are. round() goes to even on ties.
#define TAPER_ROUNDING(name, call)              \
  struct name {                                 \
    template <class T>                          \
    TAPER_HD T operator()(T x) const {          \
      if constexpr (std::is_integral<T>::value) \
        return x;                               \
      else                                      \
        return call;                            \
    }                                           \
  };
TAPER_ROUNDING(floor, std::floor(x))
TAPER_ROUNDING(ceil, std::ceil(x))
TAPER_ROUNDING(round, std::nearbyint(x))
TAPER_ROUNDING(trunc, std::trunc(x))
#undef TAPER_ROUNDING
struct frac {
  template <class T>
  TAPER_HD T operator()(T x) const {
    if constexpr (std::is_integral<T>::value)
      return T(0);
    else
      return x - std::trunc(x);
  }
};

// Comparisons of NaN are false: x != x only for NaN; inf - inf is NaN.
struct isnan {
  template <class T>
  TAPER_HD bool operator()(T x) const {
    return x != x;
  }
};
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
struct logical_not {
  template <class T>
  TAPER_HD bool operator()(T x) const {
    return x == T(0);
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

}  // namespace taper::functor
