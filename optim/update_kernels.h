// The update rules as kernels. Each kernel reads the gradient and changes the parameter and its
// state in one pass. All operands have the sizes and the dtype of the parameter. Not installed.
#pragma once

#include <taper/framework/core/tensor_lists.h>

namespace torch::taper {
namespace optim {

// p is the parameter. g is the gradient, plus weight_decay * p if weight_decay is not 0. t is the
// number of the step, from 1. found_inf points to a number on the device. If it is not 0, nothing
// changes.

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
/// For amsgrad, the maximum of v so far replaces v. If there is a clock on the device (see
/// adam_advance), it provides step_size and inverse_root_bias2.
struct AdamNumbers {
  double beta1, beta2, step_size, inverse_root_bias2, eps, weight_decay, shrink;
  const double* clock = nullptr;
  const float* found_inf = nullptr;
  bool operator==(const AdamNumbers&) const = default;
};

/// Holds the coefficients of a fused step of Adam. Some are on the device. The kernel computes
/// step_size and inverse_root_bias2 from the entry's number of steps, a float. With decoupled
/// weight decay, it computes shrink from lr.
struct FusedAdamNumbers {
  double lr, beta1, beta2, weight_decay, eps;
  bool decoupled, maximize;
  const float* lr_tensor = nullptr;   // replaces lr
  const float* grad_scale = nullptr;  // the gradients are divided by it in-place
  const float* found_inf = nullptr;
};

/// Holds the coefficients of a fused step of SGD. In the first step, the gradient overwrites the
/// buffer.
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

// Operands for state, such as `buffer` and `v_max`, may be undefined. Kernels do not use these.
TAPER_KERNEL(sgd_update, InOut p, In g, InOut buffer, optim::SgdNumbers n)
TAPER_KERNEL(adam_update, InOut p, In g, InOut m, InOut v, InOut v_max, optim::AdamNumbers n)
TAPER_KERNEL(adagrad_update, InOut p, In g, InOut sum, optim::AdagradNumbers n)
TAPER_KERNEL(rmsprop_update, InOut p, In g, InOut square, InOut mean, InOut buffer,
             optim::RmspropNumbers n)

/// Advances the clock by one step. The clock is three doubles: {t, lr / (1 - beta1^t), 1 / sqrt(1 -
/// beta2^t)}. If found_inf is given and not 0, the clock does not change.
TAPER_KERNEL(adam_advance, InOut clock, double lr, double beta1, double beta2,
             const float* found_inf)

/// Make fused steps. The operands are those of adam_update and sgd_update. An entry's `number` is
/// the address of its number of steps. If there is a grad_scale, the kernel also changes the
/// gradients. `reads` are the tensors to which the coefficients point.
TAPER_KERNEL(fused_adam, TensorLists lists, optim::FusedAdamNumbers n, std::vector<In> reads)
TAPER_KERNEL(fused_sgd, TensorLists lists, optim::FusedSgdNumbers n, std::vector<In> reads)

// Update many parameters. Each entry has the operands of the kernel above, in order.
TAPER_KERNEL(sgd_update_all, TensorLists lists, optim::SgdNumbers n)
TAPER_KERNEL(adam_update_all, TensorLists lists, optim::AdamNumbers n)
TAPER_KERNEL(adagrad_update_all, TensorLists lists, optim::AdagradNumbers n)
TAPER_KERNEL(rmsprop_update_all, TensorLists lists, optim::RmspropNumbers n)

}  // namespace torch::taper
