// Batches of sequences of different lengths. See ops/sequence/pack_sequence.h for the two layouts.
#pragma once

#include <tuple>
#include <vector>

#include <taper/framework/core/options.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::utils::rnn {

/// The permutation that undoes `permutation` (N); undefined for an undefined one.
Tensor invert_permutation(const Tensor& permutation);

/// A packed batch. Made by the functions below, not by hand. `sorted_indices` (N) says which
/// sequence of the caller's is the i-th longest; undefined where they were sorted already.
class PackedSequence {
 public:
  /// Throws Error unless batch_sizes is on the CPU.
  explicit PackedSequence(Tensor data, Tensor batch_sizes, Tensor sorted_indices = {},
                          Tensor unsorted_indices = {});

  /// The rows (R, ...), R the sum of the lengths: those of time 0 of all sequences, then of time 1,
  /// and so on. These four return references to members.
  const Tensor& data() const { return data_; }
  /// How many sequences have each time: (T), kLong, never rising, on the CPU.
  const Tensor& batch_sizes() const { return batch_sizes_; }
  /// Which of the caller's sequences is the i-th longest: (N), undefined where they were sorted
  /// already.
  const Tensor& sorted_indices() const { return sorted_indices_; }
  /// The inverse: where the caller's i-th sequence is among the sorted ones. Undefined with it.
  const Tensor& unsorted_indices() const { return unsorted_indices_; }

  /// Data and indices as Tensor::pin_memory() gives them, in page-locked memory; batch_sizes stay
  /// as they are. Throws Error for data on a GPU.
  PackedSequence pin_memory() const;
  /// The data in another dtype or on another device; the indices go with it, batch_sizes stay.
  PackedSequence to(TensorOptions options) const;
  /// to() the current CUDA device, or the CPU. Data that are there already are not copied.
  ///@{
  PackedSequence cuda() const { return to(kCUDA); }
  PackedSequence cpu() const { return to(kCPU); }
  ///@}

  /// Of the data.
  ///@{
  bool is_cuda() const { return data_.is_cuda(); }
  bool is_pinned() const { return data_.is_pinned(); }
  ///@}

 private:
  Tensor data_, batch_sizes_, sorted_indices_, unsorted_indices_;
};

/// Packs input (T, N, ...), or (N, T, ...) with batch_first, whose sequences have the lengths (N).
/// They must be sorted, longest first, unless enforce_sorted is false. Throws Error for lengths
/// below 1 and above T.
PackedSequence pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first = false,
                                    bool enforce_sorted = true);
/// The inverse: the padded tensor and the lengths, in the caller's order. Throws Error when
/// total_length is less than the longest sequence has.
std::tuple<Tensor, Tensor> pad_packed_sequence(const PackedSequence& sequence,
                                               bool batch_first = false, double padding_value = 0.0,
                                               optional<int64_t> total_length = nullopt);
/// Sequences (L_i, ...) as one tensor (longest, N, ...), or (N, longest, ...). The padding is to
/// the "right" of each or to the "left".
Tensor pad_sequence(TensorList sequences, bool batch_first = false, double padding_value = 0,
                    std::string_view padding_side = "right");
/// Sequences (L_i, ...), packed.
PackedSequence pack_sequence(TensorList sequences, bool enforce_sorted = true);

}  // namespace torch::taper::nn::utils::rnn

#pragma GCC visibility pop
