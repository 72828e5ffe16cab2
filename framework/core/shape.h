// Shape rules that many ops share: wrapping dimensions, inferring sizes, computing view strides.
#pragma once

#include <taper/framework/core/tensor.h>

namespace torch::taper {

/// Wraps `dim` from [-rank, rank) to [0, rank): -1 gives rank - 1. Rank 0 is treated as rank 1.
/// Throws IndexError: "op: Dimension out of range (expected to be in range of [-2, 1], but got 5)".
int64_t wrap_dim(const char* op, int64_t dim, int64_t rank);
/// Wraps each of `dims` as wrap_dim() does. Throws if a dimension appears twice: "op: dim 0 appears
/// multiple times in the list of dims".
Dims wrap_dims(const char* op, IntArrayRef dims, int64_t rank);
/// Returns `shape` with a -1 replaced by the size that makes the product equal to numel. Throws
/// "op: shape '[5, -1]' is invalid for input of size 24".
Dims infer_size(const char* op, IntArrayRef shape, int64_t numel);
/// Returns the product of the sizes. Throws for a negative size and if the product exceeds 2^63 -
/// 1. `op` is the function that makes the tensor.
int64_t checked_numel(IntArrayRef sizes, const char* op = "empty");
/// Returns the strides of a view of sizes `shape` over the memory of a tensor with `sizes` and
/// `strides`. `shape` must have the tensor's numel. Returns nullopt if there is no such view.
optional<Dims> view_strides(const Dims& sizes, const Dims& strides, const Dims& shape);
/// Returns the strides of a tensor with `sizes` (N, C, ...) whose order in memory is (N, ..., C).
/// Throws unless `sizes` has 4 dimensions, or 5 for ChannelsLast3d: "op: required rank 4 tensor to
/// use channels_last format".
Dims channels_last_strides(const char* op, IntArrayRef sizes, MemoryFormat format);
/// Throws PyTorch's error if `a` and `b` are defined and on different devices.
void check_same_device(const char* op, const Tensor& a, const Tensor& b);
/// Throws "op: expected a defined tensor, got an undefined one" if `t` is undefined.
void check_defined(const char* op, const Tensor& t, const char* argument);

}  // namespace torch::taper
