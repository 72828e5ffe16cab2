// The words in which CUDA kernels are written. For *_cuda.cu files only; not installed.
//
// A kernel is a loop over elements that do not know of each other (for_each, launch.h), or over
// rows, each of which a team of threads works on (for_each_row). The same source is compiled by
// nvcc for a GPU and, in builds with TAPER_CUDA_ON_HOST, by the host's compiler for simulated
// devices, where a team is one thread. So the indexing and the arithmetic of all kernels are tested
// without a GPU, and what cannot be is in few places, each marked by __CUDA_ARCH__ or __CUDACC__.
#pragma once

#include <cstdint>
#include <type_traits>

#include <taper/framework/dtype.h>

#ifdef __CUDACC__
#define TAPER_DEVICE __device__
#else
#define TAPER_DEVICE
#endif

namespace taper::cuda {

struct Plus {
  template <class T>
  TAPER_HD T operator()(T a, T b) const {
    return a + b;
  }
};
/// The larger; a NaN wins.
struct Larger {
  template <class T>
  TAPER_HD T operator()(T a, T b) const {
    return a != a ? a : b != b ? b : a < b ? b : a;
  }
};
struct Smaller {
  template <class T>
  TAPER_HD T operator()(T a, T b) const {
    return a != a ? a : b != b ? b : b < a ? b : a;
  }
};

#ifdef __CUDACC__
/// A value of any trivially copyable type, of which shuffle(word) moves the words between lanes.
template <class T, class Shuffle>
TAPER_DEVICE T by_words(T v, const Shuffle& shuffle) {
  uint32_t words[(sizeof(T) + 3) / 4] = {};
  memcpy(words, &v, sizeof(T));
  for (uint32_t& w : words) w = shuffle(w);
  memcpy(&v, words, sizeof(T));
  return v;
}
/// v of the lane that differs in the bits of `mask`.
template <class T>
TAPER_DEVICE T exchange(T v, int mask) {
  return by_words(v, [mask](uint32_t w) { return __shfl_xor_sync(0xffffffffu, w, mask); });
}
#endif

/// The threads that work on one row: one, a warp, or a block. All of them run the same code.
struct Team {
  static constexpr int kWarp = 32, kMostWarps = 32;
  /// Room for a value of a warp.
  struct alignas(16) Slot {
    char bytes[32];
  };
  int rank = 0, size = 1;
  /// Of a block: a slot for each warp.
  Slot* shared = nullptr;

  /// f(i) for i < n, the threads beside each other. What f writes is seen by the others after
  /// sync().
  template <class F>
  TAPER_DEVICE void each(int64_t n, const F& f) const {
    for (int64_t i = rank; i < n; i += size) f(i);
  }
  TAPER_DEVICE void sync() const {
#ifdef __CUDA_ARCH__
    if (size > kWarp)
      __syncthreads();
    else if (size > 1)
      __syncwarp();
#endif
  }
  /// All threads' values combined, for all of them, in an order that depends on the size only. Op
  /// is associative and commutative; T at most a Slot.
  template <class T, class Op>
  TAPER_DEVICE T combine(T v, const Op& op) const {
#ifdef __CUDA_ARCH__
    if (size == 1) return v;
    for (int mask = kWarp / 2; mask > 0; mask /= 2) v = op(v, exchange(v, mask));
    if (size > kWarp) {
      static_assert(sizeof(T) <= sizeof(Slot));
      if (rank % kWarp == 0) memcpy(&shared[rank / kWarp], &v, sizeof(T));
      __syncthreads();
      memcpy(&v, &shared[0], sizeof(T));
      for (int w = 1; w < size / kWarp; ++w) {
        T other;
        memcpy(&other, &shared[w], sizeof(T));
        v = op(v, other);
      }
      __syncthreads();
    }
#else
    (void)op;
#endif
    return v;
  }
  /// op over value(i) for i < n, from `start` (which leaves values as they are), for all threads.
  template <class T, class F, class Op>
  TAPER_DEVICE T reduce(int64_t n, T start, const F& value, const Op& op) const {
    T v = start;
    each(n, [&](int64_t i) { v = op(v, value(i)); });
    return combine(v, op);
  }
  template <class T, class F>
  TAPER_DEVICE T sum(int64_t n, const F& value) const {
    return reduce(n, T(0), value, Plus());
  }
};

}  // namespace taper::cuda
