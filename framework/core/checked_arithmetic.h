// Arithmetic with sizes, strides and counts that a caller chooses: it throws where 64 bits do not
// hold the result. (Products of sizes that a tensor already has are checked_numel's, in shape.h.)
#pragma once

#include <taper/framework/core/array_ref.h>

namespace torch::taper::detail {

/// a + b, a - b, a * b. Throws "op: integer overflow in 3 * 9223372036854775807".
int64_t checked_add(const char* op, int64_t a, int64_t b);
int64_t checked_sub(const char* op, int64_t a, int64_t b);
int64_t checked_mul(const char* op, int64_t a, int64_t b);

/// The rows of a matrix that has n elements on the diagonal `offset`.
int64_t embedded_size(const char* op, int64_t n, int64_t offset);

/// Elements of memory up to the last one that (sizes, strides) reaches from `offset` on; 0 where
/// there are no elements. Throws for negative sizes and strides, and "op: Storage size calculation
/// overflowed with sizes=[2] and strides=[9223372036854775807]" where their bytes do not fit.
int64_t checked_extent(const char* op, IntArrayRef sizes, IntArrayRef strides, int64_t offset,
                       size_t itemsize);

}  // namespace torch::taper::detail
