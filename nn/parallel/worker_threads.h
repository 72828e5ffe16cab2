// Threads that are kept for work that must run at once. Not installed.
#pragma once

#include <cstddef>
#include <functional>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::nn::parallel {

/// Calls body(i) for 0 <= i < count, each on its thread, 0 on the calling thread. Returns when all
/// have returned. `body` must not throw. Calls may nest.
void run_on_threads(size_t count, const std::function<void(size_t)>& body);

}  // namespace torch::taper::nn::parallel
