// Errors about values of tensors that kernels find, in LibTorch's words. Not installed.
#pragma once

#include <cstdint>

#include <taper/framework/core/namespaces.h>

namespace torch::taper {

/// The text of the error about an index out of range, after the op's name.
enum class IndexWording : int8_t {
  kInSelf,       // IndexError: index out of range in self
  kDimension,    // IndexError: index 5 is out of bounds for dimension 0 with size 3
  kDimensionRt,  // kDimension as an Error
  kTake,         // IndexError: out of range: tried to access index 5 on a tensor of 3 elements.
};

[[noreturn]] void throw_index_out_of_range(const char* op, int64_t value, int64_t size, int64_t dim,
                                           IndexWording wording);
/// Throws IndexError: Target 7 is out of bounds.
[[noreturn]] void throw_target_out_of_range(const char* op, int64_t value);
/// Throws Error: the offset `value` of bag `b` is invalid. The first offset must be 0. Each offset
/// must be at least `before`, the previous offset, and at most `length`.
[[noreturn]] void throw_wrong_bag_offset(int64_t b, int64_t value, int64_t before, int64_t length);
/// Throws Error: ldl_solve: expected pivots of ldl_factor
[[noreturn]] void throw_not_ldl_pivots();
/// Throws Error: all elements of input should be between 0 and 1
[[noreturn]] void throw_not_a_probability();

}  // namespace torch::taper
