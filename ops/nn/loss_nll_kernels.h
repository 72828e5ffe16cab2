// Kernels of the losses over classes. x is contiguous, [N, C, ...] or [C], of a floating dtype, and
// so is its gradient; all else is f32 where x has 16 bits. The target is contiguous, [N, ...] or
// [], i64; weight is undefined or contiguous [C]. The CPU kernels throw
// IndexError for a target that is no class and is not `ignore_index`.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// How targets count.
struct NllOptions {
  int64_t ignore_index;
  int64_t reduction;     // Reduction::None, Mean or Sum
  double smoothing = 0;  // of cross entropy: what all classes share of a target's 1
};

// y is of the target's shape, or 0-dim; total_weight is 0-dim.
TAPER_KERNEL(nll_loss, Out y, Out total_weight, In x, In target, In weight, NllOptions options)
TAPER_KERNEL(nll_loss_backward, Out gx, In gy, In target, In weight, In total_weight,
             NllOptions options)

// `rows` is kept for backward, 2 numbers for each of
// the targets and one: the logarithms of the sums of exponentials, the weighted losses, the total
// weight. gx, unless undefined, is the gradient of y, a sum or mean, and not of 16 bits: the
// exponentials are at hand.
TAPER_KERNEL(cross_entropy, Out y, Out rows, Out gx, In x, In target, In weight, NllOptions options)
TAPER_KERNEL(cross_entropy_backward, Out gx, In gy, In rows, In x, In target, In weight,
             NllOptions options)
// gx *= gy, one number; where that is 1, as it mostly is, nothing is touched.
TAPER_KERNEL(scale_gradient, InOut gx, In gy)

// Targets are p, probabilities of all classes, of x's shape, contiguous, of x's dtype or f32 where
// that has 16 bits. `losses` has one number for each sample, and so has gy, all of them; `rows` has
// two: the logarithms of the sums of exponentials, and the weighted sums of probabilities.
TAPER_KERNEL(soft_cross_entropy, Out losses, Out rows, In x, In p, In weight, double smoothing)
TAPER_KERNEL(soft_cross_entropy_backward, Out gx, In gy, In rows, In x, In p, In weight,
             double smoothing)

}  // namespace torch::taper
