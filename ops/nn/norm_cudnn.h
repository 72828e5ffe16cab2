// Batch norm by cuDNN. Not installed.
#pragma once

#include <taper/framework/cuda/cudnn_shape.h>
#include <taper/ops/nn/norm_kernels.h>

namespace torch::taper::cuda {

/// Whether an undefined vector, or one of this dtype without gaps.
template <class View>
bool none_or_dense(const View& v, ScalarType dtype) {
  return !v.defined() || (v.dtype == dtype && v.contiguous);
}

/// Whether cuDNN takes the batch norm of x (N, C, ...): sizes that fit; a weight and a bias, dense
/// and in the type of statistics (f64 for f64, else f32), as are the two others where defined; in
/// training more than one value in each channel. The limits of N are those of its kernels' grids.
/// Not bf16, which these functions of cuDNN are not promised to take.
template <class View>
bool cudnn_takes_batch_norm(const In& x, const In& weight, const In& bias, const View& mean,
                            const View& var, bool training) {
  const ScalarType dtype = x.dtype == kDouble ? kDouble : kFloat;
  const bool operands = weight.defined() && bias.defined() && none_or_dense(weight, dtype) &&
                        none_or_dense(bias, dtype) && none_or_dense(mean, dtype) &&
                        none_or_dense(var, dtype) && mean.defined() == var.defined();
  return operands && x.dtype != kBFloat16 && cudnn_describes(x.sizes) &&
         x.sizes[0] <= (training ? 880801 : 65535) && (!training || x.numel > x.sizes[1]);
}

// As the kernels of norm_kernels.h, for what cudnn_takes_batch_norm. False, with nothing done,
// where cuDNN does not support it.
bool cudnn_batch_norm_training(const Out& y, const Out& mean, const Out& scale,
                               const InOut& running_mean, const InOut& running_var, const In& x,
                               const In& weight, const In& bias, double momentum, double eps);
bool cudnn_batch_norm_inference(const Out& y, const In& running_mean, const In& running_var,
                                const In& x, const In& weight, const In& bias, double eps);
/// The statistics are the batch's own.
bool cudnn_batch_norm_gradient(const Out& gx, const Out& gw, const Out& gb, const In& gy,
                               const In& x, const In& mean, const In& scale, const In& weight,
                               double eps);

}  // namespace torch::taper::cuda
