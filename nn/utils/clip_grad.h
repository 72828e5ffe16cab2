// Functions that clip gradients. Call them between backward and the step of the optimizer.
#pragma once

#include <initializer_list>
#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::utils {

/// Scales all gradients together so that their norm is at most max_norm. The norm is that of one
/// vector with the elements of all gradients. Its order is norm_type, which may be infinity. Order
/// 0 gives the number of gradients. Returns the norm before scaling. If the norm is infinite or NaN
/// and error_if_nonfinite is true, throws Error and leaves the gradients unchanged.
double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm,
                       double norm_type = 2.0, bool error_if_nonfinite = false);
inline double clip_grad_norm_(std::initializer_list<Tensor> parameters, double max_norm,
                              double norm_type = 2.0, bool error_if_nonfinite = false) {
  return clip_grad_norm_(std::vector<Tensor>(parameters), max_norm, norm_type, error_if_nonfinite);
}
inline double clip_grad_norm_(const Tensor& parameter, double max_norm, double norm_type = 2.0,
                              bool error_if_nonfinite = false) {
  return clip_grad_norm_(std::vector<Tensor>{parameter}, max_norm, norm_type, error_if_nonfinite);
}

/// Returns the norm of one vector with the elements of all tensors, as a 0-dim tensor. On CUDA
/// devices, the host does not wait for the result, so the call can be captured. The norm of an
/// empty list is 0. Order 0 gives the number of tensors. With error_if_nonfinite, the host waits,
/// and throws Error if the norm is infinite or NaN. Throws Error for an undefined tensor.
Tensor get_total_norm(const std::vector<Tensor>& tensors, double norm_type = 2.0,
                      bool error_if_nonfinite = false);
/// Multiplies all gradients by max_norm / (total_norm + 1e-6), unless this factor is 1 or more. The
/// host does not read the element of `total_norm`. A call of get_total_norm followed by this
/// function does the same as clip_grad_norm_, but does not wait. Throws ValueError unless
/// total_norm has one element.
void clip_grads_with_norm_(const std::vector<Tensor>& parameters, double max_norm,
                           const Tensor& total_norm);

/// Clamps every element of every gradient to [-clip_value, clip_value].
void clip_grad_value_(const std::vector<Tensor>& parameters, double clip_value);
inline void clip_grad_value_(std::initializer_list<Tensor> parameters, double clip_value) {
  clip_grad_value_(std::vector<Tensor>(parameters), clip_value);
}
inline void clip_grad_value_(const Tensor& parameter, double clip_value) {
  clip_grad_value_(std::vector<Tensor>{parameter}, clip_value);
}

}  // namespace torch::taper::nn::utils

#pragma GCC visibility pop
