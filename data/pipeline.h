// Pipeline: worker threads that make batches before they are needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>

#include <taper/framework/core/owned.h>

#pragma GCC visibility push(default)

namespace torch::taper::data::detail {

/// Holds the request for a batch, and later the batch.
struct Task {
  virtual ~Task() = default;
  /// Makes the batch, on the thread of worker number `worker`.
  virtual void run(size_t worker) = 0;

  /// The seed of the random numbers that run() draws from default generators. submit() sets it.
  uint64_t seed = 0;
  /// The exception that run() threw, if any.
  std::exception_ptr error;
  bool done = false;
};

/// Runs tasks on its threads and returns them, by default in the order of submission. Only one
/// thread may call its functions.
class Pipeline {
 public:
  /// Starts the threads. At most `max_tasks` tasks are in flight. If `max_tasks` is 0, at most two
  /// tasks per worker are in flight, or four if a task takes less than 0.2 ms on average.
  Pipeline(size_t workers, size_t max_tasks, bool in_order);
  /// Waits for the running tasks, and drops all other tasks.
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// Derives the seeds of the tasks of an epoch. Call it before the first task, after all other
  /// random numbers of the epoch are drawn. The random numbers of a task depend on the current
  /// state of the default generator and on the index of the task in the epoch, not on the worker or
  /// the time. The generator is not advanced. Even if the generator does not change between two
  /// consecutive epochs, the epochs have different random numbers.
  void begin_epoch();
  void submit(std::unique_ptr<Task> task);
  /// Waits until the next task is done and returns it, or null if none is in flight. Throws Error
  /// if this takes longer than `timeout_ms` milliseconds. A negative timeout_ms means no limit.
  std::unique_ptr<Task> next(int64_t timeout_ms);
  /// Returns the number of submitted tasks that were not returned yet.
  size_t in_flight() const;
  /// Returns whether there is room for another task.
  bool has_room() const;
  /// Waits for the running tasks, and then drops all tasks.
  void drain();
  /// Joins the threads. Do not call submit() afterwards.
  void join();

 private:
  struct Impl;
  taper::detail::Owned<Impl> impl_;
};

}  // namespace torch::taper::data::detail

#pragma GCC visibility pop
