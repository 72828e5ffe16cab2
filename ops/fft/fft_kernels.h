// Kernels of fft_transform.cpp. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

// x and y are contiguous. Complex and real tensors have parts and elements of one type. The last
// `rank` dimensions are transformed. rank is 1 on the CPU. On CUDA it is at most kMostFftDims.
constexpr int64_t kMostFftDims = 3;  // the limit of a cuFFT plan

/// Computes y = scale * transform of x. The exponent has the sign -, or + if `inverse` is true. On
/// CUDA, the transformed dimensions of x and y may also be the outermost dimensions in memory.
TAPER_KERNEL(fft_complex, Out y, In x, int64_t rank, bool inverse, double scale)
/// Computes the transform of real numbers, with the sign -. It computes only the results whose last
/// coordinate is at most n / 2. n is the size of x's last dimension.
TAPER_KERNEL(fft_real, Out y, In x, int64_t rank, double scale)
/// Computes the transform of Hermitian rows, with the sign +. The results are n real numbers per
/// row. x holds the first n / 2 + 1 numbers of each row.
TAPER_KERNEL(fft_hermitian, Out y, In x, double scale)

}  // namespace torch::taper
