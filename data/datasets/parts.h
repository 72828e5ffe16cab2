// Data sets made of others: parts, and several behind each other.
#pragma once

#include <algorithm>

#include <taper/data/map.h>
#include <taper/framework/random/generator.h>

#pragma GCC visibility push(default)

namespace torch::taper::data::datasets {

/// Some examples of a data set, in an order of their own. Throws IndexError for an index that the
/// data set does not have.
template <class Source>
class Subset : public BatchDataset<Subset<Source>, typename Source::BatchType> {
 public:
  using BatchType = typename Source::BatchType;  ///< what the source gives

  /// Example i is that of number indices[i] in `dataset`, which is kept by value.
  Subset(Source dataset, std::vector<size_t> indices)
      : dataset_(std::move(dataset)), indices_(std::move(indices)) {
    const optional<size_t> count = dataset_.size();
    for (size_t i : indices_)
      TAPER_CHECK_INDEX(!count || i < *count, "Subset: expected an index below ", count.value_or(0),
                        ", got ", i);
  }

  /// The source's batch of its numbers for these.
  BatchType get_batch(ArrayRef<size_t> request) override {
    return dataset_.get_batch(translated(request));
  }
  /// The same, stacked by the source. There where the source has it.
  template <class D = Source, std::enable_if_t<detail::is_stacked<D>::value, int> = 0>
  auto get_stacked(ArrayRef<size_t> request) {
    return dataset_.get_stacked(translated(request));
  }
  /// The same, normalised too: each value x becomes (x - mean) / stddev.
  template <class D = Source, std::enable_if_t<detail::normalizes<D>::value, int> = 0>
  auto get_stacked(ArrayRef<size_t> request, float mean, float stddev) {
    return dataset_.get_stacked(translated(request), mean, stddev);
  }
  optional<size_t> size() const override { return indices_.size(); }
  /// Each example's number in the source. The reference lives as long as this.
  const std::vector<size_t>& indices() const { return indices_; }
  /// The source, kept in this object.
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

/// Several data sets of one type, one behind the other. Throws unless all have a size.
template <class Source>
class ConcatDataset : public BatchDataset<ConcatDataset<Source>, typename Source::BatchType> {
 public:
  using BatchType = typename Source::BatchType;  ///< what the sources give

  /// The first indices are those of the first data set, and so on. Throws Error for one without a
  /// size.
  explicit ConcatDataset(std::vector<Source> datasets) : datasets_(std::move(datasets)) {
    size_t end = 0;
    for (const Source& d : datasets_) {
      const optional<size_t> count = d.size();
      TAPER_CHECK(count.has_value(), "ConcatDataset: expected data sets of known sizes");
      ends_.push_back(end += *count);
    }
  }

  /// Asks each data set for the neighbours in the request that are its own.
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
/// 0 .. sum of lengths - 1 in a random order, cut into pieces of these lengths.
std::vector<std::vector<size_t>> random_parts(size_t count, const std::vector<size_t>& lengths,
                                              const optional<Generator>& generator);
/// What PyTorch makes of fractions: rounded down, the rest given out one by one from the first.
std::vector<size_t> lengths_of(size_t count, const std::vector<double>& fractions);
}  // namespace detail

/// Splits a data set at random into parts of these lengths, with PyTorch's numbers. Throws
/// ValueError when they do not add up to the size of the data set.
template <class Source>
std::vector<Subset<Source>> random_split(const Source& dataset, const std::vector<size_t>& lengths,
                                         const optional<Generator>& generator = nullopt) {
  std::vector<Subset<Source>> parts;
  const size_t count = dataset.size().value_or(0);
  for (std::vector<size_t>& indices : detail::random_parts(count, lengths, generator))
    parts.emplace_back(dataset, std::move(indices));
  return parts;
}
/// The same for fractions, which add up to 1.
template <class Source>
std::vector<Subset<Source>> random_split_fractions(const Source& dataset,
                                                   const std::vector<double>& fractions,
                                                   const optional<Generator>& generator = nullopt) {
  return random_split(dataset, detail::lengths_of(dataset.size().value_or(0), fractions),
                      generator);
}

}  // namespace torch::taper::data::datasets

#pragma GCC visibility pop
