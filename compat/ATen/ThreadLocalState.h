// at::ThreadLocalState: the settings of a thread that its ops depend on, for another thread.
#pragma once

#include <taper/framework/runtime/thread_state.h>
#include <torch/names.h>

namespace at {
using ThreadLocalState = taper::ThreadState;
/// Sets a state until the end of the scope.
using ThreadLocalStateGuard = taper::ThreadStateGuard;
}  // namespace at
