// Sequences of different lengths in one tensor: padded, or packed.
//
// Padded: (T, N, ...), or (N, T, ...) with batch_first, what lies behind a sequence's end is
// padding. Packed: rows (R, ...), those of time 0 of all sequences, then those of time 1, and so
// on, with batch_sizes (T) on the CPU: how many sequences have that time. Sequences are sorted by
// length, the longest first.
#pragma once

#include <string_view>
#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Packs a padded tensor; lengths (N) on the CPU. Returns the rows and batch_sizes. Throws Error
/// for lengths that are not sorted, below 1 or above T, and for a wrong number of them.
std::tuple<Tensor, Tensor> _pack_padded_sequence(const Tensor& input, const Tensor& lengths,
                                                 bool batch_first);
/// The inverse, with `padding_value` behind the ends, up to total_length where that is more than
/// the longest sequence has. Returns the padded tensor and the lengths (N).
std::tuple<Tensor, Tensor> _pad_packed_sequence(const Tensor& data, const Tensor& batch_sizes,
                                                bool batch_first, const Scalar& padding_value,
                                                int64_t total_length);
/// Tensors (L_i, ...) as one padded tensor, the padding to the "right" of each or to the "left".
/// Throws Error for an empty list, for sizes behind the first dimension that differ and for another
/// padding_side.
Tensor pad_sequence(TensorList sequences, bool batch_first = false, double padding_value = 0,
                    std::string_view padding_side = "right");

}  // namespace torch::taper

#pragma GCC visibility pop
