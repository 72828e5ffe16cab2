// Transforms by cuFFT, whose plans are kept. Not installed.
#pragma once

#include <cufft.h>

#include <cstdint>

namespace taper::cuda {

/// `rows` transforms of n points each, side by side in memory (complex rows of real ones have
/// n / 2 + 1), not scaled, on the stream of the launch. A transform to real numbers overwrites x.
/// Throws Error with cuFFT's word for what is wrong.
void run_fft(cufftType type, int64_t n, int64_t rows, void* x, void* y, bool inverse);

}  // namespace taper::cuda
