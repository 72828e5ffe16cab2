// Transforms along one dimension, with gradients, without the checks and promotions of
// fft_transform.h. Not installed.
#pragma once

#include <taper/framework/tensor.h>

namespace taper::detail {

/// scale times the transform of a complex x along dimension d (not negative).
Tensor fft_c2c(const Tensor& x, int64_t d, bool inverse, double scale);
/// The first n / 2 + 1 values of that of a real x, forward.
Tensor fft_r2c(const Tensor& x, int64_t d, double scale);
/// The n real values of the inverse one of a Hermitian x, given by n / 2 + 1 values.
Tensor fft_c2r(const Tensor& x, int64_t d, int64_t n, double scale);
/// x cropped, or padded with zeros, to n along dimension d.
Tensor resized(const Tensor& x, int64_t d, int64_t n);

}  // namespace taper::detail
