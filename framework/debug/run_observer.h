// Events of a program's run: ops, nodes of backward passes, named ranges and memory. They are
// reported to a recorder (utils/profiler).
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

/// Receives events of a run. Every thread of the process may call its functions while it is the
/// observer. They must not throw.
class RunObserver {
 public:
  /// Called when an event begins on the calling thread. `name` is copied. For an op, `operands`
  /// holds its accesses, and `sequence_nr` is the number that its node on the tape will have. For a
  /// backward node, `sequence_nr` is the number of the node.
  virtual void begin(RunEvent kind, const char* name, Device device, uint64_t sequence_nr,
                     const std::vector<Access>& operands) noexcept = 0;
  /// Called when an event ends: of the events that have not ended on this thread, the one that
  /// began last.
  virtual void end() noexcept = 0;
  /// Called when a tensor's memory is allocated or freed.
  virtual void allocated(const void* p, size_t nbytes, Device device) noexcept = 0;
  virtual void freed(const void* p, size_t nbytes, Device device) noexcept = 0;

 protected:
  ~RunObserver() = default;
};

extern std::atomic<bool> run_is_observed;
inline bool observes_run() { return run_is_observed.load(std::memory_order_relaxed); }

/// Starts to notify `observer`. If it is null, stops notifying. An observer must never be
/// destroyed, because other threads may still call it.
void set_run_observer(RunObserver* observer);
/// Returns the observer, or null.
RunObserver* run_observer();

/// Reports an event that lasts until the end of the scope. Without an observer, it costs only a
/// comparison.
class RunScope {
 public:
  RunScope(RunEvent kind, const char* name, uint64_t sequence_nr = 0) {
    if (__builtin_expect(observes_run(), 0)) begin(kind, name, sequence_nr);
  }
  RunScope(RunEvent kind, const std::string& name) : RunScope(kind, name.c_str()) {}
  /// Reports nothing until begin() is called.
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
