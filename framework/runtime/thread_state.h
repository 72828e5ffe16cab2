// ThreadState: the settings of a thread that its ops depend on, to be copied to another thread.
#pragma once

#include <functional>
#include <vector>

#include <taper/framework/autograd/autocast.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/runtime/stream.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// A thread's gradient and inference modes, autocast state, default device, current CUDA device and
/// current streams.
class ThreadState {
 public:
  /// Copies the calling thread's state.
  ThreadState();
  /// Sets the calling thread's state to this one.
  void apply() const;

 private:
  detail::ThreadModes modes_;
  detail::AutocastState autocast_;
  Device default_device_;
  DeviceIndex device_ = -1;
  std::vector<detail::StreamImpl*> streams_;
};

/// Restores the calling thread's state at the end of the scope.
class ThreadStateGuard {
 public:
  ThreadStateGuard() = default;
  /// Applies `state` first.
  explicit ThreadStateGuard(const ThreadState& state) { state.apply(); }
  ~ThreadStateGuard() { before_.apply(); }
  ThreadStateGuard(const ThreadStateGuard&) = delete;
  ThreadStateGuard& operator=(const ThreadStateGuard&) = delete;

 private:
  ThreadState before_;
};

/// Runs `work` on a pooled thread, with the caller's ThreadState, and returns at once. The number
/// of calls that run at a time is at most get_num_interop_threads() or the number of cores,
/// whichever is larger. Further work waits. An exception ends the work and is reported as a
/// warning. At its end the process waits for running work.
void launch(std::function<void()> work);

}  // namespace torch::taper

#pragma GCC visibility pop
