// A custom op: RMS normalization with a hand-written backward.
#pragma once

#include <taper/taper.h>

/// y = x / sqrt(mean(x^2) + eps) * weight over the last dimension, of size D. x: (..., D), weight:
/// (D); floating dtypes. Throws ValueError if the sizes do not match.
taper::Tensor rms_norm(const taper::Tensor& x, const taper::Tensor& weight, double eps = 1e-6);
