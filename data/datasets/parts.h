// Data sets made of other data sets: subsets and concatenations.
#pragma once

#include <algorithm>
#include <array>

#include <taper/data/map.h>
#include <taper/framework/random/generator.h>

#pragma GCC visibility push(default)

namespace torch::taper::data::datasets {

/// Selects examples of a data set by a list of indices. Throws IndexError for an index that the
/// data set does not have.
template <class Source>
class Subset : public BatchDataset<Subset<Source>, typename Source::BatchType> {
 public:
  using BatchType = typename Source::BatchType;  ///< the batches of the source

  /// Maps example i to example indices[i] of `dataset`, which is kept by value.
  Subset(Source dataset, std::vector<size_t> indices)
      : dataset_(std::move(dataset)), indices_(std::move(indices)) {
    const optional<size_t> count = dataset_.size();
    for (size_t i : indices_)
      TAPER_CHECK_INDEX(!count || i < *count, "Subset: expected an index below ", count.value_or(0),
                        ", got ", i);
  }

  /// Returns the batch of the source for the mapped indices.
  BatchType get_batch(ArrayRef<size_t> request) override {
    return dataset_.get_batch(translated(request));
  }
  /// Returns the stacked examples of the source. Exists if the source has get_stacked().
  template <class D = Source, std::enable_if_t<detail::is_stacked<D>::value, int> = 0>
  auto get_stacked(ArrayRef<size_t> request) {
    return dataset_.get_stacked(translated(request));
  }
  /// Returns the stacked and normalized examples of the source: each value x becomes (x - mean) /
  /// stddev.
  template <class D = Source, std::enable_if_t<detail::normalizes<D>::value, int> = 0>
  auto get_stacked(ArrayRef<size_t> request, float mean, float stddev) {
    return dataset_.get_stacked(translated(request), mean, stddev);
  }
  optional<size_t> size() const override { return indices_.size(); }
  /// Returns the index of each example in the source. The reference is valid while this object
  /// exists.
  const std::vector<size_t>& indices() const { return indices_; }
  /// Returns the source, which this object stores.
  const Source& dataset() const { return dataset_; }

 private:
  std::vector<size_t> translated(ArrayRef<size_t> request) const {
    std::vector<size_t> result;
    for (size_t i : request) {
      TAPER_CHECK_INDEX(i < indices_.size(), "Subset: expected an index below ", indices_.size(),
                        ", got ", i);
      result.push_back(indices_[i]);
    }
    return result;
  }

  Source dataset_;
  std::vector<size_t> indices_;
};

/// Concatenates data sets of one type. Throws Error unless all have a size.
template <class Source>
class ConcatDataset : public BatchDataset<ConcatDataset<Source>, typename Source::BatchType> {
 public:
  using BatchType = typename Source::BatchType;  ///< the batches of the sources

  /// Takes the data sets. The first indices belong to the first data set, and so on. Throws Error
  /// if one has no size.
  explicit ConcatDataset(std::vector<Source> datasets) : datasets_(std::move(datasets)) {
    size_t end = 0;
    for (const Source& d : datasets_) {
      const optional<size_t> count = d.size();
      TAPER_CHECK(count.has_value(), "ConcatDataset: expected data sets of known sizes");
      ends_.push_back(end += *count);
    }
  }

  /// Returns the examples in the order of the request. Consecutive indices of the request that
  /// belong to one data set are one request to this data set.
  BatchType get_batch(ArrayRef<size_t> request) override {
    BatchType batch;
    for (size_t i = 0; i < request.size();) {
      const size_t part = part_of(request[i]);
      std::vector<size_t> local;
      for (; i < request.size() && part_of(request[i]) == part; ++i)
        local.push_back(request[i] - (part == 0 ? 0 : ends_[part - 1]));
      BatchType some = datasets_[part].get_batch(local);
      std::move(some.begin(), some.end(), std::back_inserter(batch));
    }
    return batch;
  }
  optional<size_t> size() const override { return ends_.empty() ? 0 : ends_.back(); }

 private:
  size_t part_of(size_t index) const {
    TAPER_CHECK_INDEX(index < *size(), "ConcatDataset: expected an index below ", *size(), ", got ",
                      index);
    return static_cast<size_t>(std::upper_bound(ends_.begin(), ends_.end(), index) - ends_.begin());
  }

  std::vector<Source> datasets_;
  std::vector<size_t> ends_;
};

namespace detail {
/// Shuffles the indices from 0 to the sum of `lengths` - 1, and divides them into parts of these
/// lengths.
std::vector<std::vector<size_t>> random_parts(size_t count, const std::vector<size_t>& lengths,
                                              const optional<Generator>& generator);
/// Converts fractions to lengths like PyTorch: rounds each length down, and then adds 1 to the
/// first lengths until the sum is `count`.
std::vector<size_t> lengths_of(size_t count, const std::vector<double>& fractions);
/// Returns the lengths of `n` parts. If T is floating, `parts` are fractions. Otherwise, `parts`
/// are lengths.
template <class T>
std::vector<size_t> lengths_in(size_t count, const T* parts, size_t n) {
  if constexpr (std::is_floating_point<T>::value)
    return lengths_of(count, std::vector<double>(parts, parts + n));
  for (size_t i = 0; i < n; ++i)
    TAPER_CHECK_VALUE(parts[i] >= T(0), "random_split: expected lengths of at least 0, got ",
                      parts[i]);
  return std::vector<size_t>(parts, parts + n);
}
template <class T, size_t... I>
std::array<T, sizeof...(I)> as_array(std::vector<T>&& list, std::index_sequence<I...>) {
  return {{std::move(list[I])...}};
}
}  // namespace detail

/// Splits a data set at random into parts of these lengths, with the random numbers of PyTorch.
/// Throws ValueError unless the lengths sum to the size of the data set.
template <class Source>
std::vector<Subset<Source>> random_split(const Source& dataset, const std::vector<size_t>& lengths,
                                         const optional<Generator>& generator = nullopt) {
  std::vector<Subset<Source>> parts;
  const size_t count = dataset.size().value_or(0);
  for (std::vector<size_t>& indices : detail::random_parts(count, lengths, generator))
    parts.emplace_back(dataset, std::move(indices));
  return parts;
}
/// Splits a data set at random into lengths or fractions in braces. Throws ValueError unless the
/// lengths sum to the size of the data set, or the fractions sum to 1.
///
///     auto [train, test] = random_split(set, {0.8, 0.2});
template <class Source, class T, size_t N, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0>
std::array<Subset<Source>, N> random_split(const Source& dataset, const T (&parts)[N],
                                           const optional<Generator>& generator = nullopt) {
  const std::vector<size_t> lengths = detail::lengths_in(dataset.size().value_or(0), parts, N);
  return detail::as_array(random_split(dataset, lengths, generator), std::make_index_sequence<N>());
}
/// Splits a data set at random into these fractions. Throws ValueError unless they sum to 1.
template <class Source>
std::vector<Subset<Source>> random_split_fractions(const Source& dataset,
                                                   const std::vector<double>& fractions,
                                                   const optional<Generator>& generator = nullopt) {
  return random_split(dataset, detail::lengths_of(dataset.size().value_or(0), fractions),
                      generator);
}

}  // namespace torch::taper::data::datasets

namespace torch::taper::data {
using datasets::random_split;
using datasets::random_split_fractions;
}  // namespace torch::taper::data

#pragma GCC visibility pop
