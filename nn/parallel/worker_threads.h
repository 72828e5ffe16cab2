// run_on_threads(): makes calls in parallel. Its threads are kept for later calls. Not installed.
#pragma once

#include <cstddef>
#include <functional>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::nn::parallel {

/// Calls body(i) for 0 <= i < count, each on a separate thread. body(0) runs on the calling thread.
/// Returns when all calls have ended. `body` must not throw. `body` may call run_on_threads.
void run_on_threads(size_t count, const std::function<void(size_t)>& body);

}  // namespace torch::taper::nn::parallel
