// What a reduction does with two pieces of elements. Not installed.
#pragma once

#include <functional>

#include <taper/distributed/types.h>

namespace torch::taper::distributed::detail {

/// to[i] = a[i] op b[i]; `to` may be `a` or `b`.
using Combine = void (*)(void* to, const void* a, const void* b, size_t n);

/// "PREMUL_SUM".
const char* name_of(ReduceOp op);

/// Of elements of a dtype, 16-bit floats by way of float. An average is summed. Throws ValueError
/// for a dtype that the op does not take.
Combine combine_for(ScalarType dtype, ReduceOp op);

/// What PREMUL_SUM does before the sum, to elements in memory of the host.
void before_reduction(const Tensor& host, ReduceOp op);
/// What AVG does after the sum over `size` ranks.
void after_reduction(const Tensor& host, ReduceOp op, int size);

}  // namespace torch::taper::distributed::detail
