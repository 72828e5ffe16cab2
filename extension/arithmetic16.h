// Arithmetic of floats of 16 bits and of 8 bits, as in LibTorch. Both operands may have such a type
// T, or one may be an integer. The result is then rounded to T. If one operand is a float or
// double, the result is a float or double. Taper's kernels compute in float and do not use these
// operators.
#pragma once

#include <type_traits>

#include <taper/framework/core/dtype.h>

#pragma GCC visibility push(default)

namespace torch::taper {
namespace detail {
/// True for floats of 16 bits. Also true for floats of 8 bits, because they follow the same rules.
template <class T>
struct Is16BitFloat : IsNarrowFloat<T> {};
template <class T, class Result>
using If16 = std::enable_if_t<Is16BitFloat<T>::value, Result>;
/// The result type of T and a number of type N. It is N if N is float or double, and T otherwise.
template <class T, class N>
using Mixed16 = std::enable_if_t<Is16BitFloat<T>::value && std::is_arithmetic<N>::value,
                                 std::conditional_t<std::is_floating_point<N>::value, N, T>>;
}  // namespace detail

#define TAPER_ARITHMETIC_16(op)                                                       \
  template <class T>                                                                  \
  TAPER_HD inline detail::If16<T, T> operator op(const T& a, const T& b) {            \
    return T(static_cast<float>(a) op static_cast<float>(b));                         \
  }                                                                                   \
  template <class T, class N>                                                         \
  TAPER_HD inline detail::Mixed16<T, N> operator op(const T& a, N b) {                \
    if constexpr (std::is_floating_point<N>::value)                                   \
      return static_cast<N>(static_cast<float>(a)) op b;                              \
    else                                                                              \
      return a op T(static_cast<float>(b));                                           \
  }                                                                                   \
  template <class T, class N>                                                         \
  TAPER_HD inline detail::Mixed16<T, N> operator op(N a, const T& b) {                \
    if constexpr (std::is_floating_point<N>::value)                                   \
      return a op static_cast<N>(static_cast<float>(b));                              \
    else                                                                              \
      return T(static_cast<float>(a)) op b;                                           \
  }                                                                                   \
  template <class T>                                                                  \
  TAPER_HD inline detail::If16<T, T>& operator op##=(T& a, const T& b) {              \
    return a = a op b;                                                                \
  }                                                                                   \
  template <class T, class N>                                                         \
  TAPER_HD inline std::enable_if_t<std::is_arithmetic<N>::value, detail::If16<T, T>>& \
  operator op##=(T& a, N b) {                                                         \
    return a = T(static_cast<float>(a op b));                                         \
  }                                                                                   \
  template <class T, class N>                                                         \
  TAPER_HD inline std::enable_if_t<                                                   \
      std::is_floating_point<N>::value && detail::Is16BitFloat<T>::value, N>&         \
  operator op##=(N& a, const T& b) {                                                  \
    return a = a op b;                                                                \
  }
TAPER_ARITHMETIC_16(+)
TAPER_ARITHMETIC_16(-)
TAPER_ARITHMETIC_16(*)
TAPER_ARITHMETIC_16(/)
#undef TAPER_ARITHMETIC_16

/// Returns -a, exactly.
template <class T>
TAPER_HD inline detail::If16<T, T> operator-(const T& a) {
  if constexpr (sizeof(T) == 1) return T(-static_cast<float>(a));
  T negative = a;
  negative.x = static_cast<decltype(a.x)>(a.x ^ 0x8000u);
  return negative;
}
/// Adds 1, rounded.
template <class T>
TAPER_HD inline detail::If16<T, T>& operator++(T& a) {
  return a += T(1.0f);
}
/// Subtracts 1, rounded.
template <class T>
TAPER_HD inline detail::If16<T, T>& operator--(T& a) {
  return a -= T(1.0f);
}
/// Adds 1, rounded, and returns the previous number.
template <class T>
TAPER_HD inline detail::If16<T, T> operator++(T& a, int) {
  const T before = a;
  ++a;
  return before;
}
/// Subtracts 1, rounded, and returns the previous number.
template <class T>
TAPER_HD inline detail::If16<T, T> operator--(T& a, int) {
  const T before = a;
  --a;
  return before;
}

}  // namespace torch::taper

#pragma GCC visibility pop
