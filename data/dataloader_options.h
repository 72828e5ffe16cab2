// DataLoaderOptions: how a DataLoader makes its batches.
#pragma once

#include <chrono>
#include <cstddef>

#include <taper/framework/core/arg.h>
#include <taper/framework/core/array_ref.h>

#pragma GCC visibility push(default)

namespace torch::taper::data {

/// The size of batches, and who makes them and when. A number converts to it: that many examples in
/// a batch, all else by default.
struct DataLoaderOptions {
  DataLoaderOptions() = default;
  /// Batches of that many examples, all else by default.
  DataLoaderOptions(size_t batch_size) : batch_size_(batch_size) {}

  /// Examples in a batch.
  TAPER_ARG(size_t, batch_size) = 1;
  /// Threads that make batches ahead; 0: the caller's thread makes each when it is asked for.
  /// What a data set draws on them from default generators (random crops, say) depends on the
  /// default generator's state at begin() and on the batch, not on how many workers there are or
  /// how fast they are, and the generator itself is left as it is.
  TAPER_ARG(size_t, workers) = 0;
  /// How many batches may be on their way at once, over all workers. Unless given it is
  /// prefetch_factor for each worker, which see.
  TAPER_ARG(optional<size_t>, max_jobs);
  /// PyTorch's way to say it: how many batches each worker makes ahead, so that max_jobs is
  /// prefetch_factor * workers. Give one of the two. Unless one is given it is 2, or more where a
  /// batch takes so little time that handing it over is the greater part.
  TAPER_ARG(optional<size_t>, prefetch_factor);
  /// The longest wait for a batch from the workers.
  TAPER_ARG(optional<std::chrono::milliseconds>, timeout);
  /// Whether workers' batches come in the sampler's order, or as they get done.
  TAPER_ARG(bool, enforce_ordering) = true;
  /// Whether a last batch that is not full is left out.
  TAPER_ARG(bool, drop_last) = false;
  /// Whether the tensors of a batch (data/nested.h tells what a batch may be) come in page-locked
  /// memory, from which copies to a GPU need not wait. The worker that makes a batch pins it, in
  /// blocks that are used again once their batch is gone. Without a CUDA device batches come as
  /// they are, and a warning is printed once.
  TAPER_ARG(bool, pin_memory) = false;
};

/// The same with nothing left open.
struct FullDataLoaderOptions {
  /// max_jobs is that of `o`, else workers times the prefetch_factor of `o`, which is 2 unless
  /// given. (Where neither was given a loader may make more ahead.)
  explicit FullDataLoaderOptions(const DataLoaderOptions& o)
      : batch_size(o.batch_size()),
        workers(o.workers()),
        max_jobs(o.max_jobs().value_or(o.prefetch_factor().value_or(2) * workers)),
        timeout(o.timeout()),
        enforce_ordering(o.enforce_ordering()),
        drop_last(o.drop_last()),
        pin_memory(o.pin_memory()) {}

  size_t batch_size;                            ///< examples in a batch
  size_t workers;                               ///< threads that make batches; 0: the caller's does
  size_t max_jobs;                              ///< batches on their way at once, over all workers
  optional<std::chrono::milliseconds> timeout;  ///< the longest wait for a batch; nullopt: no limit
  bool enforce_ordering;                        ///< whether batches come in the sampler's order
  bool drop_last;   ///< whether a last batch that is not full is left out
  bool pin_memory;  ///< whether batches come in page-locked memory
};

namespace detail {
/// Throws Error where max_jobs and prefetch_factor are 0, contradict each other or lack workers.
void check_jobs(const DataLoaderOptions& options);
}  // namespace detail

}  // namespace torch::taper::data

#pragma GCC visibility pop
