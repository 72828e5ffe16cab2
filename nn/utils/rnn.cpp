#include <taper/nn/utils/rnn.h>

#include <taper/ops/index/index_advanced.h>
#include <taper/ops/reduce/sort.h>
#include <taper/ops/sequence/pack_sequence.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::nn::utils::rnn {

Tensor invert_permutation(const Tensor& permutation) {
  if (!permutation.defined()) return {};
  const Tensor places = arange(permutation.numel(), permutation.options());
  return empty_like(permutation).scatter_(0, permutation, places);
}

PackedSequence::PackedSequence(Tensor data, Tensor batch_sizes, Tensor sorted_indices,
                               Tensor unsorted_indices)
    : data_(std::move(data)),
      batch_sizes_(std::move(batch_sizes)),
      sorted_indices_(std::move(sorted_indices)),
      unsorted_indices_(std::move(unsorted_indices)) {
  if (!unsorted_indices_.defined()) unsorted_indices_ = invert_permutation(sorted_indices_);
  TAPER_CHECK(batch_sizes_.device().is_cpu(),
              "batch_sizes should always be on CPU. Instances of PackedSequence should never be "
              "created manually. They should be instantiated by functions like pack_sequence and "
              "pack_padded_sequences in nn::utils::rnn. "
              "https://pytorch.org/docs/stable/nn.html#torch.nn.utils.rnn.pack_sequence");
}

PackedSequence PackedSequence::pin_memory() const {
  const auto pinned = [](const Tensor& t) { return t.defined() ? t.pin_memory() : t; };
  return PackedSequence(pinned(data_), batch_sizes_, pinned(sorted_indices_),
                        pinned(unsorted_indices_));
}

PackedSequence PackedSequence::to(TensorOptions options) const {
  const Tensor data = data_.to(options);
  if (data.is_same(data_)) return *this;
  const auto moved = [&](const Tensor& t) { return t.defined() ? t.to(data.device()) : t; };
  return PackedSequence(data, batch_sizes_, moved(sorted_indices_), moved(unsorted_indices_));
}

PackedSequence pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first,
                                    bool enforce_sorted) {
  TAPER_CHECK(lengths.dim() == 1, "'lengths' argument should be a 1D CPU int64 tensor, but got ",
              lengths.dim(), "D ", lengths.device(), " ", lengths.scalar_type(), " tensor");
  lengths = lengths.to(kLong);
  Tensor sorted_indices;
  if (!enforce_sorted) {
    std::tie(lengths, sorted_indices) = sort(lengths, -1, true);
    sorted_indices = sorted_indices.to(input.device());
    input = input.index_select(batch_first ? 0 : 1, sorted_indices);
  }
  const auto [data, batch_sizes] = _pack_padded_sequence(input, lengths, batch_first);
  return PackedSequence(data, batch_sizes, sorted_indices);
}

std::tuple<Tensor, Tensor> pad_packed_sequence(const PackedSequence& sequence, bool batch_first,
                                               double padding_value,
                                               optional<int64_t> total_length) {
  TAPER_CHECK(!total_length || *total_length >= sequence.batch_sizes().size(0),
              "Expected total_length to be at least the length of the longest sequence in input, "
              "but got total_length=",
              total_length.value_or(0), " and max sequence length being ",
              sequence.batch_sizes().size(0));
  const auto [padded, lengths] =
      _pad_packed_sequence(sequence.data(), sequence.batch_sizes(), batch_first, padding_value,
                           total_length.value_or(sequence.batch_sizes().size(0)));
  const Tensor& order = sequence.unsorted_indices();
  if (!order.defined()) return {padded, lengths};
  return {padded.index_select(batch_first ? 0 : 1, order), lengths.index_select(0, order.cpu())};
}

Tensor pad_sequence(TensorList sequences, bool batch_first, double padding_value,
                    std::string_view padding_side) {
  return taper::pad_sequence(sequences, batch_first, padding_value, padding_side);
}

PackedSequence pack_sequence(TensorList sequences, bool enforce_sorted) {
  Tensor lengths = empty({static_cast<int64_t>(sequences.size())}, kLong);
  for (size_t i = 0; i < sequences.size(); ++i)
    lengths.data_ptr<int64_t>()[i] = sequences[i].size(0);
  return pack_padded_sequence(taper::pad_sequence(sequences), lengths, false, enforce_sorted);
}

}  // namespace torch::taper::nn::utils::rnn
