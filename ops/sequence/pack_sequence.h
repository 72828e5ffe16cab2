// Sequences of different lengths in one tensor, padded or packed.
//
// A padded tensor is (T, N, ...), or (N, T, ...) with batch_first. Elements after a sequence's end
// are padding. Packed rows (R, ...) hold time 0 of all sequences, then time 1, and so on.
// batch_sizes (T), on the CPU, holds the number of sequences that reach each time. Sequences are
// sorted by length, the longest first.
#pragma once

#include <string_view>
#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Packs a padded tensor and returns the rows and batch_sizes. lengths (N) are on the CPU. Throws
/// Error if lengths are not sorted, are below 1 or above T, or if there are not N of them.
std::tuple<Tensor, Tensor> _pack_padded_sequence(const Tensor& input, const Tensor& lengths,
                                                 bool batch_first);
/// Inverts _pack_padded_sequence. Returns the padded tensor and the lengths (N). `padding_value`
/// fills the elements after a sequence's end. If total_length exceeds the longest sequence, the
/// result has that length.
std::tuple<Tensor, Tensor> _pad_packed_sequence(const Tensor& data, const Tensor& batch_sizes,
                                                bool batch_first, const Scalar& padding_value,
                                                int64_t total_length);
/// Joins tensors (L_i, ...) to one padded tensor, with the padding to the "right" or "left" of
/// each. Throws Error if the list is empty, if sizes other than L_i differ, or for another
/// padding_side.
Tensor pad_sequence(TensorList sequences, bool batch_first = false, double padding_value = 0,
                    std::string_view padding_side = "right");

}  // namespace torch::taper

#pragma GCC visibility pop
