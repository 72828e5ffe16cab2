// DataLoader: batches of a data set, epoch by epoch, made ahead by worker threads if wanted.
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

/// What comes out of an iterator where a worker's data set threw, with what it threw inside.
/// Without workers an exception comes as it is.
struct WorkerException : public std::exception {
  /// Keeps what the worker threw. The message ends with its what() if it is a std::exception.
  explicit WorkerException(std::exception_ptr original);
  /// "Caught exception in DataLoader worker thread. Original message: ..."; lives as long as this.
  const char* what() const noexcept override { return message.c_str(); }
  std::exception_ptr original_exception;  ///< what the worker threw; rethrown it has its own type
  std::string message;                    ///< what what() returns
};

namespace detail {
/// Being in a loader: throws where another thread is, in place of a race.
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

/// The base of the loaders. A loader and its iterators are one thread's at a time. An epoch starts
/// with begin(); an epoch whose iterators are gone is given up. The loader must outlive the use of
/// its iterators.
template <class Dataset, class Batch, class BatchRequest>
class DataLoaderBase {
 public:
  using BatchType = Batch;                ///< what an iterator gives
  using BatchRequestType = BatchRequest;  ///< what the data set is asked for

  DataLoaderBase(const DataLoaderBase&) = delete;
  DataLoaderBase& operator=(const DataLoaderBase&) = delete;
  virtual ~DataLoaderBase() { join(); }

  /// Starts an epoch. An exception of the data set comes out of the iterator where its batch would
  /// have come, a worker's as WorkerException; the batches after it can still be had. With workers
  /// it throws Error while an iterator is there for which batches are being made; without, all
  /// iterators take the next batch of the newest epoch.
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
  /// What an iterator equals when its epoch is over.
  Iterator<Batch> end() { return {}; }

  /// Ends the worker threads; the loader cannot be used any more. The destructor does it too.
  void join() {
    if (pipeline_) pipeline_->join();
    joined_ = true;
  }
  /// What the loader was made with, nothing left open. The reference lives as long as the loader.
  const FullDataLoaderOptions& options() const noexcept { return options_; }

 protected:
  /// Throws Error for a batch_size of 0, for both of max_jobs and prefetch_factor, for a
  /// prefetch_factor without workers, and where the given one of the two is 0 (max_jobs: with
  /// workers).
  DataLoaderBase(const DataLoaderOptions& options) : options_(options) {
    TAPER_CHECK(options_.batch_size > 0, "DataLoader: expected a batch_size of at least 1, got 0");
    detail::check_jobs(options);
    max_tasks_ = options.max_jobs() || options.prefetch_factor() ? options_.max_jobs : 0;
    pins_ = options_.pin_memory && taper::detail::can_pin_memory();
  }

  /// Starts the workers, on these data sets (one for each, or one for all; with no workers the only
  /// one is for the caller's thread).
  void start(std::vector<std::unique_ptr<Dataset>> datasets) {
    datasets_ = std::move(datasets);
    if (options_.workers > 0)
      pipeline_.reset(
          new detail::Pipeline(options_.workers, max_tasks_, options_.enforce_ordering));
  }

  /// What the next batch is to hold; nullopt at the end of the epoch.
  virtual optional<BatchRequest> get_batch_request() = 0;
  /// Called when an epoch starts and no worker is busy.
  virtual void reset() {}

  const FullDataLoaderOptions options_;             ///< what options() returns
  std::vector<std::unique_ptr<Dataset>> datasets_;  ///< what start() was given

 private:
  /// A batch for a worker to make.
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

  /// What the iterators of one begin() share.
  struct Epoch final : Iterator<Batch>::Producer {
    explicit Epoch(DataLoaderBase& loader) : loader(loader) {}
    optional<Batch> next() override { return loader.next(); }
    DataLoaderBase& loader;
    const std::shared_ptr<void> in_use = std::make_shared<char>();
  };

  /// Gives the workers as much to do as they may have.
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

  /// A batch as it is given out; on the thread that makes it.
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
  std::weak_ptr<void> in_use_;  ///< alive while an iterator of the newest epoch is
  bool requests_left_ = false;
  bool joined_ = false;
  std::atomic<bool> taken_{false};  ///< while a thread is in begin() or takes a batch
  // Behind the data sets: its threads use them.
  taper::detail::Owned<detail::Pipeline> pipeline_;
};

/// A loader whose sampler says which examples make a batch. Each worker has its own copy of the
/// data set, made by its copy constructor, as in LibTorch (see SharedBatchDataset for one that
/// should not be copied).
template <class Dataset, class Sampler>
class StatelessDataLoader : public DataLoaderBase<Dataset, typename Dataset::BatchType,
                                                  typename Sampler::BatchRequestType> {
  using Base =
      DataLoaderBase<Dataset, typename Dataset::BatchType, typename Sampler::BatchRequestType>;

 public:
  /// What the sampler gives: the indices of a batch, for most samplers.
  using typename Base::BatchRequestType;

  /// Copies `dataset` for each worker; without workers it is moved in. Throws Error for options
  /// that do not fit together, as DataLoaderBase says.
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

/// A loader of a stateful data set, which decides itself what a batch holds.
template <class Dataset>
class StatefulDataLoader : public DataLoaderBase<Dataset, typename Dataset::BatchType::value_type,
                                                 typename Dataset::BatchRequestType> {
  using Base = DataLoaderBase<Dataset, typename Dataset::BatchType::value_type,
                              typename Dataset::BatchRequestType>;

 public:
  /// What the data set is asked for: a number of examples.
  using typename Base::BatchRequestType;

  /// Takes `dataset` over; all workers use this one. Throws Error for options that do not fit
  /// together, as DataLoaderBase says.
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

/// A loader of `dataset` with the given sampler.
template <class Dataset, class Sampler, std::enable_if_t<!Dataset::is_stateful, int> = 0>
std::unique_ptr<StatelessDataLoader<Dataset, Sampler>> make_data_loader(Dataset dataset,
                                                                        Sampler sampler,
                                                                        DataLoaderOptions options) {
  return std::make_unique<StatelessDataLoader<Dataset, Sampler>>(std::move(dataset),
                                                                 std::move(sampler), options);
}

/// The same with a sampler made for the data set's size: by default a RandomSampler. Throws when
/// the data set has no size.
template <class Sampler = samplers::RandomSampler, class Dataset,
          std::enable_if_t<!Dataset::is_stateful && std::is_constructible<Sampler, size_t>::value,
                           int> = 0>
std::unique_ptr<StatelessDataLoader<Dataset, Sampler>> make_data_loader(
    Dataset dataset, DataLoaderOptions options = DataLoaderOptions()) {
  const optional<size_t> size = dataset.size();
  TAPER_CHECK(size.has_value(),
              "Expected the dataset to be sized in order to construct the Sampler");
  return make_data_loader(std::move(dataset), Sampler(*size), options);
}

/// A loader of a stateful data set.
template <class Dataset, std::enable_if_t<Dataset::is_stateful, int> = 0>
std::unique_ptr<StatefulDataLoader<Dataset>> make_data_loader(
    Dataset dataset, DataLoaderOptions options = DataLoaderOptions()) {
  return std::make_unique<StatefulDataLoader<Dataset>>(std::move(dataset), options);
}

}  // namespace torch::taper::data

#pragma GCC visibility pop
