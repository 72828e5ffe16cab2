// Dropout: random elements become zero. The other elements are scaled to keep the mean.
//
// Each function returns x itself if `train` is false or p is 0. p must be in [0, 1]. With the same
// seed, the random numbers are PyTorch's.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Zeroes each element with probability p, and multiplies the other elements by 1 / (1 - p). x must
/// be floating. dropout_ does this in place.
Tensor dropout(const Tensor& x, double p, bool train);
Tensor& dropout_(Tensor& x, double p, bool train);
/// Zeroes each channel (n, c) of x (N, C, ...) with probability p. Scales the other channels as
/// dropout does.
Tensor feature_dropout(const Tensor& x, double p, bool train);
Tensor& feature_dropout_(Tensor& x, double p, bool train);
/// Drops elements so that an x of mean 0 and variance 1 keeps its mean and variance. Each element
/// becomes the negative saturation value of SELU with probability p. Then all elements are scaled
/// and shifted. For p = 1 the result is x * 0. (arXiv:1706.02515)
Tensor alpha_dropout(const Tensor& x, double p, bool train);
Tensor& alpha_dropout_(Tensor& x, double p, bool train);
/// Applies alpha_dropout to whole channels.
Tensor feature_alpha_dropout(const Tensor& x, double p, bool train);
Tensor& feature_alpha_dropout_(Tensor& x, double p, bool train);

}  // namespace torch::taper

#pragma GCC visibility pop
