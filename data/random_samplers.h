// Samplers that draw indices: with replacement, from a list, by weight, or for one of several
// ranks. They return the indices that PyTorch's Python classes return.
#pragma once

#include <vector>

#include <taper/data/sampler.h>
#include <taper/framework/random/generator.h>

#pragma GCC visibility push(default)

namespace torch::taper::data::samplers {

/// The base class of samplers that draw all indices of an epoch at its start. A subclass calls
/// reset() at the end of its constructor.
class DrawnSampler : public Sampler<> {
 public:
  void reset(optional<size_t> new_size = nullopt) override;
  optional<std::vector<size_t>> next(size_t batch_size) override;
  /// Writes the indices of the epoch and the position among them.
  void save(serialize::OutputArchive& archive) const override;
  /// Restores the output of save(). Throws Error for negative indices, and for a position out of
  /// range.
  void load(serialize::InputArchive& archive) override;
  /// Returns how many indices next() has returned in this epoch.
  size_t index() const noexcept { return index_; }

 protected:
  /// Draws the indices of an epoch. `new_size` is the new size of the data set, if it changed.
  virtual std::vector<size_t> draw(optional<size_t> new_size) = 0;

 private:
  std::vector<size_t> indices_;
  size_t index_ = 0;
};

/// Draws `num_samples` indices with replacement, like PyTorch's RandomSampler(data,
/// replacement=True). The default of `num_samples` is the size of the data set. If no generator is
/// given, each epoch uses a new generator, seeded by the default generator, as in PyTorch. Throws
/// ValueError if `num_samples` is 0 or the data set is empty.
class ReplacementSampler : public DrawnSampler {
 public:
  /// Takes the size of the data set, and draws the first epoch.
  explicit ReplacementSampler(size_t size, optional<size_t> num_samples = nullopt,
                              optional<Generator> generator = nullopt);

 protected:
  std::vector<size_t> draw(optional<size_t> new_size) override;

 private:
  size_t size_;
  optional<size_t> num_samples_;
  optional<Generator> generator_;
};

/// Returns the given indices, each once, in random order.
class SubsetRandomSampler : public DrawnSampler {
 public:
  /// Draws the order of the first epoch, with `generator` or the default generator.
  explicit SubsetRandomSampler(std::vector<size_t> indices,
                               optional<Generator> generator = nullopt);

 protected:
  std::vector<size_t> draw(optional<size_t> new_size) override;

 private:
  std::vector<size_t> all_;
  optional<Generator> generator_;
};

/// Draws `num_samples` indices, each with a probability proportional to its weight. Without
/// replacement, no index occurs twice. Throws ValueError if `num_samples` is 0. Throws Error for
/// weights that are negative, not finite or all zero. Without replacement, it also throws Error for
/// fewer weights than samples.
class WeightedRandomSampler : public DrawnSampler {
 public:
  /// Draws the first epoch, with `generator` or the default generator. The weights need not sum to
  /// 1.
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

/// Returns the indices of one rank, like PyTorch's DistributedSampler: every num_replicas-th index,
/// starting at number `rank`. With `shuffle`, each epoch has a new order of indices, which is equal
/// on all ranks. Otherwise, the order is 0, 1, 2, ... All ranks get equally many indices. For this,
/// the first indices are repeated, or with `drop_last`, the last indices are left out. (LibTorch's
/// DistributedRandomSampler draws other numbers.) Throws ValueError unless rank is below
/// num_replicas.
class DistributedDrawnSampler : public DrawnSampler {
 public:
  /// Takes the size of the data set, and draws the first epoch.
  DistributedDrawnSampler(size_t size, size_t num_replicas, size_t rank, bool shuffle = true,
                          uint64_t seed = 0, bool drop_last = false);
  /// Sets the number of the epoch, which is added to the seed. Call it before reset().
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
