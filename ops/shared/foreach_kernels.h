// Kernels that take many tensors. The lists have one operand. Not installed.
#pragma once

#include <taper/framework/tensor_lists.h>

namespace taper {

TAPER_KERNEL(foreach_zero, TensorLists lists)
/// `factor` is a double without dimensions, on the device.
TAPER_KERNEL(foreach_mul, TensorLists lists, In factor)
TAPER_KERNEL(foreach_clamp, TensorLists lists, double low, double high)
/// parts[i]: the sum of |x|^order over the i-th chunk, or for infinity the largest |x|. Parts are
/// doubles. The order is 1, 2 or infinity.
TAPER_KERNEL(foreach_norm_parts, Out parts, TensorLists lists, double order)

}  // namespace taper
