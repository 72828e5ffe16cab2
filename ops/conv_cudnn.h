// Convolutions by cuDNN. Not installed.
#pragma once

#include <taper/ops/conv_kernels.h>

namespace taper::cuda {

/// Whether cuDNN can say this convolution: something to compute, and the same padding at both ends.
bool cudnn_takes(const Dims& x, const Dims& w, const Dims& y, const ConvSteps& steps);

// As the kernels of conv_kernels.h, for what cudnn_takes.
void cudnn_forward(const Out& y, const In& x, const In& w, const In& b, const ConvSteps& steps);
void cudnn_input_gradient(const Out& gx, const In& gy, const In& w, const ConvSteps& steps);
void cudnn_weight_gradient(const Out& gw, const In& x, const In& gy, const ConvSteps& steps);

}  // namespace taper::cuda
