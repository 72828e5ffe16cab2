// Kernels of pointwise functions of three tensors. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// y = x + value a b, y = x + value a / b. All of one floating dtype, of any strides, broadcasting
/// to y, which may be one of them.
TAPER_KERNEL(addcmul, Out y, In x, In a, In b, double value)
TAPER_KERNEL(addcdiv, Out y, In x, In a, In b, double value)
/// y = start + weight (end - start), in the same way.
TAPER_KERNEL(lerp, Out y, In start, In end, In weight)
TAPER_KERNEL(lerp_number, Out y, In start, In end, double weight)
/// y = x, at least low and at most high, in the same way and for any real dtype.
TAPER_KERNEL(clamp_between, Out y, In x, In low, In high)

}  // namespace torch::taper
