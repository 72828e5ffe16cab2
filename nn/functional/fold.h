// Extracts windows of images as columns, and sums columns into images.
#pragma once

#include <taper/nn/options/fold.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Sums L windows with K pixels into images. (N, C * K, L) gives (N, C, output_size...), and (C *
/// K, L) gives (C, output_size...). Throws Error for other sizes.
Tensor fold(const Tensor& input, const FoldFuncOptions& options);
/// Extracts the windows of images as columns. (N, C, H, W) gives (N, C * K, L) for L windows with K
/// pixels. Throws Error for other sizes.
Tensor unfold(const Tensor& input, const UnfoldFuncOptions& options);

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
