// Samplers: choose the examples of the next batch.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {
namespace serialize {
class OutputArchive;
class InputArchive;
}  // namespace serialize

namespace data::samplers {

/// The base class of samplers. A sampler returns requests for batches until the epoch is over.
template <class BatchRequest = std::vector<size_t>>
class Sampler {
 public:
  using BatchRequestType = BatchRequest;  ///< returned by next()
  virtual ~Sampler() = default;
  /// Starts an epoch. If given, `new_size` is the new size of the data set.
  virtual void reset(optional<size_t> new_size) = 0;
  /// Returns a request for at most `batch_size` examples, or nullopt at the end of the epoch.
  virtual optional<BatchRequest> next(size_t batch_size) = 0;
  /// Writes the position in the epoch.
  virtual void save(serialize::OutputArchive& archive) const = 0;
  /// Restores the position that save() wrote.
  virtual void load(serialize::InputArchive& archive) = 0;
};

/// Returns the indices 0, 1, 2, ...
class SequentialSampler : public Sampler<> {
 public:
  explicit SequentialSampler(size_t size) : size_(size) {}  ///< takes the size of the data set
  void reset(optional<size_t> new_size = nullopt) override;
  optional<std::vector<size_t>> next(size_t batch_size) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
  /// Returns how many indices next() has returned in this epoch.
  size_t index() const noexcept { return index_; }

 private:
  size_t size_;
  size_t index_ = 0;
};

/// Returns every index once, in random order. The constructor and every reset draw torch::randperm
/// from the default generator.
class RandomSampler : public Sampler<> {
 public:
  /// Draws the first epoch. `index_dtype`, kLong or a smaller integer type, is the dtype of the
  /// stored indices.
  explicit RandomSampler(int64_t size, Dtype index_dtype = kLong);
  ~RandomSampler() override;
  void reset(optional<size_t> new_size = nullopt) override;
  optional<std::vector<size_t>> next(size_t batch_size) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
  /// Returns how many indices next() has returned in this epoch.
  size_t index() const noexcept { return static_cast<size_t>(index_); }

 private:
  Tensor indices_;
  int64_t index_ = 0;
};

/// Groups the indices of another sampler into batches of a fixed size. The argument of next() is
/// ignored. The last batch may be smaller. With `drop_last`, an incomplete batch is left out.
/// Throws ValueError for a batch_size of 0.
template <class Inner = RandomSampler>
class BatchSampler : public Sampler<> {
 public:
  /// Takes the inner sampler and the size of the batches.
  BatchSampler(Inner sampler, size_t batch_size, bool drop_last)
      : sampler_(std::move(sampler)), batch_size_(batch_size), drop_last_(drop_last) {
    TAPER_CHECK_VALUE(batch_size > 0, "BatchSampler: expected a batch_size above 0, got 0");
  }
  void reset(optional<size_t> new_size = nullopt) override { sampler_.reset(new_size); }
  optional<std::vector<size_t>> next(size_t = 0) override {
    auto batch = sampler_.next(batch_size_);
    if (batch && drop_last_ && batch->size() < batch_size_) return nullopt;
    return batch;
  }
  void save(serialize::OutputArchive& archive) const override { sampler_.save(archive); }
  void load(serialize::InputArchive& archive) override { sampler_.load(archive); }

 private:
  Inner sampler_;
  size_t batch_size_;
  bool drop_last_;
};

/// The base class of requests that are not lists of indices.
struct CustomBatchRequest {
  virtual ~CustomBatchRequest() = default;
  virtual size_t size() const = 0;  ///< number of requested examples
};

/// Requests a number of examples.
struct BatchSize : public CustomBatchRequest {
  explicit BatchSize(size_t size) : size_(size) {}         ///< requests that many examples
  size_t size() const noexcept override { return size_; }  ///< number of requested examples
  operator size_t() const noexcept { return size_; }       ///< returns size()
  size_t size_;                                            ///< returned by size()
};

/// Requests `epoch_size` examples per epoch from a StreamDataset.
class StreamSampler : public Sampler<BatchSize> {
 public:
  explicit StreamSampler(size_t epoch_size) : epoch_size_(epoch_size) {}  ///< examples in an epoch
  void reset(optional<size_t> new_size = nullopt) override;
  optional<BatchSize> next(size_t batch_size) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;

