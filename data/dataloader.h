// DataLoader: iterates over batches of a data set, one epoch after another. Worker threads can
// prefetch the batches.
//
//   auto loader = make_data_loader(std::move(dataset), DataLoaderOptions(64).workers(2));
//   for (int epoch = 0; epoch < 10; ++epoch)
//     for (auto& batch : *loader) step(batch.data, batch.target);
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <taper/data/dataloader_options.h>
#include <taper/data/iterator.h>
#include <taper/data/map.h>
#include <taper/data/nested.h>
#include <taper/data/pipeline.h>
#include <taper/data/sampler.h>
#include <taper/framework/debug/run_observer.h>
#include <taper/framework/memory/pinned.h>

#pragma GCC visibility push(default)

namespace torch::taper::data {

/// Wraps an exception that the data set threw in a worker. The iterator throws the WorkerException.
/// Without workers, the iterator throws the original exception.
struct WorkerException : public std::exception {
  /// Stores the exception of the worker. If it is a std::exception, its what() ends the message.
  explicit WorkerException(std::exception_ptr original);
  /// Returns "Caught exception in DataLoader worker thread. Original message: ...". The text is
  /// valid while this object exists.
  const char* what() const noexcept override { return message.c_str(); }
  /// the exception of the worker. Rethrow it to get its type
  std::exception_ptr original_exception;
  std::string message;  ///< returned by what()
};

namespace detail {
/// Marks a loader as in use by a thread. Throws Error if another thread already uses it.
class InLoader {
 public:
  explicit InLoader(std::atomic<bool>& taken) : taken_(taken) {
    TAPER_CHECK(!taken.exchange(true, std::memory_order_acquire),
                "DataLoader: expected one thread at a time, got a call while another one goes on");
  }
  InLoader(const InLoader&) = delete;
  InLoader& operator=(const InLoader&) = delete;
  ~InLoader() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool>& taken_;
};
}  // namespace detail

/// The base class of the loaders. Only one thread at a time may use a loader and its iterators.
/// begin() starts an epoch. If all iterators of the previous epoch are destroyed, begin() drops the
/// rest of that epoch. The loader must outlive its iterators.
template <class Dataset, class Batch, class BatchRequest>
class DataLoaderBase {
 public:
  using BatchType = Batch;                ///< the batches of an iterator
  using BatchRequestType = BatchRequest;  ///< the requests to the data set

  DataLoaderBase(const DataLoaderBase&) = delete;
  DataLoaderBase& operator=(const DataLoaderBase&) = delete;
  virtual ~DataLoaderBase() { join(); }

  /// Starts an epoch. If the data set throws an exception for a batch, the iterator throws this
  /// exception instead of returning the batch. With workers, the iterator throws a WorkerException.
  /// Later batches are still available. With workers, begin() throws Error while workers make
  /// batches for another iterator. Without workers, all iterators take the next batch of the newest
  /// epoch.
  Iterator<Batch> begin() {
    const detail::InLoader here(taken_);
    TAPER_CHECK(!joined_, "DataLoader: expected to be used before join(), got begin() after it");
    TAPER_CHECK(!pipeline_ || in_use_.expired() || pipeline_->in_flight() == 0,
                "DataLoader: Attempted to get a new DataLoader iterator while another iterator is "
                "not yet exhausted; let that one go out of scope first");
    if (pipeline_) pipeline_->drain();
    reset();
    if (pipeline_) pipeline_->begin_epoch();
    requests_left_ = true;
    fill();
    auto epoch = std::make_unique<Epoch>(*this);
    in_use_ = epoch->in_use;
    return Iterator<Batch>(std::move(epoch));
  }
  /// Returns the end iterator, which equals an iterator whose epoch is over.
  Iterator<Batch> end() { return {}; }

  /// Joins the worker threads, like the destructor. Afterwards you cannot use the loader.
  void join() {
    if (pipeline_) pipeline_->join();
    joined_ = true;
  }
  /// Returns the options with all defaults filled in. The reference is valid while the loader
  /// exists.
  const FullDataLoaderOptions& options() const noexcept { return options_; }

 protected:
  /// Throws Error if batch_size is 0, or if both max_jobs and prefetch_factor are set. Also throws
  /// Error if prefetch_factor is 0 or is set without workers, or if max_jobs is 0 with workers.
  DataLoaderBase(const DataLoaderOptions& options) : options_(options) {
    TAPER_CHECK(options_.batch_size > 0, "DataLoader: expected a batch_size of at least 1, got 0");
    detail::check_jobs(options);
    max_tasks_ = options.max_jobs() || options.prefetch_factor() ? options_.max_jobs : 0;
    pins_ = options_.pin_memory && taper::detail::can_pin_memory();
  }

