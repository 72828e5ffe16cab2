// Transforms by cuFFT, whose plans are kept. Not installed.
#pragma once

#include <cufft.h>

#include <taper/framework/core/array_ref.h>

namespace torch::taper::cuda {

/// What is transformed: `count` boxes of n points, n of one to three sizes, each dense in row-major
/// order (of complex boxes of real ones the last size is n / 2 + 1), one behind the other.
struct FftBoxes {
  Dims n;
  int64_t count;
  /// Of complex numbers: the boxes' numbers at one place lie side by side in place of a box's own.
  bool interleaved = false;
};

/// Their transforms, which lie alike, not scaled, on the stream of the launch. A transform to real
/// numbers overwrites x. Throws Error with cuFFT's word for what is wrong.
void run_fft(cufftType type, const FftBoxes& boxes, void* x, void* y, bool inverse);

}  // namespace torch::taper::cuda
