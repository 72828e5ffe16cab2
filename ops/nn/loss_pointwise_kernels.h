// Kernels of the losses that compare two tensors element by element. x and target are contiguous,
// of one shape. x is of any floating dtype; 16 bits are computed with in f32, the wide dtype of x
// here. target is of x's dtype or the wide one.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// One element's loss; d = x - target, p the parameter.
enum class LossKind : int8_t {
  kSquared,         // d^2
  kSmoothL1,        // d^2 / (2 p) where |d| < p, else |d| - p / 2; p = 0: |d|
  kHuber,           // d^2 / 2 where |d| <= p, else p (|d| - p / 2)
  kBce,             // -(t log x + (1 - t) log(1 - x)), logarithms at least -100
  kBceLogits,       // the same of sigmoid(x)
  kKlDiv,           // t (log t - x), -t x where t is 0
  kKlDivOfLogs,     // e^t (t - x)
  kSoftMargin,      // log(1 + e^(-t x))
  kPoisson,         // e^x - t x
  kPoissonOfRates,  // x - t log(x + p)
};
struct LossForm {
  LossKind kind;
  double p = 0;
};

// y of x's shape: the losses, of x's dtype or the wide one. y 0-dim and wide: their sum over
// `divisor`. The CPU kernel throws for kBce and an x outside of [0, 1].
TAPER_KERNEL(pointwise_loss, Out y, In x, In target, LossForm form, double divisor)
// gx = gy * d loss / dx / divisor, of x's dtype; gy of x's shape and contiguous, or one number, of
// x's dtype or the wide one.
TAPER_KERNEL(pointwise_loss_backward, Out gx, In gy, In x, In target, LossForm form, double divisor)

}  // namespace torch::taper