  /// Starts the workers. `datasets` has one data set per worker, or a single data set that all
  /// workers share. Without workers, the calling thread uses the single data set.
  void start(std::vector<std::unique_ptr<Dataset>> datasets) {
    datasets_ = std::move(datasets);
    if (options_.workers > 0)
      pipeline_.reset(
          new detail::Pipeline(options_.workers, max_tasks_, options_.enforce_ordering));
  }

  /// Returns the request for the next batch, or nullopt at the end of the epoch.
  virtual optional<BatchRequest> get_batch_request() = 0;
  /// Runs at the start of an epoch, when no worker is busy.
  virtual void reset() {}

  const FullDataLoaderOptions options_;             ///< returned by options()
  std::vector<std::unique_ptr<Dataset>> datasets_;  ///< given to start()

 private:
  /// Makes a batch on a worker.
  struct BatchTask final : detail::Task {
    BatchTask(DataLoaderBase& loader, BatchRequest&& request)
        : loader(loader), request(std::move(request)) {}
    void run(size_t worker) override {
      auto& sets = loader.datasets_;
      batch = loader.make(*sets[worker < sets.size() ? worker : 0], std::move(request));
    }
    DataLoaderBase& loader;
    BatchRequest request;
    optional<Batch> batch;
  };

  /// Holds the state that the iterators of one begin() share.
  struct Epoch final : Iterator<Batch>::Producer {
    explicit Epoch(DataLoaderBase& loader) : loader(loader) {}
    optional<Batch> next() override { return loader.next(); }
    DataLoaderBase& loader;
    const std::shared_ptr<void> in_use = std::make_shared<char>();
  };

  /// Submits requests until the pipeline is full or the epoch ends.
  void fill() {
    if (!pipeline_) return;
    while (requests_left_ && pipeline_->has_room()) {
      optional<BatchRequest> request = get_batch_request();
      if (request)
        pipeline_->submit(std::make_unique<BatchTask>(*this, std::move(*request)));
      else
        requests_left_ = false;
    }
  }

  /// Makes a batch on the calling thread, and pins the batch if pin_memory is set.
  optional<Batch> make(Dataset& dataset, BatchRequest request) const {
    optional<Batch> batch = dataset.get_batch(std::move(request));
    if (pins_ && batch) detail::for_each_tensor(detail::Pin{}, *batch);
    return batch;
  }

  optional<Batch> next() {
    const detail::InLoader here(taken_);
    const taper::detail::RunScope recorded(taper::detail::RunEvent::kData, "DataLoader.next");
    if (!pipeline_) {
      optional<BatchRequest> request = get_batch_request();
      if (!request) return nullopt;
      return make(*datasets_[0], std::move(*request));
    }
    const int64_t timeout_ms = options_.timeout ? options_.timeout->count() : -1;
    while (std::unique_ptr<detail::Task> task = pipeline_->next(timeout_ms)) {
      BatchTask& made = static_cast<BatchTask&>(*task);
      if (made.error || made.batch) fill();
      if (made.error) throw WorkerException(made.error);
      if (made.batch) return std::move(made.batch);
    }
    return nullopt;
  }

