#include <taper/ops/sequence/pack_sequence.h>

#include <algorithm>

#include <taper/framework/autograd/door.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/runtime/access.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {
namespace {

std::vector<int64_t> numbers_of(const Tensor& t) {
  detail::check_not_capturing("pack_padded_sequence", t.device());
  const Tensor list = t.to(kCPU, kLong).contiguous();
  const int64_t* p = list.data_ptr<int64_t>();
  return std::vector<int64_t>(p, p + list.numel());
}
Tensor tensor_of(const std::vector<int64_t>& numbers) {
  Tensor t = empty({static_cast<int64_t>(numbers.size())}, kLong);
  std::copy(numbers.begin(), numbers.end(), t.data_ptr<int64_t>());
  return t;
}

void check_lengths(const std::vector<int64_t>& lengths, int64_t T, int64_t N) {
  TAPER_CHECK(static_cast<int64_t>(lengths.size()) == N,
              "pack_padded_sequence: Expected `len(lengths)` to be equal to batch_size, but got ",
              lengths.size(), " (batch_size=", N, ")");
  TAPER_CHECK(lengths.back() > 0,
              "pack_padded_sequence: Length of all samples has to be greater than 0, but found an "
              "element in 'lengths' "
              "that is <= 0");
  TAPER_CHECK(std::is_sorted(lengths.rbegin(), lengths.rend()),
              "pack_padded_sequence: `lengths` array must be sorted in decreasing order when "
              "`enforce_sorted` is True. "
              "You can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to "
              "sidestep this requirement if you do not need ONNX exportability.");
  TAPER_CHECK(lengths[0] <= T, "pack_padded_sequence: expected lengths of at most ", T, ", got ",
              lengths[0]);
}

// Returns the index of each packed row among the N * T rows of a padded, time-major tensor.
Tensor rows_of(const std::vector<int64_t>& batch_sizes, int64_t N, Device device) {
  std::vector<int64_t> rows;
  for (size_t t = 0; t < batch_sizes.size(); ++t)
    for (int64_t i = 0; i < batch_sizes[t]; ++i) rows.push_back(static_cast<int64_t>(t) * N + i);
  return tensor_of(rows).to(device);
}

// Returns `leading`, followed by the sizes of all dimensions but the first.
std::vector<int64_t> sizes_behind(std::vector<int64_t> leading, const Tensor& t) {
  leading.insert(leading.end(), t.sizes().begin() + 1, t.sizes().end());
  return leading;
}

}  // namespace

std::tuple<Tensor, Tensor> _pack_padded_sequence(const Tensor& input, const Tensor& lengths,
                                                 bool batch_first) {
  if (auto done = at_door<"_pack_padded_sequence">(input, lengths, batch_first)) return done;
  TAPER_CHECK(input.numel() > 0, "_pack_padded_sequence: Cannot pack empty tensors.");
  TAPER_CHECK(input.dim() >= 2, "pack_padded_sequence: expected at least 2 dimensions, got ",
              input.sizes());
  const Tensor x = batch_first ? input.transpose(0, 1) : input;
  const int64_t T = x.size(0), N = x.size(1);
  const std::vector<int64_t> list = numbers_of(lengths);
  check_lengths(list, T, N);
  std::vector<int64_t> batch_sizes;
  for (int64_t t = 0, n = N; t < list[0]; ++t) {
    while (list[static_cast<size_t>(n) - 1] <= t) --n;
    batch_sizes.push_back(n);
  }
  const Tensor rows = rows_of(batch_sizes, N, x.device());
  return {x.flatten(0, 1).index_select(0, rows), tensor_of(batch_sizes)};
}

std::tuple<Tensor, Tensor> _pad_packed_sequence(const Tensor& data, const Tensor& batch_sizes,
                                                bool batch_first, const Scalar& padding_value,
                                                int64_t total_length) {
  if (auto done = at_door<"_pad_packed_sequence">(data, batch_sizes, batch_first, padding_value,
                                                  total_length))
    return done;
  const std::vector<int64_t> sizes = numbers_of(batch_sizes);
  TAPER_CHECK(!sizes.empty(), "pad_packed_sequence: expected batch_sizes, got none");
  const int64_t longest = static_cast<int64_t>(sizes.size()), N = sizes[0];
  const int64_t T = std::max(longest, total_length);
  TAPER_CHECK(total_length <= 0 || total_length >= longest,
              "_pad_packed_sequence: Expected total_length to be at least the length of the "
              "longest sequence in input, "
              "but got total_length=",
              total_length, " and max sequence length being ", longest);
  const Tensor padding = full(sizes_behind({T * N}, data), padding_value, data.options());
  const Tensor rows = padding.index_copy(0, rows_of(sizes, N, data.device()), data);
  Tensor y = rows.view(sizes_behind({T, N}, data));
  if (batch_first) y = y.transpose(0, 1);
  std::vector<int64_t> lengths(static_cast<size_t>(N));
  for (int64_t n : sizes)
    for (int64_t i = 0; i < n; ++i) ++lengths[static_cast<size_t>(i)];
  return {y, tensor_of(lengths)};
}

Tensor pad_sequence(TensorList sequences, bool batch_first, double padding_value,
                    std::string_view padding_side) {
  if (auto done = at_door<"pad_sequence">(sequences, batch_first, padding_value, padding_side))
    return done;
  TAPER_CHECK(padding_side == "left" || padding_side == "right",
              "pad_sequence: expected padding_side \"left\" or \"right\", got \"", padding_side,
              "\"");
  TAPER_CHECK(!sequences.empty(), "pad_sequence: received an empty list of sequences");
  int64_t longest = 0;
  for (const Tensor& s : sequences) {
    TAPER_CHECK(s.dim() > 0 && s.sizes().slice(1) == sequences[0].sizes().slice(1),
                "pad_sequence: The size of tensor a (", sequences[0].sizes(),
                ") must match the size of tensor b (", s.sizes(), ") behind the first dimension");
    longest = std::max(longest, s.size(0));
  }
  std::vector<Tensor> padded;
  for (const Tensor& s : sequences) {
    const int64_t missing = longest - s.size(0);
    if (missing == 0) {
      padded.push_back(s);
      continue;
    }
    const Tensor padding = full(sizes_behind({missing}, s), padding_value, s.options());
    padded.push_back(padding_side == "left" ? cat({padding, s}) : cat({s, padding}));
  }
  return stack(padded, batch_first ? 0 : 1);
}

}  // namespace torch::taper
