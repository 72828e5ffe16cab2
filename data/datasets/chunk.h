// ChunkDataset: a data set whose threads read chunks of examples.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <iterator>
#include <mutex>
#include <thread>

#include <taper/data/dataset.h>
#include <taper/data/sampler.h>
#include <taper/framework/core/arg.h>

#pragma GCC visibility push(default)

namespace torch::taper::data::datasets {

/// The base class of readers of chunks. A chunk is a file, or a part of a file. With several
/// preloaders, several threads call read_chunk at once.
template <class Example_, class Chunk_ = std::vector<Example_>>
class ChunkDataReader {
 public:
  using ExampleType = Example_;  ///< one example
  using ChunkType = Chunk_;      ///< returned by read_chunk(): a container of examples
  using BatchType = Chunk_;      ///< returned by the data set: a container like a chunk
  virtual ~ChunkDataReader() = default;
  /// Returns the examples of chunk `chunk_index`, a number from 0 to chunk_count() - 1. If
  /// read_chunk throws, the data set throws this exception instead of returning a batch. The data
  /// set still reads the other chunks.
  virtual ChunkType read_chunk(size_t chunk_index) = 0;
  /// Returns the number of chunks. The data set calls it at the start of an epoch.
  virtual size_t chunk_count() = 0;
  /// Runs at the start of an epoch.
  virtual void reset() = 0;
};

/// Configures ChunkDataset.
struct ChunkDatasetOptions {
  /// Sets the options, which the members describe. Throws Error for an option of 0, and for a
  /// cache_size below batch_size.
  ChunkDatasetOptions(size_t preloader_count, size_t batch_size, size_t cache_size = 2048,
                      size_t cross_chunk_shuffle_count = 1);
  /// The number of threads that read chunks.
  TAPER_ARG(size_t, preloader_count);
  /// The size of every batch except the last.
  TAPER_ARG(size_t, batch_size);
  /// The number of cached examples at which reading pauses.
  TAPER_ARG(size_t, cache_size);
  /// The number of chunks that are shuffled together.
  TAPER_ARG(size_t, cross_chunk_shuffle_count);
};

namespace detail {

/// Buffers examples between the threads that read and the thread that takes batches.
template <class Batch, class ExampleSampler>
class ChunkBuffer {
 public:
  ChunkBuffer(const ChunkDatasetOptions& options, ExampleSampler& sampler)
      : batch_size_(options.batch_size()), capacity_(options.cache_size()), sampler_(sampler) {}

  /// Waits for the next batch and returns it. Returns nullopt at the end of the epoch. If there is
  /// an exception from add_error(), throws it instead.
  optional<Batch> take() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock,
                  [this] { return ended_ || !errors_.empty() || examples_.size() >= batch_size_; });
    if (!errors_.empty()) {
      const std::exception_ptr error = errors_.front();
      errors_.pop_front();
      std::rethrow_exception(error);
    }
    if (examples_.empty()) return nullopt;
    const size_t count = std::min(batch_size_, examples_.size());
    const auto end = examples_.begin() + static_cast<std::ptrdiff_t>(count);
    Batch batch;
    std::move(examples_.begin(), end, std::back_inserter(batch));
    examples_.erase(examples_.begin(), end);
    lock.unlock();
    changed_.notify_all();
    return batch;
  }

  /// Waits for room, and then adds the examples of a chunk in the order of the sampler.
  void add(Batch chunk) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return ended_ || examples_.size() < capacity_; });
    if (ended_) return;
    sampler_.reset(chunk.size());
    while (auto indices = sampler_.next(batch_size_))
      for (size_t i : *indices) {
        TAPER_CHECK(i < chunk.size(), "Index out of range");
        examples_.push_back(std::move(chunk[i]));
      }
    lock.unlock();
    changed_.notify_all();
  }
  void add_error(std::exception_ptr error) {
    const std::lock_guard<std::mutex> lock(mutex_);
    errors_.push_back(std::move(error));
    changed_.notify_all();
  }
  /// Ends the epoch, because all chunks are read or because no more are needed.
  void end() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

 private:
  const size_t batch_size_, capacity_;
  ExampleSampler& sampler_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<typename Batch::value_type> examples_;
  std::deque<std::exception_ptr> errors_;
  bool ended_ = false;
};

}  // namespace detail

/// Reads the chunks of a reader, as a stateful data set. Pass it to a DataLoader with
/// make_shared_dataset.
///
/// The chunk sampler chooses the order of the chunks. The example sampler chooses the order of the
/// examples in each chunk, or in several chunks (see cross_chunk_shuffle_count). `preprocessing`
/// may change the examples before the example sampler runs. A batch may contain examples of several
/// chunks. Call reset() before the first batch of an epoch, as a DataLoader does. With one
/// preloader, the order depends only on the samplers.
template <class ChunkReader, class ChunkSampler = samplers::RandomSampler,
          class ExampleSampler = samplers::RandomSampler>
