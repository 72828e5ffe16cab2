// Kernels of the losses over classes. x is contiguous, [N, C, ...] or [C], f32 or f64; the target
// is contiguous, [N, ...] or [], i64; weight is undefined or contiguous [C]. The CPU kernels throw
// IndexError for a target that is no class and is not `ignore_index`.
#pragma once

#include <taper/framework/dispatch.h>

namespace taper {

/// How targets count.
struct NllOptions {
  int64_t ignore_index;
  int64_t reduction;  // Reduction::None, Mean or Sum
};

// y is of the target's shape, or 0-dim; total_weight is 0-dim.
TAPER_KERNEL(nll_loss, Out y, Out total_weight, In x, In target, In weight, NllOptions options)
TAPER_KERNEL(nll_loss_backward, Out gx, In gy, In target, In weight, In total_weight,
             NllOptions options)

// x is [N, C] or [C]. `rows` is kept for backward, 2 N + 1 numbers: the logarithms of the sums of
// exponentials, the weighted losses, the total weight. gx, unless undefined, is the gradient of y,
// a sum or mean: the exponentials are at hand.
TAPER_KERNEL(cross_entropy, Out y, Out rows, Out gx, In x, In target, In weight, NllOptions options)
// For one loss each (Reduction::None).
TAPER_KERNEL(cross_entropy_backward, Out gx, In gy, In rows, In x, In target, In weight,
             NllOptions options)
// gx *= gy, one number; where that is 1, as it mostly is, nothing is touched.
TAPER_KERNEL(scale_gradient, InOut gx, In gy)

}  // namespace taper
