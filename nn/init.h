// Initial values of parameters: every function fills its tensor in place, outside of autograd, and
// returns it. With the same seed the values are PyTorch's.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>
#include <taper/nn/enum.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::init {

/// What calculate_gain knows.
using NonlinearityType =
    Choice<enumtype::kLinear, enumtype::kConv1D, enumtype::kConv2D, enumtype::kConv3D,
           enumtype::kConvTranspose1D, enumtype::kConvTranspose2D, enumtype::kConvTranspose3D,
           enumtype::kSigmoid, enumtype::kTanh, enumtype::kReLU, enumtype::kLeakyReLU>;
/// Whether kaiming_... keeps the variance of outputs (kFanIn) or of gradients (kFanOut).
using FanModeType = Choice<enumtype::kFanIn, enumtype::kFanOut>;

/// The factor by which a nonlinearity's input should be spread so that its output keeps variance 1:
/// 1 for linear, convolutions and sigmoid, 5/3 for tanh, sqrt(2) for ReLU, and
/// sqrt(2 / (1 + param^2)) for leaky ReLU of slope `param`.
double calculate_gain(NonlinearityType nonlinearity, double param = 0.01);
/// The number of inputs (outputs) of one unit: size(1) (size(0)) times the size of the kernel
/// behind the second dimension. Throws for fewer than 2 dimensions.
std::tuple<int64_t, int64_t> _calculate_fan_in_and_fan_out(const Tensor& tensor);

Tensor constant_(Tensor tensor, Scalar value);  ///< `value`, converted to the dtype, everywhere
Tensor ones_(Tensor tensor);                    ///< 1 everywhere
Tensor zeros_(Tensor tensor);                   ///< 0 everywhere
/// The identity matrix (2 dimensions, not necessarily square).
Tensor eye_(Tensor matrix);
/// A convolution's weight (3 to 5 dimensions) that passes its input channels through.
Tensor dirac_(Tensor tensor);
Tensor uniform_(Tensor tensor, double low = 0, double high = 1);  ///< in [low, high)
Tensor normal_(Tensor tensor, double mean = 0, double std = 1);   ///< std is the deviation

/// Normal of the part between a and b: what lies outside is not drawn. Python's trunc_normal_, with
/// its numbers. Throws Error unless a < b and std is positive.
Tensor trunc_normal_(Tensor tensor, double mean = 0, double std = 1, double a = -2, double b = 2);

/// Uniform in +-gain * sqrt(6 / (fan_in + fan_out)) [Glorot and Bengio 2010].
Tensor xavier_uniform_(Tensor tensor, double gain = 1.0);
/// Normal of deviation gain * sqrt(2 / (fan_in + fan_out)).
Tensor xavier_normal_(Tensor tensor, double gain = 1.0);
/// Uniform in +-gain * sqrt(3 / fan) [He et al. 2015]; `a` is the slope behind a leaky ReLU.
Tensor kaiming_uniform_(Tensor tensor, double a = 0, FanModeType mode = kFanIn,
                        NonlinearityType nonlinearity = kLeakyReLU);
/// Normal of deviation gain / sqrt(fan).
Tensor kaiming_normal_(Tensor tensor, double a = 0, FanModeType mode = kFanIn,
                       NonlinearityType nonlinearity = kLeakyReLU);
/// A matrix (dimensions behind the first are joined) with orthonormal rows or columns, times gain
/// [Saxe et al. 2013].
Tensor orthogonal_(Tensor tensor, double gain = 1.0);
/// Normal values of which every column of the matrix has a share `sparsity` of zeros, at random
/// places. Throws Error for a share outside of [0, 1].
Tensor sparse_(Tensor tensor, double sparsity, double std = 0.01);

}  // namespace torch::taper::nn::init

#pragma GCC visibility pop
