// MapDataset: a data set with a transform, and the fast path for whole batches.
#pragma once

#include <taper/data/dataset.h>
#include <taper/data/transform.h>

#pragma GCC visibility push(default)

namespace torch::taper::data::datasets {
namespace detail {

template <bool C, class T>
using optional_if_t = std::conditional_t<C, optional<T>, T>;

/// Tells whether D has get_stacked(). If D derives from another data set's class, this is false,
/// because D may override get().
template <class D, class = void>
struct is_stacked : std::false_type {};
template <class D>
struct is_stacked<
    D, std::void_t<decltype(std::declval<D&>().get_stacked(std::declval<ArrayRef<size_t>>()))>>
    : std::is_same<typename D::SelfType, D> {};

/// Tells whether D can also normalize while it stacks: Example<> get_stacked(indices, mean,
/// stddev).
template <class D, class = void>
struct normalizes : std::false_type {};
template <class D>
struct normalizes<D, std::void_t<decltype(std::declval<D&>().get_stacked(
                         std::declval<ArrayRef<size_t>>(), 0.0f, 1.0f))>>
    : std::is_same<typename D::SelfType, D> {};

/// Tell whether a transform gives equal results for stacked examples and for single examples.
template <class T>
struct is_normalize : std::false_type {};
template <class Target>
struct is_normalize<transforms::Normalize<Target>> : std::true_type {};
template <class T>
struct is_stack : std::false_type {};
template <class E>
struct is_stack<transforms::Stack<E>> : std::true_type {};

}  // namespace detail

/// Applies `transform` to the batches of `dataset`.
template <class Source, class AppliedTransform>
class MapDataset
    : public BatchDataset<
          MapDataset<Source, AppliedTransform>,
          detail::optional_if_t<Source::is_stateful, typename AppliedTransform::OutputBatchType>,
          typename Source::BatchRequestType> {
 public:
  using DatasetType = Source;                                  ///< the source
  using TransformType = AppliedTransform;                      ///< the transform
  using BatchRequestType = typename Source::BatchRequestType;  ///< requests to the source
  /// The output of the transform, as an optional for a stateful source.
  using OutputBatchType =
      detail::optional_if_t<Source::is_stateful, typename AppliedTransform::OutputBatchType>;

  /// Stores `dataset` and `transform`. Each worker of a loader has copies of them, unless the
  /// source is stateful.
  MapDataset(Source dataset, AppliedTransform transform)
      : dataset_(std::move(dataset)), transform_(std::move(transform)) {}

  /// Returns transform.apply_batch() of the batch of the source, or nullopt at the end of a
  /// stateful source. If the transform is Stack and the source has get_stacked(), calls
  /// get_stacked() instead.
  OutputBatchType get_batch(BatchRequestType request) override {
    if constexpr (detail::is_stack<AppliedTransform>::value && detail::is_stacked<Source>::value) {
      return dataset_.get_stacked(request);
    } else if constexpr (Source::is_stateful) {
      auto batch = dataset_.get_batch(std::move(request));
      if (!batch) return nullopt;
      return transform_.apply_batch(*std::move(batch));
    } else {
      return transform_.apply_batch(dataset_.get_batch(std::move(request)));
    }
  }

  /// Returns the transformed examples, stacked. Exists if the source has get_stacked() and the
  /// transform is Normalize.
  template <class D = Source, std::enable_if_t<detail::is_stacked<D>::value &&
                                                   detail::is_normalize<AppliedTransform>::value,
                                               int> = 0>
  auto get_stacked(ArrayRef<size_t> indices) {
    if constexpr (detail::normalizes<D>::value) {
      if (transform_.mean.numel() == 1 && transform_.stddev.numel() == 1)
        return dataset_.get_stacked(indices, *transform_.mean.template data_ptr<float>(),
                                    *transform_.stddev.template data_ptr<float>());
    }
    auto batch = dataset_.get_stacked(indices);
    // Mean and stddev are [C, 1, 1]. They broadcast against each example, not against the batch.
    while (batch.data.dim() < 4) batch.data = batch.data.unsqueeze(1);
    batch.data = transform_(std::move(batch.data));
    return batch;
  }

  optional<size_t> size() const override { return dataset_.size(); }
  /// Starts an epoch of a stateful data set.
  void reset() { dataset_.reset(); }
  const Source& dataset() noexcept { return dataset_; }                ///< the stored source
  const AppliedTransform& transform() noexcept { return transform_; }  ///< the stored transform

 private:
  Source dataset_;
  AppliedTransform transform_;
};

/// Returns a data set that applies `transform` to the batches of `dataset`. Both arguments are
/// moved into it. Does not compile unless the transform takes the batches of the data set.
template <class Source, class Transform>
MapDataset<Source, Transform> map(Source dataset, Transform transform) {
  using Batch = typename Source::BatchType;
  if constexpr (Source::is_stateful)
    static_assert(
        std::is_same<typename Batch::value_type, typename Transform::InputBatchType>::value,
        "BatchType type of dataset does not match input type of transform");
  else
    static_assert(std::is_same<Batch, typename Transform::InputBatchType>::value,
                  "BatchType type of dataset does not match input type of transform");
  return {std::move(dataset), std::move(transform)};
}

}  // namespace torch::taper::data::datasets

#pragma GCC visibility pop
