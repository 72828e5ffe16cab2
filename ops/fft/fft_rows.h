// Transforms along given dimensions. They have gradients. They lack the checks and promotions of
// the functions in fft_transform.h. Not installed.
#pragma once

#include <taper/framework/core/tensor.h>

namespace torch::taper::detail {

/// Returns the transform of a complex x along `dims`, times scale. `dims` are distinct and not
/// negative.
Tensor fft_c2c(const Tensor& x, const Dims& dims, bool inverse, double scale);
/// Returns the forward transform of a real x. Along the last of `dims`, of size n, the result has
/// only the first n / 2 + 1 values.
Tensor fft_r2c(const Tensor& x, const Dims& dims, double scale);
/// Returns the inverse transform of a Hermitian x. Along the last of `dims`, x holds only the first
/// n / 2 + 1 of n values. The result is real and has n values along this dimension.
Tensor fft_c2r(const Tensor& x, const Dims& dims, int64_t n, double scale);
/// Returns x cropped, or padded with zeros, to size n along dimension d.
Tensor resized(const Tensor& x, int64_t d, int64_t n);

}  // namespace torch::taper::detail
