// Sequences of different lengths in one tensor, padded or packed.
//
// A padded tensor is (T, N, ...), or (N, T, ...) with batch_first: N sequences of up to T elements.
// Elements after a sequence's end are padding. Packed rows (R, ...) hold time 0 of all sequences,
// then time 1, and so on. batch_sizes (T), on the CPU, holds the number of rows of each time.
// Sequences are sorted by length, the longest first.
#pragma once

#include <string_view>
#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Packs a padded tensor. Returns the rows and batch_sizes. Throws Error unless lengths (N) holds N
/// numbers from 1 to T, the largest first.
std::tuple<Tensor, Tensor> _pack_padded_sequence(const Tensor& input, const Tensor& lengths,
                                                 bool batch_first);
/// Inverts _pack_padded_sequence. Returns the padded tensor and the lengths (N). `padding_value`
/// fills the elements after a sequence's end. The result has the length of the longest sequence, or
/// total_length if that is positive. Throws Error if total_length is positive and below the longest
/// length.
std::tuple<Tensor, Tensor> _pad_packed_sequence(const Tensor& data, const Tensor& batch_sizes,
                                                bool batch_first, const Scalar& padding_value,
                                                int64_t total_length);
/// Joins sequences (L_i, ...) to one padded tensor. The padding is after each sequence ("right") or
/// before it ("left"). Throws Error if the list is empty, if sizes other than L_i differ, or for
/// another padding_side.
Tensor pad_sequence(TensorList sequences, bool batch_first = false, double padding_value = 0,
                    std::string_view padding_side = "right");

}  // namespace torch::taper

#pragma GCC visibility pop
