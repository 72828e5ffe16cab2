// Threads: one number for the whole process, and loops split over a thread pool.
#pragma once

#include <cstdint>

#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the number of threads that one op may use. The initial value is OMP_NUM_THREADS, else
/// the number of cores.
int get_num_threads();
/// Sets the number of threads. Throws ValueError unless n is at least 1.
void set_num_threads(int n);
/// Does nothing. LibTorch's programs call it at the start of a thread.
inline void init_num_threads() {}
/// Get and set the number of calls of launch() (framework/runtime/thread_state.h) that may run at
/// once, if it exceeds the number of cores. No op uses it. 1 by default. Setting throws ValueError
/// unless n is at least 1.
///@{
int get_num_interop_threads();
void set_num_interop_threads(int n);
///@}
/// Returns the index of the calling thread in the running parallel loop, 0 outside.
int get_thread_num();
/// Returns whether the caller runs inside a parallel loop. Loops started there run on the calling
/// thread alone.
bool in_parallel_region();
/// Returns the number of threads that a loop starting here may use: get_num_threads(), or 1 inside
/// a parallel loop.
inline int64_t usable_threads() { return in_parallel_region() ? 1 : get_num_threads(); }

namespace detail {
void parallel_run(int64_t begin, int64_t end, int64_t pieces, void* context,
                  void (*body)(void*, int64_t, int64_t));

/// Calls a loop's body. It is one function for all callers.
template <class Body>
[[gnu::noinline]] void run_piece(void* body, int64_t begin, int64_t end) {
  (*static_cast<const Body*>(body))(begin, end);
}
}  // namespace detail

/// Least work of a loop that is worth splitting, in elements of a cheap op.
constexpr int64_t kGrain = 32768;

/// Calls body(b, e) over [begin, end) in equal pieces of about `grain` or more, each on some
/// thread. The first exception of a piece reaches the caller, with its type, after all pieces have
/// ended. The pieces depend only on the arguments and the number of threads, so a result is
/// reproducible.
template <class Body>
void parallel_for(int64_t begin, int64_t end, int64_t grain, const Body& body) {
  const int64_t n = end - begin;
  if (n <= 0) return;
  const int64_t threads = n <= grain ? 1 : usable_threads();
  void* const context = const_cast<Body*>(&body);
  if (threads == 1) return detail::run_piece<Body>(context, begin, end);
  // Each thread gets several pieces. If another process delays one thread, other threads take its
  // remaining pieces. Cores of unequal speed share the work better, too. The number of pieces is a
  // multiple of the number of threads: three pieces would take two threads as long as four.
  const int64_t most = threads * 8, worth = grain > 0 ? (n + grain - 1) / grain : n;
  const int64_t pieces = worth < most ? worth : most;
  detail::parallel_run(begin, end, pieces > threads ? pieces - pieces % threads : pieces, context,
                       &detail::run_piece<Body>);
}

}  // namespace torch::taper

#pragma GCC visibility pop
