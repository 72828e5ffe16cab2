// Transforms along some dimensions, with gradients, without the checks and promotions of
// fft_transform.h. Not installed.
#pragma once

#include <taper/framework/core/tensor.h>

namespace torch::taper::detail {

/// scale times the transform of a complex x along the dimensions `dims` (different ones, not
/// negative).
Tensor fft_c2c(const Tensor& x, const Dims& dims, bool inverse, double scale);
/// That of a real x, forward: along the last one of dims its first n / 2 + 1 values.
Tensor fft_r2c(const Tensor& x, const Dims& dims, double scale);
/// The real values, n along the last one of dims, of the inverse one of a Hermitian x, given by its
/// first n / 2 + 1 values along it.
Tensor fft_c2r(const Tensor& x, const Dims& dims, int64_t n, double scale);
/// x cropped, or padded with zeros, to n along dimension d.
Tensor resized(const Tensor& x, int64_t d, int64_t n);

}  // namespace torch::taper::detail
