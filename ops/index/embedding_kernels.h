#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// y[v, :] = sum over i with rows[i] = v of factors[i] * gy[from[i], :], in the order of i, divided
/// by the number of such i when `by_frequency`; row `padding_idx` is zero. Any floating dtype
/// (sums of 16-bit floats are f32), rows in range. Undefined factors are 1, an undefined `from` is
/// i itself; where from[i] is no row of gy, nothing is added. `from` has the dtype of rows.
TAPER_KERNEL(embedding_gradient, Out y, In gy, In rows, In from, In factors, int64_t padding_idx,
             bool by_frequency)
/// Scales the rows that are longer than max_norm, each once. Rows in range.
TAPER_KERNEL(embedding_renorm, InOut weight, In rows, double max_norm, double norm_type)

namespace detail {
/// Throws unless `t`, an argument of this name, is defined, int64 or int32, and where `table` is.
void check_index_dtype(const char* op, const char* name, const Tensor& table, const Tensor& t);
/// Each row of `table` divided by how often `rows` names it.
Tensor divided_by_uses(const Tensor& table, const Tensor& rows);
}  // namespace detail

}  // namespace torch::taper
