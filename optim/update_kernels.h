// The update rules as kernels: each reads the gradient and changes the parameter and its state in
// one pass. All operands have the parameter's sizes and dtype. Not installed.
#pragma once

#include <taper/framework/core/tensor_lists.h>

namespace torch::taper {
namespace optim {

// p: parameter, g: gradient (+ weight_decay * p where there is one), t: step number from 1.
// Where there is a found_inf, on the device, and it is not 0, nothing changes.

/// buffer = momentum * buffer + gradient_scale * g;  p -= lr * (nesterov ? g + momentum * buffer
/// : buffer), or p -= lr * g without a buffer.
struct SgdNumbers {
  double lr, momentum, gradient_scale, weight_decay;
  bool nesterov;
  const float* found_inf = nullptr;
  bool operator==(const SgdNumbers&) const = default;
};

/// p *= shrink;  m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2;
/// p -= step_size * m / (sqrt(v) * inverse_root_bias2 + eps), with v's maximum so far for amsgrad.
/// Where there is a clock (adam_advance), on the device, step_size and inverse_root_bias2 are its.
struct AdamNumbers {
  double beta1, beta2, step_size, inverse_root_bias2, eps, weight_decay, shrink;
  const double* clock = nullptr;
  const float* found_inf = nullptr;
  bool operator==(const AdamNumbers&) const = default;
};

/// Of a fused step: that of AdamNumbers, with what is on the device. step_size and the correction
/// of the second mean follow from the entry's step, a float, and shrink from lr where the decay of
/// the weights is decoupled.
struct FusedAdamNumbers {
  double lr, beta1, beta2, weight_decay, eps;
  bool decoupled, maximize;
  const float* lr_tensor = nullptr;   // in place of lr
  const float* grad_scale = nullptr;  // what gradients are divided by, and stay so
  const float* found_inf = nullptr;
};

/// The same of SGD. A first step's buffer is the gradient.
struct FusedSgdNumbers {
  SgdNumbers plain;
  bool maximize, first;
  const float* lr_tensor = nullptr;
  const float* grad_scale = nullptr;
};

/// sum += g^2;  p -= lr * g / (sqrt(sum) + eps)
struct AdagradNumbers {
  double lr, eps, weight_decay;
  bool operator==(const AdagradNumbers&) const = default;
};

/// square = alpha square + (1 - alpha) g^2;  mean = alpha mean + (1 - alpha) g (centered only);
/// d = g / (sqrt(square - mean^2) + eps);  buffer = momentum buffer + d;  p -= lr * buffer (or d)
struct RmspropNumbers {
  double lr, alpha, eps, momentum, weight_decay;
  bool operator==(const RmspropNumbers&) const = default;
};
/// Which states RMSprop has besides the mean square, and how many operands that makes.
constexpr int kRmspropMomentum = 1, kRmspropCentered = 2;
constexpr int rmsprop_operands(int kind) {
  return 3 + (kind & kRmspropMomentum ? 1 : 0) + (kind & kRmspropCentered ? 1 : 0);
}

}  // namespace optim

// A state that is not defined is not used.
TAPER_KERNEL(sgd_update, InOut p, In g, InOut buffer, optim::SgdNumbers n)
TAPER_KERNEL(adam_update, InOut p, In g, InOut m, InOut v, InOut v_max, optim::AdamNumbers n)
TAPER_KERNEL(adagrad_update, InOut p, In g, InOut sum, optim::AdagradNumbers n)
TAPER_KERNEL(rmsprop_update, InOut p, In g, InOut square, InOut mean, InOut buffer,
             optim::RmspropNumbers n)

/// clock, three doubles, counts a step: {t, lr / (1 - beta1^t), 1 / sqrt(1 - beta2^t)}; none where
/// found_inf, if there is one, is not 0.
TAPER_KERNEL(adam_advance, InOut clock, double lr, double beta1, double beta2,
             const float* found_inf)

/// Operands as of adam_update and sgd_update; the number of an entry is where its step is.
/// Gradients change where there is a grad_scale. `reads` are what the numbers point to.
TAPER_KERNEL(fused_adam, TensorLists lists, optim::FusedAdamNumbers n, std::vector<In> reads)
TAPER_KERNEL(fused_sgd, TensorLists lists, optim::FusedSgdNumbers n, std::vector<In> reads)

// The same for many parameters: the entries have the operands above, in their order.
TAPER_KERNEL(sgd_update_all, TensorLists lists, optim::SgdNumbers n)
TAPER_KERNEL(adam_update_all, TensorLists lists, optim::AdamNumbers n)
TAPER_KERNEL(adagrad_update_all, TensorLists lists, optim::AdagradNumbers n)
TAPER_KERNEL(rmsprop_update_all, TensorLists lists, optim::RmspropNumbers n)

}  // namespace torch::taper
