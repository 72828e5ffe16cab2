// Elementwise reductions of two arrays. Not installed.
#pragma once

#include <functional>

#include <taper/distributed/types.h>

namespace torch::taper::distributed::detail {

/// Computes to[i] = a[i] op b[i]. `to` may be `a` or `b`.
using Combine = void (*)(void* to, const void* a, const void* b, size_t n);

/// Returns "PREMUL_SUM".
const char* name_of(ReduceOp op);

/// Returns the reduction for elements of a dtype. 16-bit floats are computed in float. For AVG, it
/// returns the sum (see after_reduction). Throws ValueError for a dtype that the op does not
/// support.
Combine combine_for(ScalarType dtype, ReduceOp op);

/// Applies PREMUL_SUM's factor to elements in the host's memory, before the sum.
void before_reduction(const Tensor& host, ReduceOp op);
/// Applies AVG's division after the sum over `size` ranks.
void after_reduction(const Tensor& host, ReduceOp op, int size);

}  // namespace torch::taper::distributed::detail
