// Windows for signals: vectors of window_length numbers. A `periodic` window is a symmetric window
// of window_length + 1 points without the last point, so that adjacent copies of the window join
// smoothly. In the formulas, n is the index of a point, and N is the number of points of the
// symmetric window. A window_length of 1 gives {1}.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns 1 - |2n / (N - 1) - 1|.
Tensor bartlett_window(int64_t window_length, bool periodic, TensorOptions options = {});
inline Tensor bartlett_window(int64_t window_length, TensorOptions options = {}) {
  return bartlett_window(window_length, true, options);
}
/// Returns 0.5 - 0.5 cos(2 pi n / (N - 1)).
Tensor hann_window(int64_t window_length, bool periodic, TensorOptions options = {});
inline Tensor hann_window(int64_t window_length, TensorOptions options = {}) {
  return hann_window(window_length, true, options);
}
/// Returns alpha - beta cos(2 pi n / (N - 1)).
Tensor hamming_window(int64_t window_length, bool periodic, double alpha, double beta,
                      TensorOptions options = {});
inline Tensor hamming_window(int64_t window_length, bool periodic, double alpha,
                             TensorOptions options = {}) {
  return hamming_window(window_length, periodic, alpha, 0.46, options);
}
inline Tensor hamming_window(int64_t window_length, bool periodic, TensorOptions options = {}) {
  return hamming_window(window_length, periodic, 0.54, 0.46, options);
}
inline Tensor hamming_window(int64_t window_length, TensorOptions options = {}) {
  return hamming_window(window_length, true, 0.54, 0.46, options);
}
/// Returns 0.42 - 0.5 cos(2 pi n / (N - 1)) + 0.08 cos(4 pi n / (N - 1)).
Tensor blackman_window(int64_t window_length, bool periodic, TensorOptions options = {});
inline Tensor blackman_window(int64_t window_length, TensorOptions options = {}) {
  return blackman_window(window_length, true, options);
}

/// Returns I0(beta sqrt(1 - (2n / (N - 1) - 1)^2)) / I0(beta). I0 is the modified Bessel function
/// of the first kind and order 0.
Tensor kaiser_window(int64_t window_length, bool periodic, double beta, TensorOptions options = {});
inline Tensor kaiser_window(int64_t window_length, bool periodic, TensorOptions options = {}) {
  return kaiser_window(window_length, periodic, 12, options);
}
inline Tensor kaiser_window(int64_t window_length, TensorOptions options = {}) {
  return kaiser_window(window_length, true, 12, options);
}

}  // namespace torch::taper

#pragma GCC visibility pop
