// Kernels of pointwise losses. x and target are contiguous and of one shape. x has any floating
// dtype. The wide dtype is f32 if x has 16 bits, else x's dtype. Losses are computed in the wide
// dtype. target has x's dtype or the wide dtype.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// The loss of an element x with target t. d = x - t, and p is LossForm::p.
enum class LossKind : int8_t {
  kSquared,         // d^2
  kSmoothL1,        // d^2 / (2 p) if |d| < p, else |d| - p / 2; p = 0: |d|
  kHuber,           // d^2 / 2 if |d| <= p, else p (|d| - p / 2)
  kBce,             // -(t log x + (1 - t) log(1 - x)), logarithms at least -100
  kBceLogits,       // kBce of sigmoid(x)
  kKlDiv,           // t (log t - x), or -t x if t is 0
  kKlDivOfLogs,     // e^t (t - x)
  kSoftMargin,      // log(1 + e^(-t x))
  kPoisson,         // e^x - t x
  kPoissonOfRates,  // x - t log(x + p)
};
struct LossForm {
  LossKind kind;
  double p = 0;
};

// If y has x's shape, y gets the losses, and has x's dtype or the wide dtype. If y is 0-dim, y gets
// the sum of the losses divided by `divisor`, and has the wide dtype. For kBce, the CPU kernel
// throws if an x is outside of [0, 1].
TAPER_KERNEL(pointwise_loss, Out y, In x, In target, LossForm form, double divisor)
// Computes gx = gy * (derivative of the loss by x) / divisor. gx has x's dtype. gy is contiguous
// with x's shape, or is one number. gy has x's dtype or the wide dtype.
TAPER_KERNEL(pointwise_loss_backward, Out gx, In gy, In x, In target, LossForm form, double divisor)

}  // namespace torch::taper
