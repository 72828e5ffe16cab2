// c10::complex, with the functions of <complex> for it, and the type of a number's parts.
#pragma once

#include <complex>

#include <taper/framework/core/complex.h>
#include <torch/names.h>

namespace std {

#define TAPER_COMPLEX_PART(name)                            \
  template <class T>                                        \
  constexpr T name(const ::taper::numbers::complex<T>& z) { \
    return std::name(static_cast<std::complex<T>>(z));      \
  }
TAPER_COMPLEX_PART(real)
TAPER_COMPLEX_PART(imag)
TAPER_COMPLEX_PART(abs)
TAPER_COMPLEX_PART(arg)
TAPER_COMPLEX_PART(norm)
#undef TAPER_COMPLEX_PART

template <class T>
constexpr ::taper::numbers::complex<T> conj(const ::taper::numbers::complex<T>& z) {
  return ::taper::numbers::conj(z);
}

#define TAPER_COMPLEX_FUNCTION(name)                                                 \
  template <class T>                                                                 \
  ::taper::numbers::complex<T> name(const ::taper::numbers::complex<T>& z) {         \
    return ::taper::numbers::complex<T>(std::name(static_cast<std::complex<T>>(z))); \
  }
TAPER_COMPLEX_FUNCTION(exp)
TAPER_COMPLEX_FUNCTION(log)
TAPER_COMPLEX_FUNCTION(log10)
TAPER_COMPLEX_FUNCTION(sqrt)
TAPER_COMPLEX_FUNCTION(sin)
TAPER_COMPLEX_FUNCTION(cos)
TAPER_COMPLEX_FUNCTION(tan)
TAPER_COMPLEX_FUNCTION(asin)
TAPER_COMPLEX_FUNCTION(acos)
TAPER_COMPLEX_FUNCTION(atan)
TAPER_COMPLEX_FUNCTION(sinh)
TAPER_COMPLEX_FUNCTION(cosh)
TAPER_COMPLEX_FUNCTION(tanh)
TAPER_COMPLEX_FUNCTION(asinh)
TAPER_COMPLEX_FUNCTION(acosh)
TAPER_COMPLEX_FUNCTION(atanh)
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

/// Returns r (cos theta + i sin theta).
template <class T>
complex<T> polar(const T& r, const T& theta = T()) {
  return complex<T>(std::polar(r, theta));
}

/// `type` is the type of T's parts if T is complex, else T.
template <class T, class = void>
struct scalar_value_type {
  using type = T;
};
template <class T>
struct scalar_value_type<T, std::enable_if_t<taper::numbers::detail::HasParts<T>::value>> {
  using type = typename T::value_type;
};
}  // namespace c10
