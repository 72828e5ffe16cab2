// CUDA_LAUNCH_BLOCKING=1: every launch waits for its kernel, so that the op that fails throws. Not
// installed.
#pragma once

#include <atomic>

#include <taper/framework/core/check.h>
#include <taper/framework/debug/backtrace.h>
#include <taper/framework/runtime/environment.h>
#include <taper/framework/runtime/runtime.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper::detail {

/// Returns the switch: CUDA_LAUNCH_BLOCKING, or the value set since.
inline std::atomic<bool>& launches_block() {
  static std::atomic<bool> blocks = is_on("CUDA_LAUNCH_BLOCKING");
  return blocks;
}

/// Returns whether launches wait: CUDA_LAUNCH_BLOCKING at the first call, or the value set since.
inline bool blocks_launches() { return launches_block().load(std::memory_order_relaxed); }
inline void set_blocks_launches(bool blocks) { launches_block() = blocks; }
/// Waits for the stream's queued work if launches wait. Throws the error of a kernel, with the
/// program's lines that called the op.
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
