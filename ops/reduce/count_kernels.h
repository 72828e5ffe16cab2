#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// Adds 1 to counts[v - first] for every element v of x. counts (int64) and x (integral) are
/// contiguous. Each v - first must be a valid index of counts.
TAPER_KERNEL(count_values, InOut counts, In x, int64_t first)

}  // namespace torch::taper
