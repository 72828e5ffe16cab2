// A step of an optimizer for all parameters of a list at once: LibTorch's _fused_... functions. On
// a device one launch takes all that share a dtype; nothing waits.
//
// All lists have the length of `self`, and the tensors of a place one floating dtype, device and
// size (state_steps apart: one f32 element each, which the caller counts up). With `grad_scale` the
// gradients are divided by it, and stay so; where `found_inf` is 1, nothing changes. Both have one
// f32 element. `maximize` follows the gradient upwards. Errors: Error for what does not fit;
// nothing has changed then. No history is recorded.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// A step of Adam. Without amsgrad max_exp_avg_sqs is empty.
void _fused_adam_(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
                  TensorList max_exp_avg_sqs, TensorList state_steps, double lr, double beta1,
                  double beta2, double weight_decay, double eps, bool amsgrad, bool maximize,
                  const optional<Tensor>& grad_scale = {}, const optional<Tensor>& found_inf = {});
/// The same with the rate of learning in a tensor of one f32 element.
void _fused_adam_(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
                  TensorList max_exp_avg_sqs, TensorList state_steps, const Tensor& lr,
                  double beta1, double beta2, double weight_decay, double eps, bool amsgrad,
                  bool maximize, const optional<Tensor>& grad_scale = {},
                  const optional<Tensor>& found_inf = {});
/// A step of AdamW, whose decay of the weights is not part of the gradient.
void _fused_adamw_(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
                   TensorList max_exp_avg_sqs, TensorList state_steps, double lr, double beta1,
                   double beta2, double weight_decay, double eps, bool amsgrad, bool maximize,
                   const optional<Tensor>& grad_scale = {}, const optional<Tensor>& found_inf = {});
/// The same with the rate of learning in a tensor.
void _fused_adamw_(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
                   TensorList max_exp_avg_sqs, TensorList state_steps, const Tensor& lr,
                   double beta1, double beta2, double weight_decay, double eps, bool amsgrad,
                   bool maximize, const optional<Tensor>& grad_scale = {},
                   const optional<Tensor>& found_inf = {});
/// A step of SGD. Without momentum the list of its buffers is empty; in a first step they become
/// the gradients, whatever they hold.
void _fused_sgd_(TensorList self, TensorList grads, TensorList momentum_buffer_list,
                 double weight_decay, double momentum, double lr, double dampening, bool nesterov,
                 bool maximize, bool is_first_step, const optional<Tensor>& grad_scale = {},
                 const optional<Tensor>& found_inf = {});
/// The same with the rate of learning in a tensor.
void _fused_sgd_(TensorList self, TensorList grads, TensorList momentum_buffer_list,
                 double weight_decay, double momentum, const Tensor& lr, double dampening,
                 bool nesterov, bool maximize, bool is_first_step,
                 const optional<Tensor>& grad_scale = {}, const optional<Tensor>& found_inf = {});

}  // namespace torch::taper

#pragma GCC visibility pop
