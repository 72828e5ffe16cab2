// Events of a run, reported to its recorder (utils/profiler): ops, nodes of backward passes, named
// ranges, memory.
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
  kData,          ///< waiting for a batch
  kCopy,          ///< a copy between devices
  kScope          ///< a range that the program names
};

/// Called by every thread of the process, between any two calls of set_run_observer. It must not
/// throw.
class RunObserver {
 public:
  /// Called when something begins on the calling thread. `name` is copied. An op comes with its
  /// accesses and the number that its node on the tape will have, a backward node with its number.
  virtual void begin(RunEvent kind, const char* name, Device device, uint64_t sequence_nr,
                     const std::vector<Access>& operands) noexcept = 0;
  /// Called when the last event that has begun on this thread ends.
  virtual void end() noexcept = 0;
  /// Called when a tensor's memory is allocated or freed.
  virtual void allocated(const void* p, size_t nbytes, Device device) noexcept = 0;
  virtual void freed(const void* p, size_t nbytes, Device device) noexcept = 0;

 protected:
  ~RunObserver() = default;
};

extern std::atomic<bool> run_is_observed;
inline bool observes_run() { return run_is_observed.load(std::memory_order_relaxed); }

/// Starts to notify `observer`, or with null stops. The observer is never destroyed, because other
/// threads may be calling it.
void set_run_observer(RunObserver* observer);
/// Returns the observer, or null.
RunObserver* run_observer();

/// Reports an event from here to the end of the scope. It costs a comparison if there is no
/// observer.
class RunScope {
 public:
  RunScope(RunEvent kind, const char* name, uint64_t sequence_nr = 0) {
    if (__builtin_expect(observes_run(), 0)) begin(kind, name, sequence_nr);
  }
  RunScope(RunEvent kind, const std::string& name) : RunScope(kind, name.c_str()) {}
  /// Reports nothing until begin().
  RunScope() = default;
  /// Reports an op. Does nothing if the observer is null.
  RunScope(RunObserver* observer, const char* name, Device device,
           const std::vector<Access>& operands);
  ~RunScope() {
    if (__builtin_expect(observer_ != nullptr, 0)) observer_->end();
  }
  RunScope(const RunScope&) = delete;
  RunScope& operator=(const RunScope&) = delete;

  /// Begins the event. Call it at most once.
  void begin(RunEvent kind, const char* name, uint64_t sequence_nr = 0);

 private:
  RunObserver* observer_ = nullptr;
};

}  // namespace torch::taper::detail

#pragma GCC visibility pop