 private:
  size_t examples_retrieved_so_far_ = 0;
  size_t epoch_size_;
};

/// Splits a data set among `num_replicas` processes, for the process number `rank`. Each process
/// gets the same number of examples. With allow_duplicates, some examples occur twice to make the
/// numbers equal. Otherwise some examples are left out.
template <class BatchRequest = std::vector<size_t>>
class DistributedSampler : public Sampler<BatchRequest> {
 public:
  /// Takes the size of the data set. Throws Error unless rank is below num_replicas.
  DistributedSampler(size_t size, size_t num_replicas = 1, size_t rank = 0,
                     bool allow_duplicates = true)
      : size_(size), num_replicas_(num_replicas), rank_(rank), allow_duplicates_(allow_duplicates) {
    TAPER_CHECK(rank < num_replicas, "DistributedSampler: expected a rank below ", num_replicas,
                ", got ", rank);
  }
  /// Sets the number of the epoch, which seeds the order. Call it before reset().
  void set_epoch(size_t epoch) { epoch_ = epoch; }
  size_t epoch() const { return epoch_; }  ///< returns the epoch, 0 at first

 protected:
  /// Returns the number of examples of each replica, size / num_replicas. It is rounded up with
  /// allow_duplicates, and down otherwise.
  size_t local_sample_count() const {
    return (size_ + (allow_duplicates_ ? num_replicas_ - 1 : 0)) / num_replicas_;
  }
  /// The number of examples of the data set, the number of processes, and the number of this
  /// process.
  ///@{
  size_t size_, num_replicas_, rank_;
  ///@}
  size_t epoch_ = 0;       ///< returned by epoch()
  bool allow_duplicates_;  ///< whether examples may occur twice
};

/// Returns the part of this replica from a list of all indices, for the two samplers below.
class DistributedListSampler : public DistributedSampler<> {
 public:
  using DistributedSampler<>::DistributedSampler;
  void reset(optional<size_t> new_size = nullopt) override;
  optional<std::vector<size_t>> next(size_t batch_size) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
  /// Returns the position of the next index in the list of all indices. The part of this replica
  /// begins at rank times the size of a part.
  size_t index() const noexcept { return sample_index_; }

 protected:
  /// Puts all indices into the order of this epoch.
  virtual void order(std::vector<size_t>& indices) const = 0;

 private:
  size_t begin_index_ = 0, end_index_ = 0, sample_index_ = 0;
  std::vector<size_t> all_indices_;
};

/// Shuffles the indices in each epoch. All replicas use one order, from std::mt19937 seeded with
/// the epoch.
class DistributedRandomSampler : public DistributedListSampler {
 public:
  /// Starts epoch 0. Throws Error unless rank is below num_replicas.
  DistributedRandomSampler(size_t size, size_t num_replicas = 1, size_t rank = 0,
                           bool allow_duplicates = true);

 protected:
  void order(std::vector<size_t>& indices) const override;
};

/// Gives each replica consecutive indices.
class DistributedSequentialSampler : public DistributedListSampler {
 public:
  /// Starts the first epoch. Throws Error unless rank is below num_replicas.
  DistributedSequentialSampler(size_t size, size_t num_replicas = 1, size_t rank = 0,
                               bool allow_duplicates = true);

 protected:
  void order(std::vector<size_t>& indices) const override;
};

/// Calls sampler.save(archive) and returns the archive.
template <class BatchRequest>
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive,
                                     const Sampler<BatchRequest>& sampler) {
  sampler.save(archive);
  return archive;
}
/// Calls sampler.load(archive) and returns the archive.
template <class BatchRequest>
serialize::InputArchive& operator>>(serialize::InputArchive& archive,
                                    Sampler<BatchRequest>& sampler) {
  sampler.load(archive);
  return archive;
}

}  // namespace data::samplers
}  // namespace torch::taper

#pragma GCC visibility pop
