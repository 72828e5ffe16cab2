// at::parallel_for, at::parallel_reduce and the number of threads.
#pragma once

#include <taper/framework/cpu/parallel.h>
#include <taper/framework/cpu/parallel_reduce.h>
#include <taper/framework/runtime/thread_state.h>
#include <torch/names.h>

namespace at {
namespace internal {
/// The number of elements of a cheap op that are worth a separate thread.
constexpr int64_t GRAIN_SIZE = taper::kGrain;
}  // namespace internal
inline int64_t divup(int64_t x, int64_t y) { return (x + y - 1) / y; }
inline void lazy_init_num_threads() {}
}  // namespace at
