// Data sets: the sources of examples.
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

/// The base class of data sets that return whole batches. `Self` is the derived class. If Batch is
/// an optional, the data set is stateful: the workers of a DataLoader share the data set, and it
/// chooses the next examples. Then nullopt ends the epoch.
///
/// A data set in memory can also have a method
///
///     Example<> get_stacked(ArrayRef<size_t> indices);      // or any other example type
///
/// that returns the examples stacked along a new first dimension. The transform Stack then calls
/// get_stacked instead of get_batch, also if Normalize comes before Stack. The batch is copied only
/// once.
template <class Self, class Batch = std::vector<Example<>>, class BatchRequest = ArrayRef<size_t>>
class BatchDataset {
 public:
  using SelfType = Self;                  ///< the derived class
  using BatchType = Batch;                ///< returned by get_batch()
  using BatchRequestType = BatchRequest;  ///< taken by get_batch()
  /// Whether Batch is an optional. If true, the workers of a loader share the data set.
  static constexpr bool is_stateful = detail::is_optional<BatchType>::value;

  virtual ~BatchDataset() = default;
  /// Returns the requested batch. A list of indices requests the examples at these indices, in this
  /// order. A number requests that many examples. The threads of a loader call get_batch(). Each
  /// thread has a copy of the data set, unless the data set is stateful or shared.
  virtual Batch get_batch(BatchRequest request) = 0;
  /// Returns the number of examples, or nullopt if it is unknown.
  virtual optional<size_t> size() const = 0;

  /// Returns a copy of this data set whose batches are transformed.
  template <class Transform>
  MapDataset<Self, Transform> map(Transform transform) & {
    return datasets::map(static_cast<Self&>(*this), std::move(transform));
  }
  /// Moves this temporary data set into a data set whose batches are transformed.
  template <class Transform>
  MapDataset<Self, Transform> map(Transform transform) && {
    return datasets::map(std::move(static_cast<Self&>(*this)), std::move(transform));
  }
};

/// The base class of data sets that return single examples by index.
template <class Self, class SingleExample = Example<>>
class Dataset : public BatchDataset<Self, std::vector<SingleExample>> {
 public:
  using ExampleType = SingleExample;  ///< returned by get()

  /// Returns the example at `index`, from 0 to size() - 1.
  virtual ExampleType get(size_t index) = 0;
  /// Returns get() of each index, in order.
  std::vector<ExampleType> get_batch(ArrayRef<size_t> indices) override {
    std::vector<ExampleType> batch;
    batch.reserve(indices.size());
    for (size_t i : indices) batch.push_back(get(i));
    return batch;
  }
};

/// The base class of data sets whose requests are numbers of examples, not indices.
template <class Self, class Batch = std::vector<Example<>>>
using StreamDataset = BatchDataset<Self, Batch, size_t>;

}  // namespace torch::taper::data::datasets

namespace torch::taper {
namespace serialize {
class OutputArchive;
class InputArchive;
}  // namespace serialize

namespace data::datasets {

/// The base class of data sets that keep their position in the epoch. All workers share one object,
/// so get_batch must be thread-safe.
template <class Self, class Batch = std::vector<Example<>>, class BatchRequest = size_t>
class StatefulDataset : public BatchDataset<Self, optional<Batch>, BatchRequest> {
 public:
  /// Starts an epoch.
  virtual void reset() = 0;
  /// Writes the position in the epoch.
  virtual void save(serialize::OutputArchive& archive) const = 0;
  /// Restores the position that save() wrote.
  virtual void load(serialize::InputArchive& archive) = 0;
};

/// Calls dataset.save(archive) and returns the archive.
template <class... Args>
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive,
                                     const StatefulDataset<Args...>& dataset) {
  dataset.save(archive);
  return archive;
}
/// Calls dataset.load(archive) and returns the archive.
template <class... Args>
serialize::InputArchive& operator>>(serialize::InputArchive& archive,
                                    StatefulDataset<Args...>& dataset) {
  dataset.load(archive);
  return archive;
}

}  // namespace data::datasets

// Short aliases that programs written for LibTorch use.
namespace data {
using datasets::BatchDataset;
using datasets::Dataset;
}  // namespace data
}  // namespace torch::taper

#pragma GCC visibility pop
