// What happens in a run, as told to whoever records it (utils/profiler): ops, nodes of backward
// passes, parts that are named, memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <taper/framework/core/device.h>

#pragma GCC visibility push(default)

namespace torch::taper::detail {

struct Access;

enum class RunEvent : int8_t {
  kOp,            ///< a kernel: computed by the host, or queued on a device
  kBackwardNode,  ///< the derivative of an op
  kBackward,      ///< a backward pass
  kOptimizer,     ///< a step of an optimizer
  kModule,        ///< a module's forward
  kData,          ///< the wait for a batch
  kCopy,          ///< between devices
  kScope          ///< a part that the program names
};

/// Is called by every thread of the process, between any two calls of set_run_observer; must not
/// throw.
class RunObserver {
 public:
  /// Something begins on the calling thread. `name` is copied. An op comes with what it reads and
  /// writes and the number that its node on the tape will have, a backward node with its number.
  virtual void begin(RunEvent kind, const char* name, Device device, uint64_t sequence_nr,
                     const std::vector<Access>& operands) noexcept = 0;
  /// What has begun last on this thread, and not ended, ends.
  virtual void end() noexcept = 0;
  /// A tensor's memory has come, or goes.
  virtual void allocated(const void* p, size_t nbytes, Device device) noexcept = 0;
  virtual void freed(const void* p, size_t nbytes, Device device) noexcept = 0;

 protected:
  ~RunObserver() = default;
};

extern std::atomic<bool> run_is_observed;
inline bool observes_run() { return run_is_observed.load(std::memory_order_relaxed); }

/// Starts, or with null ends, to tell `observer`, which is never destroyed: other threads may be in
/// a call of it.
void set_run_observer(RunObserver* observer);
/// Who is told; null: nobody.
RunObserver* run_observer();

/// From here to the end of the scope is one event. Costs a comparison where nobody is told.
class RunScope {
 public:
  RunScope(RunEvent kind, const char* name, uint64_t sequence_nr = 0) {
    if (__builtin_expect(observes_run(), 0)) begin(kind, name, sequence_nr);
  }
  RunScope(RunEvent kind, const std::string& name) : RunScope(kind, name.c_str()) {}
  /// Nothing, until begin().
  RunScope() = default;
  /// Of an op. Nothing where the observer is null.
  RunScope(RunObserver* observer, const char* name, Device device,
           const std::vector<Access>& operands);
  ~RunScope() {
    if (__builtin_expect(observer_ != nullptr, 0)) observer_->end();
  }
  RunScope(const RunScope&) = delete;
  RunScope& operator=(const RunScope&) = delete;

  /// Once at most.
  void begin(RunEvent kind, const char* name, uint64_t sequence_nr = 0);

 private:
  RunObserver* observer_ = nullptr;
};

}  // namespace torch::taper::detail

#pragma GCC visibility pop
