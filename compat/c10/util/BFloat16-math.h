// The functions of <cmath> for c10::Half and c10::BFloat16. They compute in float, and round the
// result once.
#pragma once

#include <cmath>

#include <taper/extension/arithmetic16.h>
#include <torch/names.h>

namespace std {

#define TORCH_PRIVATE_MATH_16(Result, name)                           \
  template <class T>                                                  \
  TAPER_HD inline ::taper::detail::If16<T, Result> name(const T& a) { \
    return Result(std::name(static_cast<float>(a)));                  \
  }
TORCH_PRIVATE_MATH_16(T, abs)
TORCH_PRIVATE_MATH_16(T, fabs)
TORCH_PRIVATE_MATH_16(T, acos)
TORCH_PRIVATE_MATH_16(T, acosh)
TORCH_PRIVATE_MATH_16(T, asin)
TORCH_PRIVATE_MATH_16(T, asinh)
TORCH_PRIVATE_MATH_16(T, atan)
TORCH_PRIVATE_MATH_16(T, atanh)
TORCH_PRIVATE_MATH_16(T, cbrt)
TORCH_PRIVATE_MATH_16(T, ceil)
TORCH_PRIVATE_MATH_16(T, cos)
TORCH_PRIVATE_MATH_16(T, cosh)
TORCH_PRIVATE_MATH_16(T, erf)
TORCH_PRIVATE_MATH_16(T, erfc)
TORCH_PRIVATE_MATH_16(T, exp)
TORCH_PRIVATE_MATH_16(T, exp2)
TORCH_PRIVATE_MATH_16(T, expm1)
TORCH_PRIVATE_MATH_16(T, floor)
TORCH_PRIVATE_MATH_16(T, lgamma)
TORCH_PRIVATE_MATH_16(T, log)
TORCH_PRIVATE_MATH_16(T, log10)
TORCH_PRIVATE_MATH_16(T, log1p)
TORCH_PRIVATE_MATH_16(T, log2)
TORCH_PRIVATE_MATH_16(T, nearbyint)
TORCH_PRIVATE_MATH_16(T, rint)
TORCH_PRIVATE_MATH_16(T, round)
TORCH_PRIVATE_MATH_16(T, sin)
TORCH_PRIVATE_MATH_16(T, sinh)
TORCH_PRIVATE_MATH_16(T, sqrt)
TORCH_PRIVATE_MATH_16(T, tan)
TORCH_PRIVATE_MATH_16(T, tanh)
TORCH_PRIVATE_MATH_16(T, tgamma)
TORCH_PRIVATE_MATH_16(T, trunc)
TORCH_PRIVATE_MATH_16(bool, isnan)
TORCH_PRIVATE_MATH_16(bool, isinf)
TORCH_PRIVATE_MATH_16(bool, isfinite)
TORCH_PRIVATE_MATH_16(bool, signbit)
#undef TORCH_PRIVATE_MATH_16

template <class T>
TAPER_HD inline ::taper::detail::If16<T, T> pow(const T& a, const T& b) {
  return T(std::pow(static_cast<float>(a), static_cast<float>(b)));
}
template <class T>
TAPER_HD inline ::taper::detail::If16<T, T> pow(const T& a, double b) {
  return T(std::pow(static_cast<float>(a), static_cast<float>(b)));
}
template <class T>
TAPER_HD inline ::taper::detail::If16<T, T> fmod(const T& a, const T& b) {
  return T(std::fmod(static_cast<float>(a), static_cast<float>(b)));
}
template <class T>
TAPER_HD inline ::taper::detail::If16<T, T> atan2(const T& a, const T& b) {
  return T(std::atan2(static_cast<float>(a), static_cast<float>(b)));
}
template <class T>
TAPER_HD inline ::taper::detail::If16<T, T> hypot(const T& a, const T& b) {
  return T(std::hypot(static_cast<float>(a), static_cast<float>(b)));
}
template <class T>
TAPER_HD inline ::taper::detail::If16<T, T> copysign(const T& a, const T& b) {
  return T(std::copysign(static_cast<float>(a), static_cast<float>(b)));
}

/// Returns the number of type T that is next to `from` in the direction of `to`.
template <class T>
TAPER_HD inline ::taper::detail::If16<T, T> nextafter(const T& from, const T& to) {
  const float a = from, b = to;
  if (a != a || b != b) return T(a + b);
  if (a == b) return to;
  T next = from;
  if (a == 0) {
    next.x = static_cast<uint16_t>((to.x & 0x8000u) | 1u);
    return next;
  }
  const bool away = (a < b) == (a > 0);
  next.x = static_cast<uint16_t>(from.x + (away ? 1 : -1));
  return next;
}

}  // namespace std
