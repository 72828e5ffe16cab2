// Samplers: which examples make the next batch.
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

/// Gives batch requests until the epoch is over.
template <class BatchRequest = std::vector<size_t>>
class Sampler {
 public:
  using BatchRequestType = BatchRequest;  ///< what next() gives
  virtual ~Sampler() = default;
  /// Starts an epoch, over a data set of another size if one is given.
  virtual void reset(optional<size_t> new_size) = 0;
  /// A request for at most `batch_size` examples; nullopt at the end of the epoch.
  virtual optional<BatchRequest> next(size_t batch_size) = 0;
  /// Writes the place in the epoch.
  virtual void save(serialize::OutputArchive& archive) const = 0;
  /// Takes up the place that save() wrote.
  virtual void load(serialize::InputArchive& archive) = 0;
};

/// 0, 1, 2, ...
class SequentialSampler : public Sampler<> {
 public:
  explicit SequentialSampler(size_t size) : size_(size) {}  ///< of a data set of `size` examples
  void reset(optional<size_t> new_size = nullopt) override;
  optional<std::vector<size_t>> next(size_t batch_size) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
  /// How many were given in this epoch.
  size_t index() const noexcept { return index_; }

 private:
  size_t size_;
  size_t index_ = 0;
};

/// Every index once, in a random order: torch::randperm of the default generator, drawn by the
/// constructor and anew by every reset.
class RandomSampler : public Sampler<> {
 public:
  /// `index_dtype`, kLong or a smaller integer type, is what the order is kept in.
  explicit RandomSampler(int64_t size, Dtype index_dtype = kLong);
  ~RandomSampler() override;
  void reset(optional<size_t> new_size = nullopt) override;
  optional<std::vector<size_t>> next(size_t batch_size) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
  /// How many were given in this epoch.
  size_t index() const noexcept { return static_cast<size_t>(index_); }

 private:
  Tensor indices_;
  int64_t index_ = 0;
};

/// Batches of one size of another sampler's indices, whatever size is asked for. The last batch may
/// be smaller; with `drop_last` it is left out then. Throws ValueError for a batch_size of 0.
template <class Inner = RandomSampler>
class BatchSampler : public Sampler<> {
 public:
  /// Takes `sampler` over; indices in batches of `batch_size`.
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

/// A request that is not a list of indices.
struct CustomBatchRequest {
  virtual ~CustomBatchRequest() = default;
  virtual size_t size() const = 0;  ///< how many examples are asked for
};

/// A number of examples.
struct BatchSize : public CustomBatchRequest {
  explicit BatchSize(size_t size) : size_(size) {}         ///< of that many examples
  size_t size() const noexcept override { return size_; }  ///< how many examples are asked for
  operator size_t() const noexcept { return size_; }       ///< what size() returns
  size_t size_;                                            ///< what size() returns
};

/// For StreamDatasets: asks for `epoch_size` examples in all.
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

/// Splits a data set among `num_replicas` processes, of which this one is number `rank`. With
/// allow_duplicates every one gets as many examples (some twice), else some examples are left out.
template <class BatchRequest = std::vector<size_t>>
class DistributedSampler : public Sampler<BatchRequest> {
 public:
  /// Of a data set of `size` examples. Throws Error unless rank is below num_replicas.
  DistributedSampler(size_t size, size_t num_replicas = 1, size_t rank = 0,
                     bool allow_duplicates = true)
      : size_(size), num_replicas_(num_replicas), rank_(rank), allow_duplicates_(allow_duplicates) {
    TAPER_CHECK(rank < num_replicas, "DistributedSampler: expected a rank below ", num_replicas,
                ", got ", rank);
  }
  /// The epoch's number, which seeds the order: set it before reset().
  void set_epoch(size_t epoch) { epoch_ = epoch; }
  size_t epoch() const { return epoch_; }  ///< as set; 0 at first

 protected:
  /// Each replica's number of examples: size / num_replicas, rounded up with allow_duplicates, else
  /// down.
  size_t local_sample_count() const {
    return (size_ + (allow_duplicates_ ? num_replicas_ - 1 : 0)) / num_replicas_;
  }
  /// The data set's examples, the number of processes, and this one's number among them.
  ///@{
  size_t size_, num_replicas_, rank_;
  ///@}
  size_t epoch_ = 0;       ///< what epoch() returns
  bool allow_duplicates_;  ///< whether parts are filled up, not cut
};

/// What the two below share: this replica's part of a list of indices.
class DistributedListSampler : public DistributedSampler<> {
 public:
  using DistributedSampler<>::DistributedSampler;
  void reset(optional<size_t> new_size = nullopt) override;
  optional<std::vector<size_t>> next(size_t batch_size) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
  /// The place of the next index in the list of all; this part begins at rank * examples of a part.
  size_t index() const noexcept { return sample_index_; }

 protected:
  /// Puts all indices in the order of this epoch.
  virtual void order(std::vector<size_t>& indices) const = 0;

 private:
  size_t begin_index_ = 0, end_index_ = 0, sample_index_ = 0;
  std::vector<size_t> all_indices_;
};

/// Every epoch in a new order, the same on all replicas: std::mt19937 seeded with the epoch.
class DistributedRandomSampler : public DistributedListSampler {
 public:
  /// Starts epoch 0. Throws Error unless rank is below num_replicas.
  DistributedRandomSampler(size_t size, size_t num_replicas = 1, size_t rank = 0,
                           bool allow_duplicates = true);

 protected:
  void order(std::vector<size_t>& indices) const override;
};

/// Every replica a run of neighbours.
class DistributedSequentialSampler : public DistributedListSampler {
 public:
  /// Starts the first epoch. Throws Error unless rank is below num_replicas.
  DistributedSequentialSampler(size_t size, size_t num_replicas = 1, size_t rank = 0,
                               bool allow_duplicates = true);

 protected:
  void order(std::vector<size_t>& indices) const override;
};

/// sampler.save(archive). Returns the archive.
template <class BatchRequest>
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive,
                                     const Sampler<BatchRequest>& sampler) {
  sampler.save(archive);
  return archive;
}
/// sampler.load(archive). Returns the archive.
template <class BatchRequest>
serialize::InputArchive& operator>>(serialize::InputArchive& archive,
                                    Sampler<BatchRequest>& sampler) {
  sampler.load(archive);
  return archive;
}

}  // namespace data::samplers
}  // namespace torch::taper

#pragma GCC visibility pop
