// Vocabulary of CUDA kernels. For *_cuda.cu files only, not installed.
//
// A kernel is a loop over independent elements (for_each, launch.h), or over rows with a team of
// threads for each (for_each_row). nvcc compiles the source for a GPU. In builds with
// TAPER_CUDA_ON_HOST the host's compiler compiles it for simulated devices. A team is one thread
// there, or, in tests, as many threads as on a GPU (block.h). So kernels are tested without a GPU.
// The few places that cannot be tested so are marked by __CUDA_ARCH__ or __CUDACC__.
#pragma once

#include <type_traits>

#include <taper/framework/core/dtype.h>
#include <taper/framework/cuda/block.h>

namespace torch::taper::cuda {

struct Plus {
  template <class T>
  TAPER_HD T operator()(T a, T b) const {
    return a + b;
  }
};
/// Returns the larger number. If one is NaN, returns NaN.
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

/// The threads that work on one row: one, a warp, or a block. All of them run the kernel's code.
struct Team {
  static constexpr int kWarp = 32, kMostWarps = Slot::kCount;
  int rank = 0, size = 1;
  /// Slots of the block. A team of more than a warp has the whole block.
  Slot* slots = nullptr;

  template <class T>
  TAPER_DEVICE Shared<T> shared() const {
    return Shared<T>(slots);
  }
  /// Calls f(i) once for each i < n. Neighbouring threads take neighbouring i. Other threads see
  /// the writes of f after sync().
  template <class F>
  TAPER_DEVICE void each(int64_t n, const F& f) const {
    for (int64_t i = rank; i < n; i += size) f(i);
  }
  TAPER_DEVICE void sync(Here here = Here::current()) const {
    if (size > kWarp)
      sync_block(here);
    else if (size > 1)
      sync_warp(here);
  }
  /// Combines the v of all threads by op, in an order that depends only on the team's size. All
  /// threads get the result. Op is associative and commutative. T is not larger than a Slot.
  template <class T, class Op>
  TAPER_DEVICE T combine(T v, const Op& op, Here here = Here::current()) const {
    if (size == 1) return v;
    for (int mask = kWarp / 2; mask > 0; mask /= 2) v = op(v, shuffle_xor(v, mask, here));
    if (size == kWarp) return v;
    static_assert(Shared<T>::kSize >= kMostWarps);
    const Shared<T> of_warps = shared<T>();
    if (rank % kWarp == 0) of_warps.put(rank / kWarp, v, here);
    sync_block(here);
    v = of_warps.get(0, here);
    for (int w = 1; w < size / kWarp; ++w) v = op(v, of_warps.get(w, here));
    sync_block(here);
    return v;
  }
  /// Reduces value(i) for i < n with op, from the neutral element `start`. All threads get the
  /// result.
  template <class T, class F, class Op>
  TAPER_DEVICE T reduce(int64_t n, T start, const F& value, const Op& op,
                        Here here = Here::current()) const {
    T v = start;
    each(n, [&](int64_t i) { v = op(v, value(i)); });
    return combine(v, op, here);
  }
  template <class T, class F>
  TAPER_DEVICE T sum(int64_t n, const F& value, Here here = Here::current()) const {
    return reduce(n, T(0), value, Plus(), here);
  }
};

}  // namespace torch::taper::cuda
