// c10::complex, the functions of <complex> for c10::complex, and c10::scalar_value_type.
#pragma once

#include <complex>

#include <taper/framework/core/complex.h>
#include <torch/names.h>

namespace std {

template <class T>
constexpr ::taper::numbers::complex<T> conj(const ::taper::numbers::complex<T>& z) {
  return ::taper::numbers::conj(z);
}

#define TAPER_COMPLEX_FUNCTION(name, Result)                      \
  template <class T, class Number = ::taper::numbers::complex<T>> \
  constexpr Result name(const ::taper::numbers::complex<T>& z) {  \
    return Result(std::name(static_cast<std::complex<T>>(z)));    \
  }
TAPER_COMPLEX_FUNCTION(real, T)
TAPER_COMPLEX_FUNCTION(imag, T)
TAPER_COMPLEX_FUNCTION(abs, T)
TAPER_COMPLEX_FUNCTION(arg, T)
TAPER_COMPLEX_FUNCTION(norm, T)
TAPER_COMPLEX_FUNCTION(exp, Number)
TAPER_COMPLEX_FUNCTION(log, Number)
TAPER_COMPLEX_FUNCTION(log10, Number)
TAPER_COMPLEX_FUNCTION(sqrt, Number)
TAPER_COMPLEX_FUNCTION(sin, Number)
TAPER_COMPLEX_FUNCTION(cos, Number)
TAPER_COMPLEX_FUNCTION(tan, Number)
TAPER_COMPLEX_FUNCTION(asin, Number)
TAPER_COMPLEX_FUNCTION(acos, Number)
TAPER_COMPLEX_FUNCTION(atan, Number)
TAPER_COMPLEX_FUNCTION(sinh, Number)
TAPER_COMPLEX_FUNCTION(cosh, Number)
TAPER_COMPLEX_FUNCTION(tanh, Number)
TAPER_COMPLEX_FUNCTION(asinh, Number)
TAPER_COMPLEX_FUNCTION(acosh, Number)
TAPER_COMPLEX_FUNCTION(atanh, Number)
#undef TAPER_COMPLEX_FUNCTION

template <class T>
::taper::numbers::complex<T> pow(const ::taper::numbers::complex<T>& z,
                                 const ::taper::numbers::complex<T>& w) {
  return ::taper::numbers::complex<T>(
      std::pow(static_cast<std::complex<T>>(z), static_cast<std::complex<T>>(w)));
}
template <class T>
::taper::numbers::complex<T> pow(const ::taper::numbers::complex<T>& z, const T& x) {
  return ::taper::numbers::complex<T>(std::pow(static_cast<std::complex<T>>(z), x));
}

}  // namespace std

namespace c10 {

/// Returns r * (cos(theta) + i * sin(theta)).
template <class T>
complex<T> polar(const T& r, const T& theta = T()) {
  return complex<T>(std::polar(r, theta));
}

/// If T is complex, `type` is the type of its real part. Otherwise, `type` is T.
template <class T, class = void>
struct scalar_value_type {
  using type = T;
};
template <class T>
struct scalar_value_type<T, std::enable_if_t<taper::numbers::detail::HasParts<T>::value>> {
  using type = typename T::value_type;
};
}  // namespace c10
