// Initialization of parameters. Every function fills its tensor in-place, without recording the
// change in autograd, and returns the tensor. After equal calls of manual_seed, the random values
// equal PyTorch's.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>
#include <taper/nn/enum.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::init {

/// Names a nonlinearity for calculate_gain.
using NonlinearityType =
    Choice<enumtype::kLinear, enumtype::kConv1D, enumtype::kConv2D, enumtype::kConv3D,
           enumtype::kConvTranspose1D, enumtype::kConvTranspose2D, enumtype::kConvTranspose3D,
           enumtype::kSigmoid, enumtype::kTanh, enumtype::kReLU, enumtype::kLeakyReLU>;
/// Selects whether kaiming_uniform_ and kaiming_normal_ keep the variance of outputs (kFanIn) or of
/// gradients (kFanOut).
using FanModeType = Choice<enumtype::kFanIn, enumtype::kFanOut>;

/// Returns the gain of a nonlinearity. Initializations multiply weights by the gain, so that the
/// variance of activations does not change from layer to layer. The gain is 1 for linear,
/// convolutions and sigmoid, 5/3 for tanh, and sqrt(2) for ReLU. For leaky ReLU with slope `param`,
/// it is sqrt(2 / (1 + param^2)).
double calculate_gain(NonlinearityType nonlinearity, double param = 0.01);
/// Returns fan_in and fan_out of a weight: the numbers of inputs of an output, and of outputs of an
/// input. They are size(1) and size(0), each times the product of all further sizes. Throws Error
/// for fewer than 2 dimensions.
std::tuple<int64_t, int64_t> _calculate_fan_in_and_fan_out(const Tensor& tensor);

Tensor constant_(Tensor tensor, Scalar value);  ///< fills with `value`
Tensor ones_(Tensor tensor);                    ///< fills with 1
Tensor zeros_(Tensor tensor);                   ///< fills with 0
/// Fills a matrix with ones on the diagonal and zeros elsewhere. The matrix need not be square.
Tensor eye_(Tensor matrix);
/// Fills the weight of a convolution (3 to 5 dimensions) so that output channel i equals input
/// channel i.
Tensor dirac_(Tensor tensor);
Tensor uniform_(Tensor tensor, double low = 0, double high = 1);  ///< draws from [low, high)
/// draws from a normal distribution with standard deviation `std`
Tensor normal_(Tensor tensor, double mean = 0, double std = 1);

/// Draws from the normal distribution truncated to [a, b]. The values equal PyTorch's trunc_normal_
/// in Python. Throws Error unless a < b and std is positive.
Tensor trunc_normal_(Tensor tensor, double mean = 0, double std = 1, double a = -2, double b = 2);

/// Draws uniformly from [-b, b] with b = gain * sqrt(6 / (fan_in + fan_out)) [Glorot and Bengio
/// 2010].
Tensor xavier_uniform_(Tensor tensor, double gain = 1.0);
/// Draws from a normal distribution with standard deviation gain * sqrt(2 / (fan_in + fan_out)).
Tensor xavier_normal_(Tensor tensor, double gain = 1.0);
/// Draws uniformly from [-b, b] with b = gain * sqrt(3 / fan) [He et al. 2015]. `fan` is fan_in or
/// fan_out, as `mode` says. If `nonlinearity` is kLeakyReLU, `a` is its slope.
Tensor kaiming_uniform_(Tensor tensor, double a = 0, FanModeType mode = kFanIn,
                        NonlinearityType nonlinearity = kLeakyReLU);
/// Draws from a normal distribution with standard deviation gain / sqrt(fan), with the fan and the
/// gain of kaiming_uniform_.
Tensor kaiming_normal_(Tensor tensor, double a = 0, FanModeType mode = kFanIn,
                       NonlinearityType nonlinearity = kLeakyReLU);
/// Fills the tensor with a matrix of orthonormal rows or columns, times `gain` [Saxe et al. 2013].
/// The first dimension of the tensor is the rows. All other dimensions together are the columns.
Tensor orthogonal_(Tensor tensor, double gain = 1.0);
/// Draws from a normal distribution. Then sets random elements of each column to zero. `sparsity`
/// is the fraction of elements that are set to zero. Throws Error unless `sparsity` is in [0, 1].
Tensor sparse_(Tensor tensor, double sparsity, double std = 0.01);

}  // namespace torch::taper::nn::init

#pragma GCC visibility pop
