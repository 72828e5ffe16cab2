// Kernels of pointwise functions of three tensors. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// Compute y = x + value a b and y = x + value a / b. All tensors have one floating dtype and any
/// strides. The operands broadcast to y. y may be one of the operands.
TAPER_KERNEL(addcmul, Out y, In x, In a, In b, double value)
TAPER_KERNEL(addcdiv, Out y, In x, In a, In b, double value)
/// Compute y = start + weight (end - start), under the rules of addcmul.
TAPER_KERNEL(lerp, Out y, In start, In end, In weight)
TAPER_KERNEL(lerp_number, Out y, In start, In end, double weight)
/// Limits x to at least low, then at most high, under the rules of addcmul but for any real dtype.
TAPER_KERNEL(clamp_between, Out y, In x, In low, In high)

}  // namespace torch::taper
