// Data sets in memory. An example is a slice of a tensor along its first dimension.
#pragma once

#include <taper/data/map.h>

#pragma GCC visibility push(default)

namespace torch::taper::data::datasets {

namespace detail {
/// Returns x[indices], on the device of x, for the data set `name`.
Tensor rows_at(const char* name, const Tensor& x, ArrayRef<size_t> indices);
}  // namespace detail

/// Holds examples without targets: example i is tensor[i].
struct TensorDataset : public Dataset<TensorDataset, TensorExample> {
  /// Stacks the tensors, which must have equal sizes.
  explicit TensorDataset(const std::vector<Tensor>& tensors);
  /// Takes a tensor. Throws Error unless it has at least one dimension.
  explicit TensorDataset(Tensor tensor);
  /// Makes a call with targets a compile error. For data with targets, use LabeledTensorDataset.
  template <class Target>
  TensorDataset(const Tensor&, const Target&) {
    static_assert(!sizeof(Target*),
                  "TensorDataset has no targets: use LabeledTensorDataset(data, targets)");
  }

  /// Returns the view tensor.select(0, index), without the first dimension.
  TensorExample get(size_t index) override;
  /// Returns a new tensor [B, ...] of the examples at `indices`, on the device of `tensor`.
  TensorExample get_stacked(ArrayRef<size_t> indices);
  optional<size_t> size() const override { return static_cast<size_t>(tensor.size(0)); }

  Tensor tensor;  ///< all examples, [N, ...]
};

/// Holds examples with targets: example i is data[i] with targets[i].
class LabeledTensorDataset : public Dataset<LabeledTensorDataset> {
 public:
  /// Takes two tensors, without copying them. Throws Error unless their first dimensions have equal
  /// sizes.
  LabeledTensorDataset(Tensor data, Tensor targets)
      : data_(std::move(data)), targets_(std::move(targets)) {
    TAPER_CHECK(data_.dim() > 0 && targets_.dim() > 0 && data_.size(0) == targets_.size(0),
                "LabeledTensorDataset: expected data and targets of one first size, got sizes ",
                data_.sizes(), " and ", targets_.sizes());
  }

  /// Returns views without the first dimension.
  Example<> get(size_t index) override {
    const auto i = static_cast<int64_t>(index);
    return {data_.select(0, i), targets_.select(0, i)};
  }
  /// Returns new tensors [B, ...] of the examples at `indices`, on the devices of data and targets.
  Example<> get_stacked(ArrayRef<size_t> indices) {
    return {detail::rows_at("LabeledTensorDataset", data_, indices),
            detail::rows_at("LabeledTensorDataset", targets_, indices)};
  }
  optional<size_t> size() const override { return static_cast<size_t>(data_.size(0)); }
  const Tensor& data() const { return data_; }        ///< Returns the data, [N, ...].
  const Tensor& targets() const { return targets_; }  ///< Returns the targets, [N, ...].

 private:
  Tensor data_, targets_;
};

}  // namespace torch::taper::data::datasets

#pragma GCC visibility pop
