// Kernels of rand.cpp and dropout.cpp. They lock the generator while they draw.
#pragma once

#include <taper/framework/dispatch.h>
#include <taper/framework/random.h>

namespace taper {

TAPER_KERNEL(uniform, Out y, double from, double to, CPUGeneratorImpl* generator)
TAPER_KERNEL(normal, Out y, double mean, double std, CPUGeneratorImpl* generator)
TAPER_KERNEL(exponential, Out y, double lambd, CPUGeneratorImpl* generator)
TAPER_KERNEL(bernoulli, Out y, double p, CPUGeneratorImpl* generator)
/// p has y's shape.
TAPER_KERNEL(bernoulli_each, Out y, In p, CPUGeneratorImpl* generator)
/// base + (r modulo range), with r of 64 bits where range needs it; range 0 stands for 2^64.
TAPER_KERNEL(random_range, Out y, uint64_t range, int64_t base, CPUGeneratorImpl* generator)
/// Everything that the dtype can hold exactly, from 0 on.
TAPER_KERNEL(random_full, Out y, CPUGeneratorImpl* generator)
/// y is a contiguous vector.
TAPER_KERNEL(permutation, Out y, CPUGeneratorImpl* generator)
/// y (N, S) of int64, p (N, K) contiguous; p is checked before anything is drawn.
TAPER_KERNEL(multinomial_replace, Out y, In p, CPUGeneratorImpl* generator)
/// y = x * noise, noise = bernoulli(1 - p) / (1 - p); noise may be undefined. All contiguous.
TAPER_KERNEL(dropout, Out y, Out noise, In x, double p, CPUGeneratorImpl* generator)

}  // namespace taper
