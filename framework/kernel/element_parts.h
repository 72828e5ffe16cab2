// Properties of element types, for kernels of real and complex elements. Not installed.
#pragma once

#include <taper/framework/core/complex.h>

namespace torch::taper::numbers {

/// Whether T is complex (`is_complex`), and the type of its real and imaginary part (T itself if T
/// is real).
template <class T>
struct Parts {
  static constexpr bool is_complex = false;
  using type = T;
};
template <class T>
struct Parts<complex<T>> {
  static constexpr bool is_complex = true;
  using type = T;
};
template <class T>
using part_t = typename Parts<T>::type;
template <class T>
constexpr bool is_complex_v = Parts<T>::is_complex;

/// Returns the complex conjugate of x, or x itself if it is real.
template <class T>
TAPER_HD constexpr T conjugate(const T& x) {
  if constexpr (is_complex_v<T>)
    return conj(x);
  else
    return x;
}

}  // namespace torch::taper::numbers
