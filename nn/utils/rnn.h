// PackedSequence, and functions that pack and pad sequences of different lengths.
// ops/sequence/pack_sequence.h describes the padded and the packed layout.
#pragma once

#include <tuple>
#include <vector>

#include <taper/framework/core/options.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::utils::rnn {

/// Returns the inverse of `permutation` (N). If `permutation` is undefined, returns an undefined
/// tensor.
Tensor invert_permutation(const Tensor& permutation);

/// Holds a packed batch. Use pack_padded_sequence() or pack_sequence() to make one, not the
/// constructor.
class PackedSequence {
 public:
  /// Takes the four tensors. If unsorted_indices is undefined, computes it from sorted_indices.
  /// Throws Error unless batch_sizes is on the CPU.
  explicit PackedSequence(Tensor data, Tensor batch_sizes, Tensor sorted_indices = {},
                          Tensor unsorted_indices = {});

  /// Returns the elements of all sequences: step 0 of all sequences, then step 1, and so on. The
  /// sizes are (R, ...), and R is the sum of the lengths.
  const Tensor& data() const { return data_; }
  /// Returns the number of sequences that have step t, for each step t: a kLong tensor (T) on the
  /// CPU. T is the longest length. The numbers never increase.
  const Tensor& batch_sizes() const { return batch_sizes_; }
  /// Returns the original indices (N) of the N sequences, with the longest sequence first. The
  /// tensor is undefined if the sequences were passed as sorted.
  const Tensor& sorted_indices() const { return sorted_indices_; }
  /// Returns the inverse of sorted_indices: the sorted position of each original sequence. The
  /// tensor is undefined if sorted_indices is undefined.
  const Tensor& unsorted_indices() const { return unsorted_indices_; }

  /// Returns a copy with data and indices in pinned memory (see Tensor::pin_memory()). batch_sizes
  /// is unchanged. Throws Error for data on a GPU.
  PackedSequence pin_memory() const;
  /// Returns a copy with the data in the dtype and on the device of `options`. The indices move to
  /// the device of the data. batch_sizes stays on the CPU.
  PackedSequence to(TensorOptions options) const;
  /// cuda() moves data and indices to the current CUDA device, and cpu() to the CPU. Data that are
  /// already on the device are not copied.
  ///@{
  PackedSequence cuda() const { return to(kCUDA); }
  PackedSequence cpu() const { return to(kCPU); }
  ///@}

  /// Return whether the data are on a CUDA device, or in pinned memory.
  ///@{
  bool is_cuda() const { return data_.is_cuda(); }
  bool is_pinned() const { return data_.is_pinned(); }
  ///@}

 private:
  Tensor data_, batch_sizes_, sorted_indices_, unsorted_indices_;
};

/// Packs a padded `input` of N sequences with T steps: (T, N, ...), or (N, T, ...) with
/// batch_first. `lengths` (N) holds the lengths of the sequences. If enforce_sorted is true, the
/// sequences must be sorted, longest first. Throws Error for lengths below 1 or above T.
PackedSequence pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first = false,
                                    bool enforce_sorted = true);
/// Inverts pack_padded_sequence: returns the padded tensor and the lengths, in the original order.
/// The padded tensor has total_length steps (default: the longest length). Throws Error if
/// total_length is less than the longest length.
std::tuple<Tensor, Tensor> pad_packed_sequence(const PackedSequence& sequence,
                                               bool batch_first = false, double padding_value = 0.0,
                                               optional<int64_t> total_length = nullopt);
/// Pads N sequences (length, ...) of different lengths to one tensor. It is (T, N, ...), or (N, T,
/// ...) with batch_first, and T is the longest length. The padding is on the "right" or the "left"
/// side.
Tensor pad_sequence(TensorList sequences, bool batch_first = false, double padding_value = 0,
                    std::string_view padding_side = "right");
/// Packs a list of sequences (length, ...). If enforce_sorted is true, they must be sorted, longest
/// first.
PackedSequence pack_sequence(TensorList sequences, bool enforce_sorted = true);

}  // namespace torch::taper::nn::utils::rnn

#pragma GCC visibility pop
