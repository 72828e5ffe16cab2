// Transforms by cuFFT, with cached plans. Not installed.
#pragma once

#include <cufft.h>

#include <taper/framework/core/array_ref.h>

namespace torch::taper::cuda {

/// The data of a transform: `count` consecutive boxes, each dense in row-major order. n holds the
/// one to three sizes of a box. If the input or the result is real, the last size of the complex
/// boxes is n.back() / 2 + 1.
struct FftBoxes {
  Dims n;
  int64_t count;
  /// If true, adjacent numbers belong to consecutive boxes instead of one box. For complex numbers
  /// only.
  bool interleaved = false;
};

/// Transforms the boxes at x into y, without scaling, on the stream of the launch. y has the layout
/// of `boxes`, too. A transform to real numbers overwrites x. Throws Error with cuFFT's status.
void run_fft(cufftType type, const FftBoxes& boxes, void* x, void* y, bool inverse);

}  // namespace torch::taper::cuda