  size_t max_tasks_ = 0;
  bool pins_ = false;
  std::weak_ptr<void> in_use_;  ///< expires with the last iterator of the newest epoch
  bool requests_left_ = false;
  bool joined_ = false;
  std::atomic<bool> taken_{false};  ///< true while a thread is in begin() or takes a batch
  // Declared after the data sets, because its threads use them.
  taper::detail::Owned<detail::Pipeline> pipeline_;
};

/// Loads batches whose examples a sampler chooses. As in LibTorch, each worker has a copy of the
/// data set, made by its copy constructor. If the data set should not be copied, use
/// SharedBatchDataset.
template <class Dataset, class Sampler>
class StatelessDataLoader : public DataLoaderBase<Dataset, typename Dataset::BatchType,
                                                  typename Sampler::BatchRequestType> {
  using Base =
      DataLoaderBase<Dataset, typename Dataset::BatchType, typename Sampler::BatchRequestType>;

 public:
  /// The type of the sampler's requests, usually the indices of a batch.
  using typename Base::BatchRequestType;

  /// Copies `dataset` for each worker. Without workers, moves `dataset` into the loader. Throws
  /// Error like the constructor of DataLoaderBase.
  StatelessDataLoader(Dataset dataset, Sampler sampler, const DataLoaderOptions& options)
      : Base(options), sampler_(std::move(sampler)) {
    std::vector<std::unique_ptr<Dataset>> datasets;
    for (size_t w = 0; w < this->options_.workers; ++w)
      datasets.push_back(std::make_unique<Dataset>(dataset));
    if (datasets.empty()) datasets.push_back(std::make_unique<Dataset>(std::move(dataset)));
    this->start(std::move(datasets));
  }
  ~StatelessDataLoader() override { this->join(); }

 private:
  void reset() override { sampler_.reset(nullopt); }
  optional<BatchRequestType> get_batch_request() override {
    auto request = sampler_.next(this->options_.batch_size);
    if (request && request->size() < this->options_.batch_size && this->options_.drop_last)
      return nullopt;
    return request;
  }

  Sampler sampler_;
};

/// Loads batches from a stateful data set, which chooses the examples of each batch.
template <class Dataset>
class StatefulDataLoader : public DataLoaderBase<Dataset, typename Dataset::BatchType::value_type,
                                                 typename Dataset::BatchRequestType> {
  using Base = DataLoaderBase<Dataset, typename Dataset::BatchType::value_type,
                              typename Dataset::BatchRequestType>;

 public:
  /// The request to the data set: a number of examples.
  using typename Base::BatchRequestType;

  /// Takes `dataset`, which all workers share. Throws Error like the constructor of DataLoaderBase.
  StatefulDataLoader(Dataset dataset, const DataLoaderOptions& options) : Base(options) {
    std::vector<std::unique_ptr<Dataset>> datasets;
    datasets.push_back(std::make_unique<Dataset>(std::move(dataset)));
    this->start(std::move(datasets));
  }
  ~StatefulDataLoader() override { this->join(); }

 private:
  void reset() override { this->datasets_[0]->reset(); }
  optional<BatchRequestType> get_batch_request() override { return this->options_.batch_size; }
};

/// Returns a loader of `dataset` with a sampler.
template <class Dataset, class Sampler, std::enable_if_t<!Dataset::is_stateful, int> = 0>
std::unique_ptr<StatelessDataLoader<Dataset, Sampler>> make_data_loader(Dataset dataset,
                                                                        Sampler sampler,
                                                                        DataLoaderOptions options) {
  return std::make_unique<StatelessDataLoader<Dataset, Sampler>>(std::move(dataset),
                                                                 std::move(sampler), options);
}

/// Returns a loader of `dataset` with a sampler for its size, by default a RandomSampler. Throws
/// Error if the data set has no size.
template <class Sampler = samplers::RandomSampler, class Dataset,
          std::enable_if_t<!Dataset::is_stateful && std::is_constructible<Sampler, size_t>::value,
                           int> = 0>
std::unique_ptr<StatelessDataLoader<Dataset, Sampler>> make_data_loader(
    Dataset dataset, DataLoaderOptions options = DataLoaderOptions()) {
  const optional<size_t> size = dataset.size();
  TAPER_CHECK(size.has_value(),
              "make_data_loader: Expected the dataset to be sized in order to construct the "
              "Sampler");
  return make_data_loader(std::move(dataset), Sampler(*size), options);
}

/// Returns a loader of a stateful data set.
template <class Dataset, std::enable_if_t<Dataset::is_stateful, int> = 0>
std::unique_ptr<StatefulDataLoader<Dataset>> make_data_loader(
    Dataset dataset, DataLoaderOptions options = DataLoaderOptions()) {
  return std::make_unique<StatefulDataLoader<Dataset>>(std::move(dataset), options);
}

/// Iterate over the loader that a pointer owns. Both `for (auto& batch : *loader)` and `for (auto&
/// batch : loader)` run an epoch.
///@{
template <class Loader, class D>
auto begin(const std::unique_ptr<Loader, D>& loader)
    -> decltype(loader->options(), loader->begin()) {
  return loader->begin();
}
template <class Loader, class D>
auto end(const std::unique_ptr<Loader, D>& loader) -> decltype(loader->options(), loader->end()) {
  return loader->end();
}
///@}

}  // namespace torch::taper::data

#pragma GCC visibility pop
