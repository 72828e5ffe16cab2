// TensorDataset: the slices of a tensor along its first dimension.
#pragma once

#include <taper/data/map.h>

#pragma GCC visibility push(default)

namespace taper::data::datasets {

struct TensorDataset : public Dataset<TensorDataset, TensorExample> {
  /// Stacks the tensors, which must have one shape.
  explicit TensorDataset(const std::vector<Tensor>& tensors);
  /// Throws unless the tensor has at least one dimension.
  explicit TensorDataset(Tensor tensor);

  TensorExample get(size_t index) override;
  TensorExample get_stacked(ArrayRef<size_t> indices);
  optional<size_t> size() const override { return static_cast<size_t>(tensor.size(0)); }

  Tensor tensor;
};

}  // namespace taper::data::datasets

#pragma GCC visibility pop
