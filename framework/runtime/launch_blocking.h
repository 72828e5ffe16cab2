// Implements CUDA_LAUNCH_BLOCKING=1: every launch waits for its kernel. So the op whose kernel
// fails throws the error. Not installed.
#pragma once

#include <atomic>

#include <taper/framework/core/check.h>
#include <taper/framework/debug/backtrace.h>
#include <taper/framework/runtime/environment.h>
#include <taper/framework/runtime/runtime.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper::detail {

/// Returns the switch. Its initial value is CUDA_LAUNCH_BLOCKING.
inline std::atomic<bool>& launches_block() {
  static std::atomic<bool> blocks = is_on("CUDA_LAUNCH_BLOCKING");
  return blocks;
}

/// Return and set whether launches wait for their kernels.
inline bool blocks_launches() { return launches_block().load(std::memory_order_relaxed); }
inline void set_blocks_launches(bool blocks) { launches_block() = blocks; }
/// If launches wait, waits for the stream's queued work. If a kernel has failed, throws its error,
/// with the program's lines that called the op.
inline void finish_launch(Runtime& runtime, StreamImpl* stream) {
  if (!blocks_launches()) return;
  try {
    runtime.synchronize(stream);
  } catch (const Error& e) {
    throw Error(e.what() + describe_stack(capture_stack(), 3));
  }
}

}  // namespace torch::taper::detail

#pragma GCC visibility pop
