// Transforms by cuFFT, with cached plans. Not installed.
#pragma once

#include <cufft.h>

#include <taper/framework/core/array_ref.h>

namespace torch::taper::cuda {

/// The data of a transform: `count` consecutive boxes of n points, with one to three sizes n, each
/// dense in row-major order. For complex boxes of real ones the last size is n / 2 + 1.
struct FftBoxes {
  Dims n;
  int64_t count;
  /// For complex numbers: the boxes' numbers of one index are adjacent, instead of each box's
  /// numbers.
  bool interleaved = false;
};

/// Transforms the boxes, without scaling, on the stream of the launch. The results have this
/// layout, too. A transform to real numbers overwrites x. Throws Error with cuFFT's status.
void run_fft(cufftType type, const FftBoxes& boxes, void* x, void* y, bool inverse);

}  // namespace torch::taper::cuda
