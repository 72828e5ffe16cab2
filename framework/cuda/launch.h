// Launches of CUDA kernels on the current stream. For *_cuda.cu files only; not installed.
#pragma once

#include <algorithm>

#include <taper/framework/check.h>
#include <taper/framework/cuda/team.h>

#ifdef __CUDACC__
#include <taper/framework/cuda/stream.h>
#else
#include <typeinfo>
#endif

namespace taper::cuda {

constexpr int kThreads = 256;
/// Loops over more blocks than this stride through the rest: launching more costs, and gains
/// nothing.
constexpr int64_t kMostBlocks = 1 << 16;

/// Whether teams of more than one thread exist: on the host only where tests run blocks of threads.
inline bool has_warps() {
#ifdef __CUDACC__
  return true;
#else
  return block_runner != nullptr;
#endif
}

#ifndef __CUDACC__
inline int64_t resident_threads() { return 1 << 16; }  // stream.h
#endif

/// A thread's part of for_each.
template <class F>
struct ForEach {
  static constexpr int kMostThreads = kThreads;
  int64_t n;
  F f;
  TAPER_DEVICE void operator()() const {
    const ThreadPlace at = this_thread();
    const int64_t step = int64_t{at.threads} * at.blocks;
    for (int64_t i = int64_t{at.block} * at.threads + at.thread; i < n; i += step) f(i);
  }
};
/// The largest team that f takes: F::kMostThreads, or any. The bound keeps registers few enough.
template <class F>
constexpr int most_threads() {
  if constexpr (requires { F::kMostThreads; })
    return F::kMostThreads;
  else
    return Team::kWarp * Team::kMostWarps;
}
/// A thread's part of for_each_row.
template <class F>
struct ForEachRow {
  static constexpr int kMostThreads = most_threads<F>();
  int64_t rows;
  int team_size;
  F f;
  TAPER_DEVICE void operator()() const {
    const ThreadPlace at = this_thread();
    const int teams = at.threads / team_size;
    const Team team{at.thread % team_size, team_size, block_slots()};
    for (int64_t row = int64_t{at.block} * teams + at.thread / team_size; row < rows;
         row += int64_t{at.blocks} * teams)
      f(team, row);
  }
};

#ifdef __CUDACC__
template <class Body>
__global__ void __launch_bounds__(Body::kMostThreads) run_thread(const Body body) {
  body();
}
#endif

/// body() by every thread of so many blocks.
template <class Body>
void launch(int blocks, int threads, const Body& body) {
#ifdef __CUDACC__
  // By the function's address: the compiler makes less code of it than of <<<...>>>, which copies
  // the arguments.
  void* list[] = {const_cast<Body*>(&body)};
  launch_kernel(reinterpret_cast<const void*>(&run_thread<Body>), blocks, threads, list);
#else
  block_runner->run(
      typeid(Body).name(), blocks, threads,
      [](const void* arguments) { (*static_cast<const Body*>(arguments))(); }, &body, sizeof body);
#endif
}

inline int blocks_for(int64_t items, int64_t per_block) {
  return static_cast<int>(std::min((items + per_block - 1) / per_block, kMostBlocks));
}

/// f(i) for every i < n, in no order.
template <class F>
void for_each(int64_t n, const F& f) {
  if (n <= 0) return;
#ifndef __CUDACC__
  if (!block_runner) {
    for (int64_t i = 0; i < n; ++i) f(i);
    return;
  }
#endif
  launch(blocks_for(n, kThreads), kThreads, ForEach<F>{n, f});
}

/// Threads for a row of `width` elements that lie side by side.
inline int team_for(int64_t width) {
  const int usual = width <= 4 ? 1 : width <= 1024 ? Team::kWarp : width <= 4096 ? kThreads : 1024;
#ifndef __CUDACC__
  if (block_runner) return block_runner->team_for(width, usual);
#endif
  return usual;
}

/// A team of more than a warp has a block, whose slots and barrier it uses, for itself.
inline void check_team_size(int n) {
  TAPER_CHECK(n == 1 || (n > 0 && n <= Team::kWarp * Team::kMostWarps && n % Team::kWarp == 0),
              "for_each_row: expected a team of 1 thread, or of up to ", Team::kMostWarps,
              " whole warps of ", Team::kWarp, ", got ", n, "; take the size from team_for");
}

/// f(team, row) for every row < rows, a team of `team_size` threads (team_for) on each. With a team
/// of 1, neighbouring rows are neighbouring threads: right where the rows' elements are
/// interleaved.
template <class F>
void for_each_row(int64_t rows, int team_size, const F& f) {
  if (rows <= 0) return;
  check_team_size(team_size);
#ifndef __CUDACC__
  if (!block_runner) {
    Slot slots[Slot::kCount];
    for (int64_t row = 0; row < rows; ++row) f(Team{0, 1, slots}, row);
    return;
  }
#endif
  const int threads = team_size > Team::kWarp ? team_size : kThreads;
  launch(blocks_for(rows, threads / team_size), threads, ForEachRow<F>{rows, team_size, f});
}

}  // namespace taper::cuda
