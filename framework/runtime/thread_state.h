// ThreadState: what a thread's ops depend on beside their arguments, to be carried to another
// thread.
#pragma once

#include <functional>
#include <vector>

#include <taper/framework/autograd/autocast.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/runtime/stream.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// The gradient and inference modes of a thread, what autocast does there, its default device, its
/// current CUDA device and its current streams.
class ThreadState {
 public:
  /// What the calling thread has now.
  ThreadState();
  /// Gives the calling thread this state.
  void apply() const;

 private:
  detail::ThreadModes modes_;
  detail::AutocastState autocast_;
  Device default_device_;
  DeviceIndex device_ = -1;
  std::vector<detail::StreamImpl*> streams_;
};

/// Puts the calling thread's state back at the end of the scope.
class ThreadStateGuard {
 public:
  ThreadStateGuard() = default;
  /// Takes `state` over first.
  explicit ThreadStateGuard(const ThreadState& state) { state.apply(); }
  ~ThreadStateGuard() { before_.apply(); }
  ThreadStateGuard(const ThreadStateGuard&) = delete;
  ThreadStateGuard& operator=(const ThreadStateGuard&) = delete;

 private:
  ThreadState before_;
};

/// Runs `work` on a kept thread, with the caller's ThreadState, and returns at once. Work that is
/// launched waits while get_num_interop_threads() or the number of cores, whichever is larger, run
/// already. An exception ends the work and is reported as a warning. The process waits at its end
/// for work that runs.
void launch(std::function<void()> work);

}  // namespace torch::taper

#pragma GCC visibility pop
