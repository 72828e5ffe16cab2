// MapDataset: a data set behind a transform, and the short way for whole batches.
#pragma once

#include <taper/data/dataset.h>
#include <taper/data/transform.h>

#pragma GCC visibility push(default)

namespace torch::taper::data::datasets {
namespace detail {

template <bool C, class T>
using optional_if_t = std::conditional_t<C, optional<T>, T>;

/// Whether D gives stacked examples. A class derived from such a data set does not count: it may
/// have changed get().
template <class D, class = void>
struct is_stacked : std::false_type {};
template <class D>
struct is_stacked<
    D, std::void_t<decltype(std::declval<D&>().get_stacked(std::declval<ArrayRef<size_t>>()))>>
    : std::is_same<typename D::SelfType, D> {};

/// Whether D can also normalise while it stacks: Example<> get_stacked(indices, mean, stddev).
template <class D, class = void>
struct normalizes : std::false_type {};
template <class D>
struct normalizes<D, std::void_t<decltype(std::declval<D&>().get_stacked(
                         std::declval<ArrayRef<size_t>>(), 0.0f, 1.0f))>>
    : std::is_same<typename D::SelfType, D> {};

/// Transforms that do to stacked examples what they do to each.
template <class T>
struct is_normalize : std::false_type {};
template <class Target>
struct is_normalize<transforms::Normalize<Target>> : std::true_type {};
template <class T>
struct is_stack : std::false_type {};
template <class E>
struct is_stack<transforms::Stack<E>> : std::true_type {};

}  // namespace detail

/// What `dataset` gives, changed by `transform`.
template <class Source, class AppliedTransform>
class MapDataset
    : public BatchDataset<
          MapDataset<Source, AppliedTransform>,
          detail::optional_if_t<Source::is_stateful, typename AppliedTransform::OutputBatchType>,
          typename Source::BatchRequestType> {
 public:
  using DatasetType = Source;                                  ///< the source
  using TransformType = AppliedTransform;                      ///< what is applied
  using BatchRequestType = typename Source::BatchRequestType;  ///< what the source takes
  /// What the transform gives; of a stateful source an optional of it.
  using OutputBatchType =
      detail::optional_if_t<Source::is_stateful, typename AppliedTransform::OutputBatchType>;

  /// Keeps both by value: each worker of a loader has copies, unless the source is stateful.
  MapDataset(Source dataset, AppliedTransform transform)
      : dataset_(std::move(dataset)), transform_(std::move(transform)) {}

  /// transform.apply_batch() of the source's batch; nullopt where a stateful source has none left.
  /// Where the transform is Stack and the source has get_stacked(), that.
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

  /// The transformed examples stacked; there is one where the source has it and the transform is
  /// Normalize.
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
    // Mean and deviation are [C, 1, 1]: they broadcast against each example, not against the batch.
    while (batch.data.dim() < 4) batch.data = batch.data.unsqueeze(1);
    batch.data = transform_(std::move(batch.data));
    return batch;
  }

  optional<size_t> size() const override { return dataset_.size(); }
  /// For stateful data sets: starts an epoch.
  void reset() { dataset_.reset(); }
  const Source& dataset() noexcept { return dataset_; }                ///< the source, kept here
  const AppliedTransform& transform() noexcept { return transform_; }  ///< the transform, kept here

 private:
  Source dataset_;
  AppliedTransform transform_;
};

/// `dataset` with `transform` applied to what it gives; both are taken over. Does not compile where
/// the transform takes other batches than the data set gives.
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
