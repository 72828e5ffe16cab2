// Kernels of fft_transform.cpp. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

// x and y are contiguous, complex ones of one precision with real ones. `rank` counts the
// dimensions that are transformed, the last ones: 1 on the CPU, up to kMostFftDims on CUDA.
constexpr int64_t kMostFftDims = 3;  // of a plan of cuFFT

/// y = scale * transform of x, with - in the exponent, + where `inverse`. On CUDA x and y may also
/// both be what is contiguous once the transformed dimensions are the first ones.
TAPER_KERNEL(fft_complex, Out y, In x, int64_t rank, bool inverse, double scale)
/// The values of the transform (with -) of real ones of which the last coordinate is at most n / 2.
TAPER_KERNEL(fft_real, Out y, In x, int64_t rank, double scale)
/// n real values of the transform (with +) of Hermitian rows, given by their first n / 2 + 1.
TAPER_KERNEL(fft_hermitian, Out y, In x, double scale)

}  // namespace torch::taper
