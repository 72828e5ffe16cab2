// Data sets: where examples come from.
#pragma once

#include <vector>

#include <taper/data/example.h>

#pragma GCC visibility push(default)

namespace torch::taper::data::datasets {

template <class Source, class Transform>
class MapDataset;
template <class Source, class Transform>
MapDataset<Source, Transform> map(Source dataset, Transform transform);

namespace detail {
template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<optional<T>> : std::true_type {};
}  // namespace detail

/// A data set that gives whole batches. `Self` is the class that derives from it. Where Batch is an
/// optional the data set is stateful: it is shared by the workers of a DataLoader, decides itself
/// what comes next, and ends an epoch with nullopt.
///
/// A data set in memory can also have a method
///
///     Example<> get_stacked(ArrayRef<size_t> indices);      // or any other example type
///
/// that gives the examples stacked along a new first dimension. Stack, also behind Normalize, then
/// calls it in place of get_batch: one copy for the whole batch.
template <class Self, class Batch = std::vector<Example<>>, class BatchRequest = ArrayRef<size_t>>
class BatchDataset {
 public:
  using SelfType = Self;                  ///< the class that derives from this one
  using BatchType = Batch;                ///< what get_batch() gives
  using BatchRequestType = BatchRequest;  ///< what get_batch() takes
  /// Whether Batch is an optional: then the workers of a loader share the data set.
  static constexpr bool is_stateful = detail::is_optional<BatchType>::value;

  virtual ~BatchDataset() = default;
  /// The batch that is asked for: for a list of indices these examples, in this order; for a number
  /// that many. Called by the threads of a loader: each has a data set of its own, unless it is
  /// stateful or shared.
  virtual Batch get_batch(BatchRequest request) = 0;
  /// The number of examples, if there is one.
  virtual optional<size_t> size() const = 0;

  /// This data set with a transform applied to what it gives.
  template <class Transform>
  MapDataset<Self, Transform> map(Transform transform) & {
    return datasets::map(static_cast<Self&>(*this), std::move(transform));
  }
  /// The same for a temporary, which is moved in; the other form copies.
  template <class Transform>
  MapDataset<Self, Transform> map(Transform transform) && {
    return datasets::map(std::move(static_cast<Self&>(*this)), std::move(transform));
  }
};

/// A data set that gives single examples by their index.
template <class Self, class SingleExample = Example<>>
class Dataset : public BatchDataset<Self, std::vector<SingleExample>> {
 public:
  using ExampleType = SingleExample;  ///< what get() gives

  /// The example of that number, from 0 to size() - 1.
  virtual ExampleType get(size_t index) = 0;
  /// get() of each index, in this order.
  std::vector<ExampleType> get_batch(ArrayRef<size_t> indices) override {
    std::vector<ExampleType> batch;
    batch.reserve(indices.size());
    for (size_t i : indices) batch.push_back(get(i));
    return batch;
  }
};

/// A data set that is asked for a number of examples, not for indices.
template <class Self, class Batch = std::vector<Example<>>>
using StreamDataset = BatchDataset<Self, Batch, size_t>;

}  // namespace torch::taper::data::datasets

namespace torch::taper {
namespace serialize {
class OutputArchive;
class InputArchive;
}  // namespace serialize

namespace data::datasets {

/// A data set that keeps its own place; one object serves all workers, so get_batch must be safe to
/// call from several threads.
template <class Self, class Batch = std::vector<Example<>>, class BatchRequest = size_t>
class StatefulDataset : public BatchDataset<Self, optional<Batch>, BatchRequest> {
 public:
  /// Called at the start of an epoch.
  virtual void reset() = 0;
  /// Writes the place in the epoch.
  virtual void save(serialize::OutputArchive& archive) const = 0;
  /// Takes up the place that save() wrote.
  virtual void load(serialize::InputArchive& archive) = 0;
};

/// dataset.save(archive). Returns the archive.
template <class... Args>
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive,
                                     const StatefulDataset<Args...>& dataset) {
  dataset.save(archive);
  return archive;
}
/// dataset.load(archive). Returns the archive.
template <class... Args>
serialize::InputArchive& operator>>(serialize::InputArchive& archive,
                                    StatefulDataset<Args...>& dataset) {
  dataset.load(archive);
  return archive;
}

}  // namespace data::datasets

// The short names that programs use beside the long ones.
namespace data {
using datasets::BatchDataset;
using datasets::Dataset;
}  // namespace data
}  // namespace torch::taper

#pragma GCC visibility pop
