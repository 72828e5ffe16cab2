// Transforms along some dimensions, with gradients, without the checks and promotions of
// fft_transform.h. Not installed.
#pragma once

#include <taper/framework/core/tensor.h>

namespace torch::taper::detail {

/// Returns scale times the transform of a complex x along the distinct, non-negative dimensions
/// `dims`.
Tensor fft_c2c(const Tensor& x, const Dims& dims, bool inverse, double scale);
/// Returns the forward transform of a real x, with the first n / 2 + 1 values along the last of
/// dims.
Tensor fft_r2c(const Tensor& x, const Dims& dims, double scale);
/// Returns the inverse transform of a Hermitian x, given by its first n / 2 + 1 values along the
/// last of dims. The result is real, with n values along it.
Tensor fft_c2r(const Tensor& x, const Dims& dims, int64_t n, double scale);
/// Returns x cropped, or padded with zeros, to n along dimension d.
Tensor resized(const Tensor& x, int64_t d, int64_t n);

}  // namespace torch::taper::detail
