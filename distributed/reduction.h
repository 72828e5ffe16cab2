// Elementwise reductions of two arrays. Not installed.
#pragma once

#include <functional>

#include <taper/distributed/types.h>

namespace torch::taper::distributed::detail {

/// Computes to[i] = a[i] op b[i]. `to` may be `a` or `b`.
using Combine = void (*)(void* to, const void* a, const void* b, size_t n);

/// Returns the name of `op`: "PREMUL_SUM".
const char* name_of(ReduceOp op);

/// Returns the function that reduces elements of `dtype`. 16-bit floats are computed in float. For
/// AVG, returns the sum, which after_reduction() then divides. Throws ValueError for a dtype that
/// the op does not support.
Combine combine_for(ScalarType dtype, ReduceOp op);

/// If `op` is PREMUL_SUM, multiplies the elements by its factor. Called before the sum. `host` is a
/// tensor on the CPU.
void before_reduction(const Tensor& host, ReduceOp op);
/// If `op` is AVG, divides the elements by `size`, the number of ranks. Called after the sum.
void after_reduction(const Tensor& host, ReduceOp op, int size);

}  // namespace torch::taper::distributed::detail
