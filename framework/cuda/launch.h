// Launches of CUDA kernels on the current stream. For *_cuda.cu files only, not installed.
#pragma once

#include <algorithm>

#include <taper/framework/core/check.h>
#include <taper/framework/cuda/team.h>

#ifdef __CUDACC__
#include <taper/framework/cuda/stream.h>
#else
#include <cstring>
#include <type_traits>
#include <typeinfo>
#include <vector>
#endif

namespace torch::taper::cuda {

constexpr int kThreads = 256;
/// The largest number of blocks of a launch. Kernels with more work loop over the rest. More blocks
/// would cost time and gain nothing.
constexpr int64_t kMostBlocks = 1 << 16;

/// Returns whether teams of more than one thread exist. On the host they exist only if tests run
/// blocks of threads.
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

/// The work of one thread in for_each.
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
/// Returns the largest number of threads in a block that runs F: F::kMostThreads if F declares it,
/// otherwise the size of the largest team. nvcc limits a thread's registers accordingly.
template <class F>
constexpr int most_threads() {
  if constexpr (requires { F::kMostThreads; })
    return F::kMostThreads;
  else
    return Team::kWarp * Team::kMostWarps;
}
/// The work of one thread in for_each_row.
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

/// Runs body() in each of the `threads` threads of each of `blocks` blocks.
template <class Body>
void launch(int blocks, int threads, const Body& body) {
  // This launches by the function's address, because <<<...>>> copies the arguments, which takes
  // more code.
  void* list[] = {const_cast<Body*>(&body)};
  launch_kernel(reinterpret_cast<const void*>(&run_thread<Body>), blocks, threads, list);
}
#endif

inline int blocks_for(int64_t items, int64_t per_block) {
  return static_cast<int>(std::min((items + per_block - 1) / per_block, kMostBlocks));
}

#ifndef __CUDACC__
// On the host, only run_part or run_row is compiled for each type of functor. The code that calls
// it is compiled once, because with sanitizers it would take most of the compile time.

/// Calls f(i) for i = first, first + step, ... below n.
template <class F>
void run_part(const void* f, int64_t n, int64_t first, int64_t step) {
  for (int64_t i = first; i < n; i += step) (*static_cast<const F*>(f))(i);
}
template <class F>
void run_row(const void* f, const Team& team, int64_t row) {
  (*static_cast<const F*>(f))(team, row);
}

/// A launch's arguments: a `Head` that describes the loop, followed by the functor's bytes.
template <class Head>
class HostArguments {
 public:
  HostArguments(const Head& head, const void* f, size_t nbytes)
      : memory_(1 + (nbytes + sizeof(Unit) - 1) / sizeof(Unit)) {
    static_assert(sizeof(Head) <= sizeof(Unit));
    std::memcpy(memory_.data(), &head, sizeof head);
    std::memcpy(&memory_[1], f, nbytes);
  }
  const void* data() const { return memory_.data(); }
  size_t nbytes() const { return memory_.size() * sizeof(Unit); }
  static const Head& head(const void* data) { return *static_cast<const Head*>(data); }
  static const void* functor(const void* data) { return static_cast<const Unit*>(data) + 1; }

 private:
  using Unit = std::max_align_t;
  std::vector<Unit> memory_;
};

struct HostLoop {
  int64_t n;
  void (*run)(const void* f, int64_t n, int64_t first, int64_t step);
};
inline void launch(const char* kernel, const HostLoop& loop, const void* f, size_t nbytes) {
  if (!block_runner) return loop.run(f, loop.n, 0, 1);
  using Arguments = HostArguments<HostLoop>;
  const auto body = [](const void* given) {
    const HostLoop& loop = Arguments::head(given);
    const ThreadPlace at = this_thread();
    loop.run(Arguments::functor(given), loop.n, int64_t{at.block} * at.threads + at.thread,
             int64_t{at.threads} * at.blocks);
  };
  const Arguments arguments(loop, f, nbytes);
  block_runner->run(kernel, blocks_for(loop.n, kThreads), kThreads, body, arguments.data(),
                    arguments.nbytes());
}
#endif

/// Calls f(i) for every i < n, in any order.
template <class F>
void for_each(int64_t n, const F& f) {
  if (n <= 0) return;
#ifdef __CUDACC__
  launch(blocks_for(n, kThreads), kThreads, ForEach<F>{n, f});
#else
  static_assert(std::is_trivially_copyable_v<F>);
  launch(typeid(ForEach<F>).name(), HostLoop{n, &run_part<F>}, &f, sizeof f);
#endif
}

/// Returns the number of threads for a row of `width` adjacent elements.
inline int team_for(int64_t width) {
  const int usual = width <= 4 ? 1 : width <= 1024 ? Team::kWarp : width <= 4096 ? kThreads : 1024;
#ifndef __CUDACC__
  if (block_runner) return block_runner->team_for(width, usual);
#endif
  return usual;
}

/// Throws Error if for_each_row does not accept teams of n threads. A team of more than one warp is
/// a whole block, because it uses the block's slots and barrier.
inline void check_team_size(int n) {
  TAPER_CHECK(n == 1 || (n > 0 && n <= Team::kWarp * Team::kMostWarps && n % Team::kWarp == 0),
              "for_each_row: expected a team of 1 thread, or of up to ", Team::kMostWarps,
              " whole warps of ", Team::kWarp, ", got ", n, "; take the size from team_for");
}

inline int threads_for(int team_size) { return team_size > Team::kWarp ? team_size : kThreads; }

#ifndef __CUDACC__
struct HostRows {
  int64_t rows;
  int team_size;
  void (*run)(const void* f, const Team& team, int64_t row);
};
inline void launch(const char* kernel, const HostRows& rows, const void* f, size_t nbytes) {
  if (!block_runner) {
    Slot slots[Slot::kCount];
    for (int64_t row = 0; row < rows.rows; ++row) rows.run(f, Team{0, 1, slots}, row);
    return;
  }
  using Arguments = HostArguments<HostRows>;
  const auto body = [](const void* given) {
    const HostRows& rows = Arguments::head(given);
    const auto f = [run = rows.run, f = Arguments::functor(given)](const Team& team, int64_t row) {
      run(f, team, row);
    };
    ForEachRow<decltype(f)>{rows.rows, rows.team_size, f}();
  };
  const Arguments arguments(rows, f, nbytes);
  const int threads = threads_for(rows.team_size);
  block_runner->run(kernel, blocks_for(rows.rows, threads / rows.team_size), threads, body,
                    arguments.data(), arguments.nbytes());
}
#endif

/// Calls f(team, row) for every row < rows, in each thread of a team of `team_size` threads.
/// team_for returns a good size. With teams of 1, neighbouring threads take neighbouring rows. This
/// suits rows with interleaved elements.
template <class F>
void for_each_row(int64_t rows, int team_size, const F& f) {
  if (rows <= 0) return;
  check_team_size(team_size);
#ifdef __CUDACC__
  const int threads = threads_for(team_size);
  launch(blocks_for(rows, threads / team_size), threads, ForEachRow<F>{rows, team_size, f});
#else
  static_assert(std::is_trivially_copyable_v<F>);
  launch(typeid(ForEachRow<F>).name(), HostRows{rows, team_size, &run_row<F>}, &f, sizeof f);
#endif
}

}  // namespace torch::taper::cuda
