// TensorDataset: the slices of a tensor along its first dimension.
#pragma once

#include <taper/data/map.h>

#pragma GCC visibility push(default)

namespace torch::taper::data::datasets {

/// Holds examples without targets: example i is tensor[i].
struct TensorDataset : public Dataset<TensorDataset, TensorExample> {
  /// Stacks the tensors, which must have one shape.
  explicit TensorDataset(const std::vector<Tensor>& tensors);
  /// Takes a tensor. Throws Error unless it has at least one dimension.
  explicit TensorDataset(Tensor tensor);

  /// Returns the view tensor.select(0, index), without the first dimension.
  TensorExample get(size_t index) override;
  /// Returns a new tensor [B, ...] of the examples at `indices`, on the device of `tensor`.
  TensorExample get_stacked(ArrayRef<size_t> indices);
  optional<size_t> size() const override { return static_cast<size_t>(tensor.size(0)); }

  Tensor tensor;  ///< all examples, [N, ...]
};

}  // namespace torch::taper::data::datasets

#pragma GCC visibility pop
