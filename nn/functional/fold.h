// Extracts windows of images as columns, and sums columns into images.
#pragma once

#include <taper/nn/options/fold.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Sums columns of windows into images. (N, C * K, L) or (C * K, L), with K pixels a window, gives
/// (N, C, output_size) or (C, output_size). Throws Error if the sizes do not fit.
Tensor fold(const Tensor& input, const FoldFuncOptions& options);
/// Extracts the windows of images as columns. (N, C, H, W) gives (N, C * K, L), with K pixels a
/// window and L windows. Throws Error if the sizes do not fit.
Tensor unfold(const Tensor& input, const UnfoldFuncOptions& options);

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
