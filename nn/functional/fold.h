// Windows of images as columns, and back.
#pragma once

#include <taper/nn/options/fold.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// (N, C * K, L) or (C * K, L), columns of windows with K pixels, summed into (N, C, output_size).
/// Throws Error for sizes that do not fit.
Tensor fold(const Tensor& input, const FoldFuncOptions& options);
/// (N, C, H, W) to (N, C * K, L). Throws Error for sizes that do not fit.
Tensor unfold(const Tensor& input, const UnfoldFuncOptions& options);

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
