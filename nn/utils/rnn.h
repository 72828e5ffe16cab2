// Batches of sequences of different lengths. ops/sequence/pack_sequence.h describes the padded and
// the packed layout.
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

/// Holds a packed batch. The functions below make PackedSequences. Do not construct one yourself.
class PackedSequence {
 public:
  /// Takes the four tensors. Throws Error unless batch_sizes is on the CPU.
  explicit PackedSequence(Tensor data, Tensor batch_sizes, Tensor sorted_indices = {},
                          Tensor unsorted_indices = {});

  /// Returns the rows (R, ...), where R is the sum of the lengths: step 0 of all sequences, then
  /// step 1, and so on. The four functions return references to members.
  const Tensor& data() const { return data_; }
  /// Returns the number of sequences at each step: (T), kLong, never increasing, on the CPU.
  const Tensor& batch_sizes() const { return batch_sizes_; }
  /// Returns the original indices (N) of the sequences, longest first. They are undefined if the
  /// sequences were already sorted.
  const Tensor& sorted_indices() const { return sorted_indices_; }
  /// Returns the inverse of sorted_indices: the sorted position of each original sequence. It is
  /// undefined if sorted_indices is undefined.
  const Tensor& unsorted_indices() const { return unsorted_indices_; }

  /// Copies data and indices to pinned memory with Tensor::pin_memory(). batch_sizes is unchanged.
  /// Throws Error for data on a GPU.
  PackedSequence pin_memory() const;
  /// Converts the data to another dtype or device. The indices move to the device of the data.
  /// batch_sizes stays on the CPU.
  PackedSequence to(TensorOptions options) const;
  /// Moves to the current CUDA device, or to the CPU. Data that are already there are not copied.
  ///@{
  PackedSequence cuda() const { return to(kCUDA); }
  PackedSequence cpu() const { return to(kCPU); }
  ///@}

  /// Return the properties of the data.
  ///@{
  bool is_cuda() const { return data_.is_cuda(); }
  bool is_pinned() const { return data_.is_pinned(); }
  ///@}

 private:
  Tensor data_, batch_sizes_, sorted_indices_, unsorted_indices_;
};

/// Packs input (T, N, ...), or (N, T, ...) with batch_first. `lengths` (N) are the lengths of its
/// sequences. Sequences must be sorted, longest first, unless enforce_sorted is false. Throws Error
/// for lengths below 1 or above T.
PackedSequence pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first = false,
                                    bool enforce_sorted = true);
/// Unpacks a sequence: returns the padded tensor and the lengths, in the original order. Throws
/// Error if total_length is less than the longest length.
std::tuple<Tensor, Tensor> pad_packed_sequence(const PackedSequence& sequence,
                                               bool batch_first = false, double padding_value = 0.0,
                                               optional<int64_t> total_length = nullopt);
/// Pads sequences (L_i, ...) to one tensor (longest, N, ...), or (N, longest, ...) with
/// batch_first. The padding is on the "right" or the "left" side.
Tensor pad_sequence(TensorList sequences, bool batch_first = false, double padding_value = 0,
                    std::string_view padding_side = "right");
/// Packs sequences (L_i, ...).
PackedSequence pack_sequence(TensorList sequences, bool enforce_sorted = true);

}  // namespace torch::taper::nn::utils::rnn

#pragma GCC visibility pop
