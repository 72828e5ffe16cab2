// The formulas of the binary ops, for host and device. Both arguments have the same type.
#pragma once

#include <type_traits>

#include <taper/framework/core/dtype.h>
#include <taper/framework/kernel/vector_math.h>
#include <taper/ops/elementwise/functor.h>
#include <taper/ops/elementwise/unary_functors.h>

namespace torch::taper::functor {

// Rounds the quotient toward zero or minus infinity. The caller has rejected integer divisors of 0
// (check_divisor).
struct div_trunc {
  template <class T>
  TAPER_HD T operator()(T x, T y) const {
    if constexpr (std::is_integral<T>::value) {
      if (std::is_signed<T>::value && y == T(-1)) return sub()(T(0), x);  // min() / -1 traps
      return static_cast<T>(x / y);
    } else {
      return std::trunc(x / y);
    }
  }
};
// Functors built on the exact floating remainder define `of_remainder(x, y, r)` with
// r = fmod(x, y). Vector loops compute r by another method.
struct fmod {
  template <class T>
  TAPER_HD T operator()(T x, T y) const {
    if constexpr (std::is_integral<T>::value)
      return std::is_signed<T>::value && y == T(-1) ? T(0) : static_cast<T>(x % y);
    else
      return std::fmod(x, y);
  }
  template <class T>
  TAPER_HD static T of_remainder(T, T, T r) {
    return r;
  }
};
struct remainder {
  template <class T>
  TAPER_HD T operator()(T x, T y) const {
    return of_remainder(x, y, fmod()(x, y));
  }
  template <class T>
  TAPER_HD static T of_remainder(T, T y, T r) {
    return (r != 0) & ((r < 0) != (y < 0)) ? static_cast<T>(r + y) : r;
  }
};
struct div_floor {
  template <class T>
  TAPER_HD T operator()(T x, T y) const {
    if constexpr (std::is_integral<T>::value) {
      const T q = div_trunc()(x, y);
      const bool inexact = sub()(x, mul()(q, y)) != 0;
      return inexact && ((x < 0) != (y < 0)) ? static_cast<T>(q - 1) : q;
    } else {
      return of_remainder(x, y, std::fmod(x, y));
    }
  }
  // Computes floor(x / y) from the exact remainder, as Python's // does. A rounded x / y could
  // reach the next integer.
  template <class T>
  TAPER_HD static T of_remainder(T x, T y, T r) {
    const T whole = (x - r) / y;
    const T q = (r != 0) & ((r < 0) != (y < 0)) ? whole - 1 : whole;
    const T f = std::floor(q), near = q - f > T(0.5) ? f + 1 : f;
    const T signed_zero = q == 0 ? std::copysign(T(0), x / y) : near;
    return y == T(0) ? x / y : signed_zero;
  }
};
struct pow : Calling {
  template <class T>
  TAPER_HD T operator()(T x, T y) const {
    if constexpr (std::is_integral<T>::value) {
      if (y < 0) return x == 1 ? T(1) : x == T(-1) ? (y % 2 ? T(-1) : T(1)) : T(0);
      T result = 1;
      for (T base = x; y; y = static_cast<T>(y >> 1), base = mul()(base, base))
        if (y & 1) result = mul()(result, base);
      return result;
    } else {
      return std::pow(x, y);
    }
  }
};
struct power_1 {
  template <class T>
  TAPER_HD T operator()(T x) const {
    return x;
  }
};
TAPER_FUNCTOR(TAPER_HD, atan2 : Calling, (T x, T y), std::atan2(x, y))
TAPER_FUNCTOR(TAPER_HD, copysign, (T x, T y), std::copysign(x, y))
TAPER_FUNCTOR(TAPER_HD, logical_and
              : Turning, (T x, T y), static_cast<bool>((x != T(0)) & (y != T(0))))
TAPER_FUNCTOR(TAPER_HD, logical_or
              : Turning, (T x, T y), static_cast<bool>((x != T(0)) | (y != T(0))))
TAPER_FUNCTOR(TAPER_HD, logical_xor : Turning, (T x, T y), (x != T(0)) != (y != T(0)))

/// Computes F(x, number) for 16-bit floats x and a float number. The number keeps its precision.
template <class F>
struct WithNumber {
  float number;
  TAPER_HD float operator()(float x) const { return F()(x, number); }
};
/// True for functors whose second operand may be a float if the first operand is a 16-bit float.
/// See BinaryOp::keeps_number.
template <class F>
constexpr bool keeps_number =
    std::is_same<F, mul>::value || std::is_same<F, div>::value || std::is_same<F, div_trunc>::value;

}  // namespace torch::taper::functor
