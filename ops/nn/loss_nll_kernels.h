// Kernels of the losses over classes. x is [N, C, ...] or [C]. x and its gradient are contiguous
// and have a floating dtype. If x has a 16-bit dtype, all other floating tensors are f32. `target`
// is [N, ...] or [], contiguous and i64. `weight` is undefined, or [C] and contiguous. The CPU
// kernels throw IndexError for a target that is neither a class nor `ignore_index`.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// Options of the losses: the targets to ignore, the reduction and label smoothing.
struct NllOptions {
  int64_t ignore_index;
  int64_t reduction;     // Reduction::None, Mean or Sum
  double smoothing = 0;  // label smoothing of the cross entropy
};

// Computes the losses y and the sum of the targets' weights, total_weight (0-dim). y has the shape
// of `target`, or is 0-dim for a sum or mean.
TAPER_KERNEL(nll_loss, Out y, Out total_weight, In x, In target, In weight, NllOptions options)
TAPER_KERNEL(nll_loss_backward, Out gx, In gy, In target, In weight, In total_weight,
             NllOptions options)

// Computes the losses y, and `rows`, which is saved for backward. `rows` has two numbers per
// target: the logarithm of the sum of exponentials, and the weighted loss. Its last number is the
// sum of the targets' weights. If gx is defined, it gets the gradient of a sum or mean, because
// this kernel computes the exponentials anyway. gx must not have a 16-bit dtype.
TAPER_KERNEL(cross_entropy, Out y, Out rows, Out gx, In x, In target, In weight, NllOptions options)
TAPER_KERNEL(cross_entropy_backward, Out gx, In gy, In rows, In x, In target, In weight,
             NllOptions options)
// Computes gx *= gy. gy is one number. If gy is 1, as usual, gx is neither read nor written.
TAPER_KERNEL(scale_gradient, InOut gx, In gy)

// The targets are p, the probabilities of all classes. p is contiguous, with x's shape. Its dtype
// is x's, or f32 if x has a 16-bit dtype. `losses` and gy have one number per sample. `rows` has
// two numbers per sample: the logarithm of the sum of exponentials, and the sum of the
// probabilities times the weights.
TAPER_KERNEL(soft_cross_entropy, Out losses, Out rows, In x, In p, In weight, double smoothing)
TAPER_KERNEL(soft_cross_entropy_backward, Out gx, In gy, In rows, In x, In p, In weight,
             double smoothing)

}  // namespace torch::taper
