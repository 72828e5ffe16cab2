// Kernels of distributions.cpp. They lock the generator while they draw.
#pragma once

#include <taper/framework/kernel/dispatch.h>
#include <taper/framework/random/random.h>

namespace torch::taper {

/// Draw one number for each element. All tensors are contiguous, of one shape and one floating
/// dtype. `rates` has no negative elements.
TAPER_KERNEL(poisson, Out y, In rates, const GeneratorPtr& generator)
TAPER_KERNEL(binomial, Out y, In count, In prob, const GeneratorPtr& generator)

}  // namespace torch::taper
