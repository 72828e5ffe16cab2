// Kernels of normalisations. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

// x, gy, y and gx are contiguous. mean, scale and the running statistics have the dtype in which x
// is computed. `scale` is 1 / sqrt(var + eps). Weights, biases and their gradients may be
// undefined.

/// Computes y, and the mean and scale of each channel of x (N, C, ...). Updates the running
/// statistics, if they are defined.
TAPER_KERNEL(batch_norm_training, Out y, Out mean, Out scale, InOut running_mean, InOut running_var,
             In x, In weight, In bias, double momentum, double eps)
/// Computes y, and mean and scale from the running statistics.
TAPER_KERNEL(batch_norm_inference, Out y, Out mean, Out scale, In running_mean, In running_var,
             In x, In weight, In bias, double eps)
/// Computes the gradients gx, gw and gb. `training` is true if mean and scale are from the batch.
TAPER_KERNEL(batch_norm_gradient, Out gx, Out gw, Out gb, In gy, In x, In mean, In scale, In weight,
             double eps, bool training)

/// Computes y, mean and scale of layer norm or RMS norm. Rows have `width` elements. mean and scale
/// have one element per row. RMS norm does not subtract the mean. It sets `centers` to false, and
/// `mean` gets zeros.
TAPER_KERNEL(layer_norm_forward, Out y, Out mean, Out scale, In x, In weight, In bias,
             int64_t width, double eps, bool centers)
TAPER_KERNEL(layer_norm_gradient, Out gx, Out gw, Out gb, In gy, In x, In mean, In scale, In weight,
             int64_t width, bool centers)

/// Computes y, mean and scale of group norm. x is (N, C, ...). mean and scale are (N, groups).
TAPER_KERNEL(group_norm_forward, Out y, Out mean, Out scale, In x, In weight, In bias,
             int64_t groups, double eps)
TAPER_KERNEL(group_norm_gradient, Out gx, Out gw, Out gb, In gy, In x, In mean, In scale, In weight,
             int64_t groups)

}  // namespace torch::taper
