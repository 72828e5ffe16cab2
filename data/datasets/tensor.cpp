#include <taper/data/datasets/tensor.h>

#include <cstring>

#include <taper/framework/runtime/access.h>

namespace torch::taper::data::datasets {

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
  taper::detail::check_not_capturing("TensorDataset", Device());
  const auto count = static_cast<int64_t>(indices.size());
  Tensor rows = taper::detail::make_tensor({count}, kLong, Device(kCPU));
  static_assert(sizeof(size_t) == sizeof(int64_t), "indices are copied as they are");
  if (count) std::memcpy(rows.data_ptr(), indices.data(), indices.size() * sizeof(int64_t));
  return tensor.index_select(0, rows.to(tensor.device()));
}

}  // namespace torch::taper::data::datasets
