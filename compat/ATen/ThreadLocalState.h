// at::ThreadLocalState: copies the settings of a thread on which ops depend, so that another thread
// can use them.
#pragma once

#include <taper/framework/runtime/thread_state.h>
#include <torch/names.h>

namespace at {
using ThreadLocalState = taper::ThreadState;
/// Sets a state until the end of the scope.
using ThreadLocalStateGuard = taper::ThreadStateGuard;
}  // namespace at
