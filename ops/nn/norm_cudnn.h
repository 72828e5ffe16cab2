// Batch norm by cuDNN. Not installed.
#pragma once

#include <taper/framework/cuda/cudnn_shape.h>
#include <taper/ops/nn/norm_kernels.h>

namespace torch::taper::cuda {

/// Tests whether v is undefined, or is contiguous and has this dtype.
template <class View>
bool none_or_dense(const View& v, ScalarType dtype) {
  return !v.defined() || (v.dtype == dtype && v.contiguous);
}

/// Tests whether cuDNN takes the batch norm of x (N, C, ...). weight and bias must be contiguous,
/// and f64 if x is f64, else f32. The same is required of mean and var, if they are defined. In
/// training, each channel needs more than one value. The grids of cuDNN's kernels limit N. Returns
/// false for bf16, because cuDNN does not document bf16 for these functions.
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

// These functions compute the same as the batch norm kernels of norm_kernels.h.
// cudnn_takes_batch_norm() must accept the inputs. If cuDNN does not support the inputs, they
// return false and write nothing.
bool cudnn_batch_norm_training(const Out& y, const Out& mean, const Out& scale,
                               const InOut& running_mean, const InOut& running_var, const In& x,
                               const In& weight, const In& bias, double momentum, double eps);
bool cudnn_batch_norm_inference(const Out& y, const In& running_mean, const In& running_var,
                                const In& x, const In& weight, const In& bias, double eps);
/// Computes the gradients for training: mean and scale must be from the batch.
bool cudnn_batch_norm_gradient(const Out& gx, const Out& gw, const Out& gb, const In& gy,
                               const In& x, const In& mean, const In& scale, const In& weight,
                               double eps);

}  // namespace torch::taper::cuda
