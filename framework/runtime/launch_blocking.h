// CUDA_LAUNCH_BLOCKING=1: every launch waits for its kernel, so that the op that fails throws
// itself. Not installed.
#pragma once

#include <taper/framework/runtime/runtime.h>

#pragma GCC visibility push(default)  // for the tests

namespace taper::detail {

/// Whether launches wait: CUDA_LAUNCH_BLOCKING at the first question, or what was set since.
bool blocks_launches();
void set_blocks_launches(bool blocks);
/// Waits for what is queued on the stream, where launches wait. Throws what a kernel has thrown,
/// with the lines of the program that called the op.
void finish_launch(Runtime& runtime, StreamImpl* stream);

}  // namespace taper::detail

#pragma GCC visibility pop
