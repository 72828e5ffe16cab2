// Clipping of gradients before a step of the optimizer.
#pragma once

#include <initializer_list>
#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::utils {

/// Scales all gradients together so that their norm is at most max_norm. The norm has order
/// norm_type, which may be infinity, and treats all gradients as one vector. Returns the norm
/// before scaling. With error_if_nonfinite, throws Error if the norm is infinite or NaN, and leaves
/// the gradients unchanged.
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

/// Returns the norm of all tensors as one vector, in a 0-dim tensor. On CUDA devices it does not
/// wait for the result, so it can be captured. An empty list has norm 0. With error_if_nonfinite,
/// waits, and an infinite or NaN norm throws Error. Errors: Error for an undefined tensor.
Tensor get_total_norm(const std::vector<Tensor>& tensors, double norm_type = 2.0,
                      bool error_if_nonfinite = false);
/// Scales all gradients by max_norm / (total_norm + 1e-6), unless this is 1 or more. `total_norm`
/// has one element, which is not read by the host. Together with get_total_norm, this is
/// clip_grad_norm_ without waiting. Errors: ValueError for a total_norm of several elements.
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
