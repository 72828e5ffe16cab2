// Dropout: random elements become zero. The other elements are scaled to keep the mean.
//
// Each form returns x itself if `train` is false or p is 0. p must be in [0, 1]. Random numbers
// equal PyTorch's for the same seed.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Zeroes each element with probability p and multiplies the rest by 1 / (1 - p). x is floating.
Tensor dropout(const Tensor& x, double p, bool train);
Tensor& dropout_(Tensor& x, double p, bool train);
/// Zeroes each channel (n, c) of x (N, C, ...) with probability p. Scales the other channels as
/// dropout does.
Tensor feature_dropout(const Tensor& x, double p, bool train);
Tensor& feature_dropout_(Tensor& x, double p, bool train);
/// Drops elements and keeps the mean and variance of inputs of mean 0 and variance 1. Dropped
/// elements become the negative saturation value of SELU. Then all elements are scaled and shifted.
/// For p = 1 the result is x * 0. (arXiv:1706.02515)
Tensor alpha_dropout(const Tensor& x, double p, bool train);
Tensor& alpha_dropout_(Tensor& x, double p, bool train);
/// Applies alpha_dropout to whole channels.
Tensor feature_alpha_dropout(const Tensor& x, double p, bool train);
Tensor& feature_alpha_dropout_(Tensor& x, double p, bool train);

}  // namespace torch::taper

#pragma GCC visibility pop
