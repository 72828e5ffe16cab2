// The `out` forms of ops: results into tensors that the caller gives.
#pragma once

#include <initializer_list>

#include <taper/framework/tensor.h>

namespace taper {

/// Makes `out` ready for a result of these sizes and dtype, resizing it when its shape differs.
/// Throws when out or an input requires a gradient, or when the result's dtype cannot be stored.
void prepare_out(const char* op, Tensor& out, IntArrayRef sizes, ScalarType dtype,
                 std::initializer_list<Tensor> inputs);

}  // namespace taper
