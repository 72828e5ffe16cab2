// Dropout: random parts of a tensor become zero, the rest is scaled to keep the mean.
//
// Each form returns x itself when `train` is false or p is 0; p must be in [0, 1]. The numbers are
// PyTorch's.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Each element is zero with probability p, else multiplied by 1 / (1 - p). x floating.
Tensor dropout(const Tensor& x, double p, bool train);
Tensor& dropout_(Tensor& x, double p, bool train);
/// Whole channels: one decision for each (n, c) of x (N, C, ...).
Tensor feature_dropout(const Tensor& x, double p, bool train);
Tensor& feature_dropout_(Tensor& x, double p, bool train);
/// Keeps mean and variance of inputs of mean 0 and variance 1: dropped elements become the negative
/// saturation value of SELU, then all are scaled and shifted. (arXiv:1706.02515)
Tensor alpha_dropout(const Tensor& x, double p, bool train);
Tensor& alpha_dropout_(Tensor& x, double p, bool train);
/// The same by whole channels.
Tensor feature_alpha_dropout(const Tensor& x, double p, bool train);
Tensor& feature_alpha_dropout_(Tensor& x, double p, bool train);

}  // namespace torch::taper

#pragma GCC visibility pop
