#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// Sets y[v, :] to the sum of factors[i] * gy[from[i], :] over all i with rows[i] = v, in the order
/// of i. With `by_frequency`, the sum is divided by the number of these i. Row `padding_idx` is
/// zero. y and gy have any floating dtype. 16-bit floats are summed in f32. `rows` must be in
/// range. If `factors` is undefined, all factors are 1. If `from` is undefined, from[i] is i. If
/// from[i] is no row of gy, nothing is added. `from` has the dtype of `rows`.
TAPER_KERNEL(embedding_gradient, Out y, In gy, In rows, In from, In factors, int64_t padding_idx,
             bool by_frequency)
/// Scales each row of `weight` whose index is in `rows` and whose norm exceeds max_norm, so that
/// its norm becomes max_norm. A repeated row is scaled once. `rows` must be in range.
TAPER_KERNEL(embedding_renorm, InOut weight, In rows, double max_norm, double norm_type)

namespace detail {
/// Throws unless t is defined, has dtype int64 or int32, and is on table's device. `name` is t's
/// name in messages.
void check_index_dtype(const char* op, const char* name, const Tensor& table, const Tensor& t);
/// Returns each row of `table` divided by its number of occurrences in `rows`.
Tensor divided_by_uses(const Tensor& table, const Tensor& rows);
}  // namespace detail

}  // namespace torch::taper
