// Kernels of fft_transform.cpp. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

// x and y are contiguous. Complex and real ones have one precision. `rank` counts the transformed
// dimensions, which are the last ones: 1 on the CPU, up to kMostFftDims on CUDA.
constexpr int64_t kMostFftDims = 3;  // limit of a cuFFT plan

/// Computes y = scale * transform of x, with - in the exponent, or + if `inverse`. On CUDA the
/// transformed dimensions of x and y may also be the first ones in memory.
TAPER_KERNEL(fft_complex, Out y, In x, int64_t rank, bool inverse, double scale)
/// Computes the transform (with -) of real numbers, only for a last coordinate of at most n / 2.
TAPER_KERNEL(fft_real, Out y, In x, int64_t rank, double scale)
/// Computes n real values of the transform (with +) of Hermitian rows, given by their first n / 2 +
/// 1.
TAPER_KERNEL(fft_hermitian, Out y, In x, double scale)

}  // namespace torch::taper
