// Samplers that draw: with replacement, from a list, by weight, for one of several ranks. Their
// numbers are those of Python's classes.
#pragma once

#include <vector>

#include <taper/data/sampler.h>
#include <taper/framework/random/generator.h>

#pragma GCC visibility push(default)

namespace torch::taper::data::samplers {

/// Gives the indices that a subclass draws for each epoch. A subclass calls reset() at the end of
/// its constructor.
class DrawnSampler : public Sampler<> {
 public:
  void reset(optional<size_t> new_size = nullopt) override;
  optional<std::vector<size_t>> next(size_t batch_size) override;
  /// Writes the epoch's indices and the place among them.
  void save(serialize::OutputArchive& archive) const override;
  /// Takes up what save() wrote. Throws Error for negative indices and a place that is not among
  /// them.
  void load(serialize::InputArchive& archive) override;
  /// How many were given in this epoch.
  size_t index() const noexcept { return index_; }

 protected:
  /// The indices of an epoch; `new_size` is the new size of the data set, if it has one.
  virtual std::vector<size_t> draw(optional<size_t> new_size) = 0;

 private:
  std::vector<size_t> indices_;
  size_t index_ = 0;
};

/// `num_samples` indices (default: as many as the data set has), each drawn from all: Python's
/// RandomSampler(data, replacement=True). Without a generator each epoch seeds one of its own by
/// the default generator, as in Python. Throws ValueError for no samples, or for an empty data set.
class ReplacementSampler : public DrawnSampler {
 public:
  /// For a data set of `size` examples. Draws the first epoch.
  explicit ReplacementSampler(size_t size, optional<size_t> num_samples = nullopt,
                              optional<Generator> generator = nullopt);

 protected:
  std::vector<size_t> draw(optional<size_t> new_size) override;

 private:
  size_t size_;
  optional<size_t> num_samples_;
  optional<Generator> generator_;
};

/// The given indices, each once, in a random order.
class SubsetRandomSampler : public DrawnSampler {
 public:
  /// Draws the order of the first epoch, with `generator` or else the default one.
  explicit SubsetRandomSampler(std::vector<size_t> indices,
                               optional<Generator> generator = nullopt);

 protected:
  std::vector<size_t> draw(optional<size_t> new_size) override;

 private:
  std::vector<size_t> all_;
  optional<Generator> generator_;
};

/// `num_samples` indices, index i with a probability in proportion to weights[i]. Without
/// replacement none occurs twice. Throws ValueError for no samples, and Error for weights that are
/// negative, not finite, all zero, or fewer than the samples without replacement.
class WeightedRandomSampler : public DrawnSampler {
 public:
  /// The weights need not add up to 1. Draws the first epoch, with `generator` or else the default
  /// one.
  WeightedRandomSampler(std::vector<double> weights, size_t num_samples, bool replacement = true,
                        optional<Generator> generator = nullopt);

 protected:
  std::vector<size_t> draw(optional<size_t> new_size) override;

 private:
  std::vector<double> weights_;
  size_t num_samples_;
  bool replacement_;
  optional<Generator> generator_;
};

/// Python's DistributedSampler: the part of number `rank` of `num_replicas`, every num_replicas-th
/// of all indices. Those are in a new order each epoch, the same on all ranks, or, without
/// `shuffle`, in their own. Every part has as many: the first ones come twice, or, with
/// `drop_last`, the last ones not at all. (LibTorch's DistributedRandomSampler draws other
/// numbers.) Throws ValueError where rank is not below num_replicas.
class DistributedDrawnSampler : public DrawnSampler {
 public:
  /// Of a data set of `size` examples.
  DistributedDrawnSampler(size_t size, size_t num_replicas, size_t rank, bool shuffle = true,
                          uint64_t seed = 0, bool drop_last = false);
  /// The epoch's number, which is added to the seed: set it before reset().
  void set_epoch(size_t epoch) { epoch_ = epoch; }

 protected:
  std::vector<size_t> draw(optional<size_t> new_size) override;

 private:
  size_t size_, num_replicas_, rank_, epoch_ = 0;
  uint64_t seed_;
  bool shuffle_, drop_last_;
};

}  // namespace torch::taper::data::samplers

#pragma GCC visibility pop
