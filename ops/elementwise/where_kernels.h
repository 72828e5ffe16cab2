#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// Computes y = condition ? a : b. All tensors have any strides. The operands broadcast to y.
/// condition is bool or uint8. y may be a or b.
TAPER_KERNEL(select_by_mask, Out y, In condition, In a, In b)

}  // namespace torch::taper
