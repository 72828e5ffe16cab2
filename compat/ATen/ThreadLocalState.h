// at::ThreadLocalState: what a thread's ops depend on beside their arguments, for another thread.
#pragma once

#include <taper/framework/runtime/thread_state.h>
#include <torch/names.h>

namespace at {
using ThreadLocalState = taper::ThreadState;
/// A state for a scope.
using ThreadLocalStateGuard = taper::ThreadStateGuard;
}  // namespace at
