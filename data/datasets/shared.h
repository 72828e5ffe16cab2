// SharedBatchDataset: shares one data set among all copies.
#pragma once

#include <memory>

#include <taper/data/map.h>

#pragma GCC visibility push(default)

namespace torch::taper::data::datasets {

/// Shares a data set among its copies. A DataLoader gives each worker a copy of this class, and all
/// copies use one `Underlying` object. The get_batch() of that object must be thread-safe.
template <class Underlying>
class SharedBatchDataset
    : public BatchDataset<SharedBatchDataset<Underlying>, typename Underlying::BatchType,
                          typename Underlying::BatchRequestType> {
 public:
  using BatchType = typename Underlying::BatchType;  ///< the batches of the shared data set
  using BatchRequestType = typename Underlying::BatchRequestType;  ///< its requests

  /// Shares `dataset`, which must not be null.
  SharedBatchDataset(std::shared_ptr<Underlying> dataset) : dataset_(std::move(dataset)) {}

  /// Returns the batch of the shared data set.
  BatchType get_batch(BatchRequestType request) override {
    return dataset_->get_batch(std::move(request));
  }
  /// Returns the stacked examples of the shared data set. Exists if the shared data set has
  /// get_stacked().
  template <class D = Underlying, std::enable_if_t<detail::is_stacked<D>::value, int> = 0>
  auto get_stacked(ArrayRef<size_t> indices) {
    return dataset_->get_stacked(indices);
  }
  /// Returns the stacked and normalized examples of the shared data set: each value x becomes (x -
  /// mean) / stddev.
  template <class D = Underlying, std::enable_if_t<detail::normalizes<D>::value, int> = 0>
  auto get_stacked(ArrayRef<size_t> indices, float mean, float stddev) {
    return dataset_->get_stacked(indices, mean, stddev);
  }
  optional<size_t> size() const override { return dataset_->size(); }
  /// Starts an epoch of the shared data set, for all copies. Exists if the shared data set has
  /// reset().
  void reset() { dataset_->reset(); }

  /// Access the shared data set.
  ///@{
  Underlying& operator*() { return *dataset_; }
  const Underlying& operator*() const { return *dataset_; }
  Underlying* operator->() { return dataset_.get(); }
  const Underlying* operator->() const { return dataset_.get(); }
  ///@}

 private:
  std::shared_ptr<Underlying> dataset_;
};

/// Makes a shared Underlying from the arguments, for example make_shared_dataset<MyDataset>(path).
template <class Underlying, class... Args>
SharedBatchDataset<Underlying> make_shared_dataset(Args&&... args) {
  return std::make_shared<Underlying>(std::forward<Args>(args)...);
}

}  // namespace torch::taper::data::datasets

#pragma GCC visibility pop
