// Kernels of the losses over classes. x is contiguous, [N, C, ...] or [C], of a floating dtype, and
// so is its gradient. If x has 16 bits, all other numbers are f32. The target is contiguous, [N,
// ...] or [], i64. weight is undefined or contiguous [C]. The CPU kernels throw IndexError for a
// target that is neither a class nor `ignore_index`.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// Options for targets.
struct NllOptions {
  int64_t ignore_index;
  int64_t reduction;     // Reduction::None, Mean or Sum
  double smoothing = 0;  // cross entropy: the share of a target's 1 that all classes get
};

// y has the target's shape or is 0-dim. total_weight is 0-dim.
TAPER_KERNEL(nll_loss, Out y, Out total_weight, In x, In target, In weight, NllOptions options)
TAPER_KERNEL(nll_loss_backward, Out gx, In gy, In target, In weight, In total_weight,
             NllOptions options)

// `rows` is kept for backward, with 2 numbers per target and one more: the logarithms of the sums
// of exponentials, the weighted losses, and the total weight. gx, unless undefined, gets the
// gradient of a sum or mean, because the exponentials are known here. gx has no 16-bit dtype.
TAPER_KERNEL(cross_entropy, Out y, Out rows, Out gx, In x, In target, In weight, NllOptions options)
TAPER_KERNEL(cross_entropy_backward, Out gx, In gy, In rows, In x, In target, In weight,
             NllOptions options)
// Does gx *= gy, one number. If it is 1, as usual, nothing is touched.
TAPER_KERNEL(scale_gradient, InOut gx, In gy)

// Targets are p, the probabilities of all classes. p has x's shape and is contiguous, of x's dtype,
// or f32 beside 16 bits. `losses` and gy have one number per sample. `rows` has two: the logarithms
// of the sums of exponentials, and the weighted sums of probabilities.
TAPER_KERNEL(soft_cross_entropy, Out losses, Out rows, In x, In p, In weight, double smoothing)
TAPER_KERNEL(soft_cross_entropy_backward, Out gx, In gy, In rows, In x, In p, In weight,
             double smoothing)

}  // namespace torch::taper
