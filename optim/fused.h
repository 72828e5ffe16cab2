// LibTorch's _fused_... functions: one step of an optimizer for all parameters of a list. On a
// device, one launch handles all parameters of a dtype, without synchronization.
//
// All lists have the length of `self`. The tensors with the same index have the same floating
// dtype, device and sizes. Only state_steps differ. Each of them has one f32 element, which the
// caller increments. If `grad_scale` is given, the gradients are divided by it in-place. If
// `found_inf` is not 0, nothing changes. Both have one f32 element. With `maximize`, the step
// increases the objective. The functions are not differentiable. They throw Error for invalid
// arguments, before anything changes.
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
/// Makes a step of AdamW, which does not add the weight decay to the gradient.
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
/// Makes a step of SGD. Without momentum, the list of buffers is empty. In the first step, the
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