class ChunkDataset final
    : public StatefulDataset<ChunkDataset<ChunkReader, ChunkSampler, ExampleSampler>,
                             typename ChunkReader::BatchType, size_t> {
 public:
  using UnwrappedBatchType = typename ChunkReader::BatchType;  ///< a batch
  using BatchType = optional<UnwrappedBatchType>;  ///< a batch, or nullopt at the end of the epoch
  using BatchRequestType = size_t;                 ///< the number of examples
  using ChunkSamplerType = ChunkSampler;           ///< chooses the order of chunks
  using ExampleSamplerType = ExampleSampler;       ///< orders the examples of a chunk
  /// A function that changes the examples of a chunk in-place, or of the chunks that are shuffled
  /// together. It runs on the thread that has read the examples.
  using Preprocessing = std::function<void(UnwrappedBatchType&)>;

  /// Stores the arguments. Nothing is read before reset().
  ChunkDataset(ChunkReader chunk_reader, ChunkSampler chunk_sampler, ExampleSampler example_sampler,
               ChunkDatasetOptions options, Preprocessing preprocessing = Preprocessing())
      : reader_(std::move(chunk_reader)),
        chunk_sampler_(std::move(chunk_sampler)),
        example_sampler_(std::move(example_sampler)),
        options_(std::move(options)),
        preprocessing_(std::move(preprocessing)) {}
  ~ChunkDataset() override { stop(); }

  /// Returns the next batch. Throws Error before the first reset(), and if `batch_size` is not the
  /// batch_size of the options.
  BatchType get_batch(size_t batch_size) override {
    TAPER_CHECK(buffer_, "Dataset needs to call reset() before calling get_batch().");
    TAPER_CHECK(batch_size == options_.batch_size(),
                "The requested batch size does not match with the initialized batch size.\n The "
                "requested batch size is ",
                batch_size, ", while the dataset is created with batch size equal to ",
                options_.batch_size());
    return buffer_->take();
  }
  /// Returns the next batch, with the size of the options.
  BatchType get_batch() { return get_batch(options_.batch_size()); }

  /// Starts an epoch. After load(), the epoch continues from the loaded position.
  void reset() override {
    stop();
    if (!loaded_) {
      reader_.reset();
      chunk_sampler_.reset(reader_.chunk_count());
    }
    loaded_ = false;
    buffer_ = std::make_unique<Buffer>(options_, example_sampler_);
    running_ = options_.preloader_count();
    for (size_t i = 0; i < options_.preloader_count(); ++i)
      threads_.emplace_back([this] { read_chunks(); });
  }

  optional<size_t> size() const override { return nullopt; }
  /// Returns the chunk sampler, for example to set the epoch of a distributed sampler. Do not
  /// change the sampler in the middle of an epoch, because the reading threads use it.
  ChunkSampler& chunk_sampler() { return chunk_sampler_; }

  /// Writes the position of the chunk sampler. Chunks that were already read are not read again
  /// after load(), even if their examples were not returned yet.
  void save(serialize::OutputArchive& archive) const override {
    const std::lock_guard<std::mutex> lock(sampler_mutex_);
    chunk_sampler_.save(archive);
  }
  /// Restores the position that save() wrote. The next reset() starts there.
  void load(serialize::InputArchive& archive) override {
    const std::lock_guard<std::mutex> lock(sampler_mutex_);
    chunk_sampler_.load(archive);
    loaded_ = true;
  }

 private:
  using Buffer = detail::ChunkBuffer<UnwrappedBatchType, ExampleSampler>;

  optional<std::vector<size_t>> next_chunks() {
    const std::lock_guard<std::mutex> lock(sampler_mutex_);
    return chunk_sampler_.next(options_.cross_chunk_shuffle_count());
  }

  UnwrappedBatchType read(const std::vector<size_t>& chunks) {
    UnwrappedBatchType data = reader_.read_chunk(chunks[0]);
    for (size_t i = 1; i < chunks.size(); ++i) {
      UnwrappedBatchType more = reader_.read_chunk(chunks[i]);
      std::move(more.begin(), more.end(), std::back_inserter(data));
    }
    if (preprocessing_) preprocessing_(data);
    return data;
  }

  /// Reads chunks, on the thread of a preloader.
  void read_chunks() {
    for (bool goes_on = true; goes_on && !stopping_;) {
      // After an exception of the sampler, stop: it would throw again. After one of a chunk, go on.
      goes_on = false;
      try {
        const optional<std::vector<size_t>> chunks = next_chunks();
        if (!chunks) break;
        goes_on = true;
        UnwrappedBatchType data = read(*chunks);
        if (!data.empty()) buffer_->add(std::move(data));
      } catch (...) {
        buffer_->add_error(std::current_exception());
      }
    }
    if (--running_ == 0) buffer_->end();
  }

  void stop() {
    stopping_ = true;
    if (buffer_) buffer_->end();
    for (std::thread& t : threads_) t.join();
    threads_.clear();
    stopping_ = false;
  }

  ChunkReader reader_;
  ChunkSampler chunk_sampler_;
  ExampleSampler example_sampler_;
  const ChunkDatasetOptions options_;
  const Preprocessing preprocessing_;
  std::unique_ptr<Buffer> buffer_;
  std::vector<std::thread> threads_;
  std::atomic<bool> stopping_{false};
  std::atomic<size_t> running_{0};
  mutable std::mutex sampler_mutex_;
  bool loaded_ = false;
};

}  // namespace torch::taper::data::datasets

#pragma GCC visibility pop
