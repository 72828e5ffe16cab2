// The number of threads of the process, and loops that are split over a thread pool.
#pragma once

#include <cstdint>

#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the number of threads that one op may use. The initial value is OMP_NUM_THREADS or, if
/// this is not set, the number of cores.
int get_num_threads();
/// Sets the number of threads that one op may use. Throws ValueError unless n is at least 1.
void set_num_threads(int n);
/// Does nothing. LibTorch's programs call it at the start of a thread.
inline void init_num_threads() {}
/// Get and set a number n. At most n calls of launch() (framework/runtime/thread_state.h), or as
/// many as there are cores if this is more, run at once. No op uses n. It is 1 by default. Setting
/// throws ValueError unless n is at least 1.
///@{
int get_num_interop_threads();
void set_num_interop_threads(int n);
///@}
/// Returns the index of the calling thread in the running parallel loop, or 0 outside of such
/// loops.
int get_thread_num();
/// Returns whether the caller runs inside a parallel loop. Loops started there run on the calling
/// thread alone.
bool in_parallel_region();
/// Returns the number of threads that a new loop of the caller may use: get_num_threads(), or 1
/// inside a parallel loop.
inline int64_t usable_threads() { return in_parallel_region() ? 1 : get_num_threads(); }

namespace detail {
void parallel_run(int64_t begin, int64_t end, int64_t pieces, void* context,
                  void (*body)(void*, int64_t, int64_t));

/// Calls a loop's body. It is not inlined, so that all calls of one loop share its code.
template <class Body>
[[gnu::noinline]] void run_piece(void* body, int64_t begin, int64_t end) {
  (*static_cast<const Body*>(body))(begin, end);
}
}  // namespace detail

/// The least number of elements for which splitting a loop pays, if the op is cheap.
constexpr int64_t kGrain = 32768;

/// Splits [begin, end) into equal pieces [b, e) of about `grain` indices or more. Calls body(b, e)
/// for each piece, on any of the threads. If pieces throw, rethrows the first exception after all
/// pieces have ended. The pieces depend only on the arguments and the number of threads, so results
/// are reproducible.
template <class Body>
void parallel_for(int64_t begin, int64_t end, int64_t grain, const Body& body) {
  const int64_t n = end - begin;
  if (n <= 0) return;
  const int64_t threads = n <= grain ? 1 : usable_threads();
  void* const context = const_cast<Body*>(&body);
  if (threads == 1) return detail::run_piece<Body>(context, begin, end);
  // Each thread gets several pieces. If another process delays one thread, other threads take its
  // remaining pieces. Cores of different speed also get work that suits their speed. The number of
  // pieces is a multiple of the number of threads, because two threads need as long for three
  // pieces as for four.
  const int64_t most = threads * 8, worth = grain > 0 ? (n + grain - 1) / grain : n;
  const int64_t pieces = worth < most ? worth : most;
  detail::parallel_run(begin, end, pieces > threads ? pieces - pieces % threads : pieces, context,
                       &detail::run_piece<Body>);
}

}  // namespace torch::taper

#pragma GCC visibility pop
