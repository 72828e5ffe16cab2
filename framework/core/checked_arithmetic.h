// Arithmetic with sizes, strides and counts that a caller chooses. It throws if the result exceeds
// 64 bits. For products of an existing tensor's sizes use checked_numel (shape.h).
#pragma once

#include <taper/framework/core/array_ref.h>

namespace torch::taper::detail {

/// Return a + b, a - b, a * b. An overflow throws Error "op: integer overflow in 3 *
/// 9223372036854775807".
int64_t checked_add(const char* op, int64_t a, int64_t b);
int64_t checked_sub(const char* op, int64_t a, int64_t b);
int64_t checked_mul(const char* op, int64_t a, int64_t b);

/// Returns the number of rows of the square matrix that has n elements on its diagonal `offset`.
int64_t embedded_size(const char* op, int64_t n, int64_t offset);

/// Returns one more than the largest index of an element of a view with `sizes`, `strides` and
/// `offset`. Indices count elements from the start of the memory. Returns 0 if there are no
/// elements. Throws for negative sizes and strides. Throws "op: Storage size calculation overflowed
/// with sizes=[2] and strides=[9223372036854775807]" if the number of bytes exceeds 64 bits.
int64_t checked_extent(const char* op, IntArrayRef sizes, IntArrayRef strides, int64_t offset,
                       size_t itemsize);

}  // namespace torch::taper::detail
