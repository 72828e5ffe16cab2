// Kernels of rand.cpp and dropout.cpp. They lock the generator while they draw.
#pragma once

#include <taper/framework/kernel/dispatch.h>
#include <taper/framework/random/random.h>

namespace torch::taper {

TAPER_KERNEL(uniform, Out y, double from, double to, const GeneratorPtr& generator)
TAPER_KERNEL(normal, Out y, double mean, double std, const GeneratorPtr& generator)
TAPER_KERNEL(exponential, Out y, double lambd, const GeneratorPtr& generator)
TAPER_KERNEL(bernoulli, Out y, double p, const GeneratorPtr& generator)
/// Draws 1 with probability p, else 0. p has y's shape.
TAPER_KERNEL(bernoulli_each, Out y, In p, const GeneratorPtr& generator)
/// Draws base + r % range for random integers r. r has 32 bits, or 64 bits for a large `range`. A
/// `range` of 0 means 2^64.
TAPER_KERNEL(random_range, Out y, uint64_t range, int64_t base, const GeneratorPtr& generator)
/// Draws uniformly from all non-negative integers that y's dtype holds exactly.
TAPER_KERNEL(random_full, Out y, const GeneratorPtr& generator)
/// Fills y with a random permutation. y is a contiguous vector.
TAPER_KERNEL(permutation, Out y, const GeneratorPtr& generator)
/// Draws S indices per row of weights p, with replacement. p (N, K) is contiguous, y (N, S) is
/// int64. p is checked before anything is drawn.
TAPER_KERNEL(multinomial_replace, Out y, In p, const GeneratorPtr& generator)
/// Sets y to x / (1 - p) with probability 1 - p, else to x * 0. `kept` is set to true for the first
/// case, else to false. It is bool and may be undefined. All tensors are contiguous.
TAPER_KERNEL(dropout, Out y, Out kept, In x, double p, const GeneratorPtr& generator)
/// Computes y of dropout from a given `kept`.
TAPER_KERNEL(dropout_again, Out y, In x, In kept, double p)
/// Returns 1 / (1 - p), the factor of both kernels, in the arithmetic of T.
template <class T>
T dropout_scale(double p) {
  using A = opmath_t<T>;
  return static_cast<T>(A(1) / static_cast<A>(1 - p));
}

}  // namespace torch::taper
