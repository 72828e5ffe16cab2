// DataLoaderOptions: configures how a DataLoader makes its batches.
#pragma once

#include <chrono>
#include <cstddef>

#include <taper/framework/core/arg.h>
#include <taper/framework/core/array_ref.h>

#pragma GCC visibility push(default)

namespace torch::taper::data {

/// Configures a DataLoader: the size of batches, workers and prefetching. A number converts to
/// options with that batch size.
struct DataLoaderOptions {
  DataLoaderOptions() = default;
  /// Sets the batch size.
  DataLoaderOptions(size_t batch_size) : batch_size_(batch_size) {}

  /// Number of examples in a batch.
  TAPER_ARG(size_t, batch_size) = 1;
  /// Number of threads that prefetch batches. With 0, the calling thread makes each batch on
  /// demand.
  ///
  /// Random numbers that a data set draws from default generators (for random crops, say) depend
  /// only on the state of the default generator at begin() and on the batch. These numbers do not
  /// depend on the number or the speed of workers. The state of the default generator does not
  /// change.
  TAPER_ARG(size_t, workers) = 0;
  /// The largest number of batches that all workers together prepare, or have prepared, at a time.
  /// The default is workers * prefetch_factor.
  TAPER_ARG(optional<size_t>, max_jobs);
  /// Number of batches that each worker prefetches, as in PyTorch: max_jobs is prefetch_factor *
  /// workers. Set at most one of max_jobs and prefetch_factor. The default is 4 if making a batch
  /// takes less than 0.2 ms on average, and 2 otherwise.
  TAPER_ARG(optional<size_t>, prefetch_factor);
  /// The longest time to wait for a batch from a worker. By default, there is no limit.
  TAPER_ARG(optional<std::chrono::milliseconds>, timeout);
  /// Whether batches are returned in the order of the sampler. If false, a batch is returned as
  /// soon as it is ready.
  TAPER_ARG(bool, enforce_ordering) = true;
  /// Whether a last incomplete batch is left out.
  TAPER_ARG(bool, drop_last) = false;
  /// Whether the tensors of a batch are in pinned memory. Copies from pinned memory to a GPU are
  /// asynchronous. The worker that makes a batch also pins it. The memory is reused after the batch
  /// is destroyed. data/nested.h describes the types of batches. Without a CUDA device, batches are
  /// not pinned, and a warning is printed once.
  TAPER_ARG(bool, pin_memory) = false;
};

/// Holds the options of a loader with all defaults filled in.
struct FullDataLoaderOptions {
  /// Sets max_jobs to o.max_jobs() if it is given. Otherwise sets it to workers * prefetch_factor,
  /// with a default factor of 2. If neither is given, a DataLoader with batches that take less than
  /// 0.2 ms uses a factor of 4.
  explicit FullDataLoaderOptions(const DataLoaderOptions& o)
      : batch_size(o.batch_size()),
        workers(o.workers()),
        max_jobs(o.max_jobs().value_or(o.prefetch_factor().value_or(2) * workers)),
        timeout(o.timeout()),
        enforce_ordering(o.enforce_ordering()),
        drop_last(o.drop_last()),
        pin_memory(o.pin_memory()) {}

  size_t batch_size;  ///< examples in a batch
  size_t workers;     ///< threads that make batches, 0 for the calling thread
  size_t max_jobs;    ///< largest number of batches in preparation at a time
  /// the longest time to wait for a batch, nullopt for no limit
  optional<std::chrono::milliseconds> timeout;
  bool enforce_ordering;  ///< whether batches come in the order of the sampler
  bool drop_last;         ///< whether a last incomplete batch is left out
  bool pin_memory;        ///< whether batches come in pinned memory
};

namespace detail {
/// Throws Error if both max_jobs and prefetch_factor are set. Also throws Error if prefetch_factor
/// is 0 or is set without workers, or if max_jobs is 0 with workers.
void check_jobs(const DataLoaderOptions& options);
}  // namespace detail

}  // namespace torch::taper::data

#pragma GCC visibility pop
