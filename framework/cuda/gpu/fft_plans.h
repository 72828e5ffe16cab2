// Transforms by cuFFT, with cached plans. Not installed.
#pragma once

#include <cufft.h>

#include <taper/framework/core/array_ref.h>

namespace torch::taper::cuda {

/// The data of a transform: `count` consecutive boxes, each dense in row-major order. n are the one
/// to three sizes of a box. If one side of the transform is real, the last size of complex boxes is
/// n / 2 + 1.
struct FftBoxes {
  Dims n;
  int64_t count;
  /// For complex numbers: adjacent numbers belong to consecutive boxes, instead of one box.
  bool interleaved = false;
};

/// Transforms the boxes, without scaling, on the stream of the launch. The results have this
/// layout, too. A transform to real numbers overwrites x. Throws Error with cuFFT's status.
void run_fft(cufftType type, const FftBoxes& boxes, void* x, void* y, bool inverse);

}  // namespace torch::taper::cuda
