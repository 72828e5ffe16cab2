// Kernels of normalisations. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

// x, gy, y and gx are contiguous. Statistics have the type in which x is computed. `scale` is 1 /
// sqrt(var + eps). Weights, biases and their gradients may be undefined.

/// Computes mean and scale of each channel of x (N, C, ...), and y. Updates the running statistics,
/// if defined.
TAPER_KERNEL(batch_norm_training, Out y, Out mean, Out scale, InOut running_mean, InOut running_var,
             In x, In weight, In bias, double momentum, double eps)
/// Computes mean and scale from running statistics, and y.
TAPER_KERNEL(batch_norm_inference, Out y, Out mean, Out scale, In running_mean, In running_var,
             In x, In weight, In bias, double eps)
/// `training` is true if the statistics are those of the batch.
TAPER_KERNEL(batch_norm_gradient, Out gx, Out gw, Out gb, In gy, In x, In mean, In scale, In weight,
             double eps, bool training)

/// Rows have `width` elements. mean and scale have one element per row. RMS norm does not subtract
/// the mean: `centers` is false, and the means are zeros.
TAPER_KERNEL(layer_norm_forward, Out y, Out mean, Out scale, In x, In weight, In bias,
             int64_t width, double eps, bool centers)
TAPER_KERNEL(layer_norm_gradient, Out gx, Out gw, Out gb, In gy, In x, In mean, In scale, In weight,
             int64_t width, bool centers)

/// x is (N, C, ...). mean and scale are (N, groups).
TAPER_KERNEL(group_norm_forward, Out y, Out mean, Out scale, In x, In weight, In bias,
             int64_t groups, double eps)
TAPER_KERNEL(group_norm_gradient, Out gx, Out gw, Out gb, In gy, In x, In mean, In scale, In weight,
             int64_t groups)

}  // namespace torch::taper
