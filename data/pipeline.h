// Pipeline: worker threads that make batches ahead of the one who uses them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>

#include <taper/framework/core/owned.h>

#pragma GCC visibility push(default)

namespace torch::taper::data::detail {

/// One batch to be made, and the made one.
struct Task {
  virtual ~Task() = default;
  /// Makes the batch, on the thread of worker number `worker`.
  virtual void run(size_t worker) = 0;

  /// Where the random numbers begin that run() draws from default generators. Set by submit().
  uint64_t seed = 0;
  /// What run() threw, if it did.
  std::exception_ptr error;
  bool done = false;
};

/// Runs tasks on its threads and gives them back, in the order of submission unless asked
/// otherwise. Only one thread may call its functions.
class Pipeline {
 public:
  /// `max_tasks`: how many may be on their way at once; 0 means the pipeline finds out: two for
  /// every worker, and more where making a batch takes less time than waking a thread.
  Pipeline(size_t workers, size_t max_tasks, bool in_order);
  /// Lets the running tasks end and forgets the rest.
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// Before the first task of an epoch, but behind what else is drawn for it: tasks draw random
  /// numbers that depend on the default generator's state now and on their place in the epoch, not
  /// on which worker runs them when. Nothing is drawn for that. Epochs that find the same state
  /// have other numbers each.
  void begin_epoch();
  void submit(std::unique_ptr<Task> task);
  /// Waits for the next task to be done; null when none is on its way. Throws Error when it takes
  /// longer than `timeout_ms` (negative: no limit).
  std::unique_ptr<Task> next(int64_t timeout_ms);
  /// Tasks that were submitted and not taken back.
  size_t in_flight() const;
  /// Whether there is room for another task.
  bool has_room() const;
  /// Forgets all tasks; waits for those that run.
  void drain();
  /// Ends the threads. Nothing may be submitted afterwards.
  void join();

 private:
  struct Impl;
  taper::detail::Owned<Impl> impl_;
};

}  // namespace torch::taper::data::detail

#pragma GCC visibility pop
