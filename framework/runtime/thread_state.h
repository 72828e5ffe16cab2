// ThreadState: the settings of a thread that its ops depend on. It can be copied to another thread.
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
  /// Gives the calling thread this state.
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
  /// Applies `state` to the calling thread. The destructor restores the state from before.
  explicit ThreadStateGuard(const ThreadState& state) { state.apply(); }
  ~ThreadStateGuard() { before_.apply(); }
  ThreadStateGuard(const ThreadStateGuard&) = delete;
  ThreadStateGuard& operator=(const ThreadStateGuard&) = delete;

 private:
  ThreadState before_;
};

/// Runs `work` on a thread of a pool, with the caller's ThreadState, and returns at once. At most n
/// such calls run at one time. n is the larger of get_num_interop_threads() and the number of
/// cores. Further work waits. If `work` throws, the exception is reported as a warning. When the
/// process ends, it waits for running work.
void launch(std::function<void()> work);

}  // namespace torch::taper

#pragma GCC visibility pop
