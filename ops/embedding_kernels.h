#pragma once

#include <taper/framework/dispatch.h>

namespace taper {

/// y[v, :] = sum over i with rows[i] = v of gy[i, :], in the order of i, divided by the number of
/// such i when `by_frequency`; row `padding_idx` is zero. f32 or f64, rows in range.
TAPER_KERNEL(embedding_gradient, Out y, In gy, In rows, int64_t padding_idx, bool by_frequency)
/// Scales the rows that are longer than max_norm, each once. Rows in range.
TAPER_KERNEL(embedding_renorm, InOut weight, In rows, double max_norm, double norm_type)

}  // namespace taper
