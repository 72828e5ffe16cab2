// Threads: one number for the whole process, loops split over a pool of helpers.
#pragma once

#include <cstdint>

#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Threads that one op may use. The start value is OMP_NUM_THREADS, else the number of cores.
int get_num_threads();
/// Throws ValueError unless n is at least 1.
void set_num_threads(int n);
/// LibTorch's call at the start of a thread; here there is nothing to do.
inline void init_num_threads() {}
/// A number that is kept for programs which set and ask it, 1 at the start; no op uses it. Setting
/// throws ValueError unless n is at least 1.
///@{
int get_num_interop_threads();
void set_num_interop_threads(int n);
///@}
/// The index of the calling thread in the running parallel loop, 0 outside.
int get_thread_num();
/// True inside a parallel loop; loops started there run on the calling thread alone.
bool in_parallel_region();
/// Returns how many threads a loop that starts here may use: get_num_threads(), or 1 inside a
/// parallel loop.
inline int64_t usable_threads() { return in_parallel_region() ? 1 : get_num_threads(); }

namespace detail {
void parallel_run(int64_t begin, int64_t end, int64_t pieces, void* context,
                  void (*body)(void*, int64_t, int64_t));

/// A loop's body in one place for all ways that call it.
template <class Body>
[[gnu::noinline]] void run_piece(void* body, int64_t begin, int64_t end) {
  (*static_cast<const Body*>(body))(begin, end);
}
}  // namespace detail

/// Work for a loop to be worth splitting, in elements of a cheap op.
constexpr int64_t kGrain = 32768;

/// Calls body(b, e) over [begin, end) in equal pieces of about `grain` or more, each on some
/// thread. The first exception of a piece reaches the caller, with its own type, after all have
/// ended. The pieces depend only on the arguments and the number of threads, so a result is
/// reproducible.
template <class Body>
void parallel_for(int64_t begin, int64_t end, int64_t grain, const Body& body) {
  const int64_t n = end - begin;
  if (n <= 0) return;
  const int64_t threads = n <= grain ? 1 : usable_threads();
  void* const context = const_cast<Body*>(&body);
  if (threads == 1) return detail::run_piece<Body>(context, begin, end);
  // Several pieces for each thread: one that is held up by another process leaves the rest to
  // others, and cores of unequal speed part the work better. As many for each: three pieces would
  // take two threads as long as four.
  const int64_t most = threads * 8, worth = grain > 0 ? (n + grain - 1) / grain : n;
  const int64_t pieces = worth < most ? worth : most;
  detail::parallel_run(begin, end, pieces > threads ? pieces - pieces % threads : pieces, context,
                       &detail::run_piece<Body>);
}

}  // namespace torch::taper

#pragma GCC visibility pop
