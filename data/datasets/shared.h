// SharedBatchDataset: one data set object behind all copies.
#pragma once

#include <memory>

#include <taper/data/map.h>

#pragma GCC visibility push(default)

namespace torch::taper::data::datasets {

/// A DataLoader gives each of its workers a copy of the data set; copies of this one all use the
/// same object, whose get_batch must be safe to call from several threads.
template <class Underlying>
class SharedBatchDataset
    : public BatchDataset<SharedBatchDataset<Underlying>, typename Underlying::BatchType,
                          typename Underlying::BatchRequestType> {
 public:
  using BatchType = typename Underlying::BatchType;  ///< what the shared data set gives
  using BatchRequestType = typename Underlying::BatchRequestType;  ///< what it takes

  /// Shares `dataset`, which may not be null.
  SharedBatchDataset(std::shared_ptr<Underlying> dataset) : dataset_(std::move(dataset)) {}

  /// The batch of the shared data set.
  BatchType get_batch(BatchRequestType request) override {
    return dataset_->get_batch(std::move(request));
  }
  /// The same, stacked by the shared data set. There where that has it.
  template <class D = Underlying, std::enable_if_t<detail::is_stacked<D>::value, int> = 0>
  auto get_stacked(ArrayRef<size_t> indices) {
    return dataset_->get_stacked(indices);
  }
  /// The same, normalised too: each value x becomes (x - mean) / stddev.
  template <class D = Underlying, std::enable_if_t<detail::normalizes<D>::value, int> = 0>
  auto get_stacked(ArrayRef<size_t> indices, float mean, float stddev) {
    return dataset_->get_stacked(indices, mean, stddev);
  }
  optional<size_t> size() const override { return dataset_->size(); }
  /// Starts an epoch of the shared data set, for all copies of this. There where that has it.
  void reset() { dataset_->reset(); }

  /// The shared data set itself.
  ///@{
  Underlying& operator*() { return *dataset_; }
  const Underlying& operator*() const { return *dataset_; }
  Underlying* operator->() { return dataset_.get(); }
  const Underlying* operator->() const { return dataset_.get(); }
  ///@}

 private:
  std::shared_ptr<Underlying> dataset_;
};

/// An Underlying made of these arguments, shared: make_shared_dataset<MyDataset>(path).
template <class Underlying, class... Args>
SharedBatchDataset<Underlying> make_shared_dataset(Args&&... args) {
  return std::make_shared<Underlying>(std::forward<Args>(args)...);
}

}  // namespace torch::taper::data::datasets

#pragma GCC visibility pop
