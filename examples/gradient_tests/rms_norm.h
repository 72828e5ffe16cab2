// An op of one's own: RMS normalisation with a backward written by hand.
#pragma once

#include <taper/taper.h>

/// y = x / sqrt(mean(x^2) + eps) * weight over the last dimension, of size D. x: (..., D), weight:
/// (D); floating dtypes. Throws ValueError when the sizes do not fit.
taper::Tensor rms_norm(const taper::Tensor& x, const taper::Tensor& weight, double eps = 1e-6);
