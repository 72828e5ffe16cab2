// Kernels of special_bessel.cpp. Not installed.
#pragma once

#include <taper/framework/dispatch.h>
#include <taper/ops/elementwise/special_bessel.h>

namespace taper {

#define TAPER_ENUMERATOR(name) name,
/// Which function of one argument. (One kernel for all: they are rare.)
enum class SpecialOfOne : int8_t { TAPER_SPECIAL_RARER(TAPER_ENUMERATOR) };
enum class SpecialOfTwo : int8_t { TAPER_POLYNOMIALS(TAPER_ENUMERATOR) zeta, igamma, igammac };
#undef TAPER_ENUMERATOR

/// y = f(x), floating, equal shapes, any strides.
TAPER_KERNEL(special_of_one, Out y, In x, SpecialOfOne f)
/// y = f(a, b) of one floating dtype, broadcast to y's shape.
TAPER_KERNEL(special_of_two, Out y, In a, In b, SpecialOfTwo f)
/// All contiguous; exponent is kInt.
TAPER_KERNEL(frexp, Out mantissa, Out exponent, In x)

}  // namespace taper
