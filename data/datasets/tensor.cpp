#include <taper/data/datasets/tensor.h>

#include <cstring>

#include <taper/framework/runtime/access.h>

namespace torch::taper::data::datasets {
namespace {

// Returns x[indices], on the device of x.
Tensor rows_at(const char* name, const Tensor& x, ArrayRef<size_t> indices) {
  taper::detail::check_not_capturing(name, Device());
  const auto count = static_cast<int64_t>(indices.size());
  Tensor rows = taper::detail::make_tensor({count}, kLong, Device(kCPU));
  static_assert(sizeof(size_t) == sizeof(int64_t), "indices are copied as they are");
  if (count) std::memcpy(rows.data_ptr(), indices.data(), indices.size() * sizeof(int64_t));
  return x.index_select(0, rows.to(x.device()));
}

}  // namespace

TensorDataset::TensorDataset(const std::vector<Tensor>& tensors)
    : TensorDataset(transforms::detail::stack(tensors)) {}

TensorDataset::TensorDataset(Tensor t) : tensor(std::move(t)) {
  TAPER_CHECK(tensor.dim() > 0,
              "TensorDataset: expected a tensor of at least one dimension, got a 0-dim tensor");
}

TensorExample TensorDataset::get(size_t index) {
  return tensor.select(0, static_cast<int64_t>(index));
}

TensorExample TensorDataset::get_stacked(ArrayRef<size_t> indices) {
  return rows_at("TensorDataset", tensor, indices);
}

LabeledTensorDataset::LabeledTensorDataset(Tensor data, Tensor targets)
    : data_(std::move(data)), targets_(std::move(targets)) {
  TAPER_CHECK(data_.dim() > 0 && targets_.dim() > 0 && data_.size(0) == targets_.size(0),
              "LabeledTensorDataset: expected data and targets of one first size, got sizes ",
              data_.sizes(), " and ", targets_.sizes());
}

Example<> LabeledTensorDataset::get(size_t index) {
  const auto i = static_cast<int64_t>(index);
  return {data_.select(0, i), targets_.select(0, i)};
}

Example<> LabeledTensorDataset::get_stacked(ArrayRef<size_t> indices) {
  return {rows_at("LabeledTensorDataset", data_, indices),
          rows_at("LabeledTensorDataset", targets_, indices)};
}

}  // namespace torch::taper::data::datasets
