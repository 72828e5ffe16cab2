// The update rules as kernels. Each reads the gradient and changes the parameter and its state in
// one pass. All operands have the sizes and the dtype of the parameter. Not installed.
#pragma once

#include <taper/framework/core/tensor_lists.h>

namespace torch::taper {
namespace optim {

// p is the parameter, g the gradient, plus weight_decay * p if there is one, and t the step number
// from 1. If found_inf, on the device, is not 0, nothing changes.

/// Holds the coefficients of SGD:
///
///     buffer = momentum * buffer + gradient_scale * g
///     p -= lr * (nesterov ? g + momentum * buffer : buffer)
///
/// Without a buffer, p -= lr * g.
struct SgdNumbers {
  double lr, momentum, gradient_scale, weight_decay;
  bool nesterov;
  const float* found_inf = nullptr;
  bool operator==(const SgdNumbers&) const = default;
};

/// Holds the coefficients of Adam:
///
///     p *= shrink
///     m = beta1 m + (1 - beta1) g
///     v = beta2 v + (1 - beta2) g^2
///     p -= step_size * m / (sqrt(v) * inverse_root_bias2 + eps)
///
/// For amsgrad, the maximum of v so far replaces v. A clock (adam_advance), on the device, replaces
/// step_size and inverse_root_bias2.
struct AdamNumbers {
  double beta1, beta2, step_size, inverse_root_bias2, eps, weight_decay, shrink;
  const double* clock = nullptr;
  const float* found_inf = nullptr;
  bool operator==(const AdamNumbers&) const = default;
};

/// Holds the coefficients of a fused step of Adam, some of which are on the device. step_size and
/// inverse_root_bias2 follow from the step of the entry, a float. With decoupled weight decay,
/// shrink follows from lr.
struct FusedAdamNumbers {
  double lr, beta1, beta2, weight_decay, eps;
  bool decoupled, maximize;
  const float* lr_tensor = nullptr;   // replaces lr
  const float* grad_scale = nullptr;  // the gradients are divided by it in-place
  const float* found_inf = nullptr;
};

/// Holds the coefficients of a fused step of SGD. In the first step, the buffer is the gradient.
struct FusedSgdNumbers {
  SgdNumbers plain;
  bool maximize, first;
  const float* lr_tensor = nullptr;
  const float* grad_scale = nullptr;
};

/// Holds the coefficients of Adagrad:
///
///     sum += g^2
///     p -= lr * g / (sqrt(sum) + eps)
struct AdagradNumbers {
  double lr, eps, weight_decay;
  bool operator==(const AdagradNumbers&) const = default;
};

/// Holds the coefficients of RMSprop:
///
///     square = alpha square + (1 - alpha) g^2
///     mean = alpha mean + (1 - alpha) g           (centered only)
///     d = g / (sqrt(square - mean^2) + eps)
///     buffer = momentum buffer + d                (with momentum only)
///     p -= lr * buffer                            (or lr * d)
struct RmspropNumbers {
  double lr, alpha, eps, momentum, weight_decay;
  bool operator==(const RmspropNumbers&) const = default;
};
/// Flags of the optional states of RMSprop, and the number of operands for them.
constexpr int kRmspropMomentum = 1, kRmspropCentered = 2;
constexpr int rmsprop_operands(int kind) {
  return 3 + (kind & kRmspropMomentum ? 1 : 0) + (kind & kRmspropCentered ? 1 : 0);
}

}  // namespace optim

// An undefined state is not used.
TAPER_KERNEL(sgd_update, InOut p, In g, InOut buffer, optim::SgdNumbers n)
TAPER_KERNEL(adam_update, InOut p, In g, InOut m, InOut v, InOut v_max, optim::AdamNumbers n)
TAPER_KERNEL(adagrad_update, InOut p, In g, InOut sum, optim::AdagradNumbers n)
TAPER_KERNEL(rmsprop_update, InOut p, In g, InOut square, InOut mean, InOut buffer,
             optim::RmspropNumbers n)

/// Counts a step on the clock, three doubles: {t, lr / (1 - beta1^t), 1 / sqrt(1 - beta2^t)}. If
/// found_inf is given and not 0, the clock stays.
TAPER_KERNEL(adam_advance, InOut clock, double lr, double beta1, double beta2,
             const float* found_inf)

/// Take the operands of adam_update and sgd_update. The number of an entry is the address of its
/// step. Gradients change if there is a grad_scale. `reads` are the tensors that the coefficients
/// point to.
TAPER_KERNEL(fused_adam, TensorLists lists, optim::FusedAdamNumbers n, std::vector<In> reads)
TAPER_KERNEL(fused_sgd, TensorLists lists, optim::FusedSgdNumbers n, std::vector<In> reads)

// Update many parameters. The entries have the operands above, in order.
TAPER_KERNEL(sgd_update_all, TensorLists lists, optim::SgdNumbers n)
TAPER_KERNEL(adam_update_all, TensorLists lists, optim::AdamNumbers n)
TAPER_KERNEL(adagrad_update_all, TensorLists lists, optim::AdagradNumbers n)
TAPER_KERNEL(rmsprop_update_all, TensorLists lists, optim::RmspropNumbers n)

}  // namespace torch::taper
