// at::ThreadLocalState: a copy of the settings of a thread that affect ops. Another thread can then
// use these settings.
#pragma once

#include <taper/framework/runtime/thread_state.h>
#include <torch/names.h>

namespace at {
using ThreadLocalState = taper::ThreadState;
/// Applies a ThreadLocalState to the calling thread until the guard is destroyed.
using ThreadLocalStateGuard = taper::ThreadStateGuard;
}  // namespace at
