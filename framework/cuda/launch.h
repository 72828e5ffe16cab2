// Launches of CUDA kernels on the current stream. For *_cuda.cu files only; not installed.
#pragma once

#include <algorithm>

#include <taper/framework/check.h>
#include <taper/framework/cuda/team.h>

#ifdef __CUDACC__
#include <taper/framework/cuda/stream.h>
#endif

namespace taper::cuda {

constexpr int kThreads = 256;
/// Loops over more blocks than this stride through the rest: launching more costs, and gains
/// nothing.
constexpr int64_t kMostBlocks = 1 << 16;

#ifdef __CUDACC__
template <class F>
__global__ void __launch_bounds__(kThreads) for_each_kernel(int64_t n, const F f) {
  const int64_t step = int64_t{blockDim.x} * gridDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) f(i);
}

// The bound keeps registers few enough for the largest team.
template <class F>
__global__ void __launch_bounds__(Team::kWarp* Team::kMostWarps)
    for_each_row_kernel(int64_t rows, int team_size, const F f) {
  __shared__ Team::Slot shared[Team::kMostWarps];
  const int teams = blockDim.x / team_size;
  const Team team{static_cast<int>(threadIdx.x) % team_size, team_size, shared};
  for (int64_t row = int64_t{blockIdx.x} * teams + threadIdx.x / team_size; row < rows;
       row += int64_t{gridDim.x} * teams)
    f(team, row);
}

// By the function's address: the compiler makes less code of it than of <<<...>>>, which copies the
// arguments.
template <auto kernel, class... P>
void launch(int blocks, int threads, const P&... arguments) {
  void* list[] = {const_cast<P*>(&arguments)...};
  launch_kernel(reinterpret_cast<const void*>(kernel), blocks, threads, list);
}

inline int blocks_for(int64_t items, int64_t per_block) {
  return static_cast<int>(std::min((items + per_block - 1) / per_block, kMostBlocks));
}
#endif

/// f(i) for every i < n, in no order.
template <class F>
void for_each(int64_t n, const F& f) {
  if (n <= 0) return;
#ifdef __CUDACC__
  launch<&for_each_kernel<F>>(blocks_for(n, kThreads), kThreads, n, f);
#else
  for (int64_t i = 0; i < n; ++i) f(i);
#endif
}

/// Threads for a row of `width` elements that lie side by side.
inline int team_for(int64_t width) {
  return width <= 4 ? 1 : width <= 1024 ? Team::kWarp : width <= 4096 ? kThreads : 1024;
}

/// Teams of other sizes would share a block's slots and its barrier with other teams.
inline void check_team_size(int n) {
  TAPER_CHECK(n == 1 || n == Team::kWarp ||
                  (n >= kThreads && n <= Team::kWarp * Team::kMostWarps && n % Team::kWarp == 0),
              "for_each_row: expected a team of 1 thread, of ", Team::kWarp, ", or of ", kThreads,
              " to ", Team::kWarp * Team::kMostWarps, " in whole warps, got ", n,
              "; take the size from team_for");
}

/// f(team, row) for every row < rows, a team of `team_size` threads (team_for) on each. With a team
/// of 1, neighbouring rows are neighbouring threads: right where the rows' elements are
/// interleaved.
template <class F>
void for_each_row(int64_t rows, int team_size, const F& f) {
  if (rows <= 0) return;
  check_team_size(team_size);
#ifdef __CUDACC__
  const int threads = std::max(kThreads, team_size);
  launch<&for_each_row_kernel<F>>(blocks_for(rows, threads / team_size), threads, rows, team_size,
                                  f);
#else
  for (int64_t row = 0; row < rows; ++row) f(Team(), row);
#endif
}

}  // namespace taper::cuda
