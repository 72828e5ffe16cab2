// LibTorch's _fused_... functions: one step of an optimizer for all parameters of a list. On a
// device, one launch handles all parameters of a dtype, without synchronization.
//
// All lists have the length of `self`, the list of parameters. Tensors with the same index have the
// same floating dtype, device and sizes. Only the tensors of state_steps have one f32 element,
// which the caller increments before the step. If `grad_scale` is given, the gradients are divided
// by grad_scale in-place. If `found_inf` is not 0, nothing changes. grad_scale and found_inf have
// one f32 element each. With `maximize`, the step increases the objective. The functions are not
// differentiable. They throw Error for invalid arguments, before anything changes.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Makes a step of Adam. Without amsgrad, max_exp_avg_sqs is empty.
void _fused_adam_(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
                  TensorList max_exp_avg_sqs, TensorList state_steps, double lr, double beta1,
                  double beta2, double weight_decay, double eps, bool amsgrad, bool maximize,
                  const optional<Tensor>& grad_scale = {}, const optional<Tensor>& found_inf = {});
/// Makes a step of Adam with the learning rate in a tensor of one f32 element.
void _fused_adam_(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
                  TensorList max_exp_avg_sqs, TensorList state_steps, const Tensor& lr,
                  double beta1, double beta2, double weight_decay, double eps, bool amsgrad,
                  bool maximize, const optional<Tensor>& grad_scale = {},
                  const optional<Tensor>& found_inf = {});
/// Makes a step of AdamW, in which lr * weight_decay * p is subtracted from each parameter p,
/// instead of adding weight_decay * p to its gradient.
void _fused_adamw_(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
                   TensorList max_exp_avg_sqs, TensorList state_steps, double lr, double beta1,
                   double beta2, double weight_decay, double eps, bool amsgrad, bool maximize,
                   const optional<Tensor>& grad_scale = {}, const optional<Tensor>& found_inf = {});
/// Makes a step of AdamW with the learning rate in a tensor of one f32 element.
void _fused_adamw_(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
                   TensorList max_exp_avg_sqs, TensorList state_steps, const Tensor& lr,
                   double beta1, double beta2, double weight_decay, double eps, bool amsgrad,
                   bool maximize, const optional<Tensor>& grad_scale = {},
                   const optional<Tensor>& found_inf = {});
/// Makes a step of SGD. Without momentum, momentum_buffer_list is empty. If is_first_step, the
/// gradients overwrite the buffers.
void _fused_sgd_(TensorList self, TensorList grads, TensorList momentum_buffer_list,
                 double weight_decay, double momentum, double lr, double dampening, bool nesterov,
                 bool maximize, bool is_first_step, const optional<Tensor>& grad_scale = {},
                 const optional<Tensor>& found_inf = {});
/// Makes a step of SGD with the learning rate in a tensor of one f32 element.
void _fused_sgd_(TensorList self, TensorList grads, TensorList momentum_buffer_list,
                 double weight_decay, double momentum, const Tensor& lr, double dampening,
                 bool nesterov, bool maximize, bool is_first_step,
                 const optional<Tensor>& grad_scale = {}, const optional<Tensor>& found_inf = {});

}  // namespace torch::taper

#pragma GCC visibility pop
