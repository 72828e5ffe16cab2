// Kernels of fft_transform.cpp. Not installed.
#pragma once

#include <taper/framework/dispatch.h>

namespace taper {

// Rows of the last dimension; x and y are contiguous, complex ones of one precision with real ones.

/// y = scale * transform of x, with - in the exponent, + where `inverse`.
TAPER_KERNEL(fft_complex, Out y, In x, bool inverse, double scale)
/// The first n / 2 + 1 values of the transform (with -) of n real ones.
TAPER_KERNEL(fft_real, Out y, In x, double scale)
/// n real values of the transform (with +) of Hermitian rows, given by their first n / 2 + 1.
TAPER_KERNEL(fft_hermitian, Out y, In x, double scale)

}  // namespace taper
