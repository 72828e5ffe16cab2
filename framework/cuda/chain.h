// Building blocks of the source of a chain's kernel (gpu/chain_source.h). NVRTC compiles it at run
// time, with the text of this header and of the functors' headers. Tests compile it with the host's
// compiler. A launch is a loop there. Not installed.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include <taper/framework/core/dtype.h>
#include <taper/framework/core/host_device.h>

namespace torch::taper::chains {

/// V elements that are loaded and stored at once.
template <class T, int V>
struct alignas(sizeof(T) * V) Pack {
  T v[V];
};

/// A position in a chain's index space.
struct Place {
  int64_t first;  ///< index among all elements
  int64_t block, row, col;
};

/// Returns the V elements at position `at` of a dense operand p.
template <class T, int V>
TAPER_HD Pack<T, V>& dense(char* p, const Place& at) {
  return *reinterpret_cast<Pack<T, V>*>(p + at.first * int64_t{sizeof(T)});
}
/// Return elements of an operand p at position `at`. `row` and `block` are its strides in bytes.
/// in_rows returns V adjacent elements of a row. of_row is for operands with one element for each
/// row, and `one` for operands of one element.
template <class T, int V>
TAPER_HD Pack<T, V>& in_rows(char* p, int64_t row, int64_t block, const Place& at) {
  return *reinterpret_cast<Pack<T, V>*>(p + at.block * block + at.row * row +
                                        at.col * int64_t{sizeof(T)});
}
template <class T>
TAPER_HD T of_row(const char* p, int64_t row, int64_t block, const Place& at) {
  return *reinterpret_cast<const T*>(p + at.block * block + at.row * row);
}
template <class T>
TAPER_HD T one(const char* p) {
  return *reinterpret_cast<const T*>(p);
}

/// Converts an element to the type that functors compute in.
template <class T>
TAPER_HD opmath_t<T> load(const T& v) {
  return static_cast<opmath_t<T>>(v);
}
/// Returns the bits of v as a T. Kernels that only move elements read v in a type of equal size.
template <class T, class From>
TAPER_HD T bits_as(const From& v) {
  static_assert(sizeof(T) == sizeof(From));
  T bits;
  memcpy(&bits, &v, sizeof bits);
  return bits;
}

/// Rounds `result` to T for the next functor, as a store and a load would. `zero` is 0, but the
/// compiler does not know this. So it cannot fuse a product and a following sum into one
/// multiply-add, which would round once. Separate kernels round twice.
template <class T, class R>
TAPER_HD T made(const R& result, [[maybe_unused]] uint32_t zero) {
  const T v = static_cast<T>(result);
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, float>) return __uint_as_float(__float_as_uint(v) ^ zero);
  if constexpr (std::is_same_v<T, double>)
    return __longlong_as_double(__double_as_longlong(v) ^ static_cast<long long>(zero));
#endif
  return v;
}

/// The calling thread's index among all threads of the launch (`first`), and the number of these
/// threads.
struct Threads {
  int64_t first, count;
  TAPER_HD static Threads all() {
#if defined(__CUDA_ARCH__)
    return {int64_t{blockIdx.x} * blockDim.x + threadIdx.x, int64_t{blockDim.x} * gridDim.x};
#else
    return {0, 1};
#endif
  }
};

/// Calls Body::run<V>(a, place) for each V adjacent elements. If fewer than V elements are left at
/// the end, calls Body::run<1>(a, place) for each of them.
template <int V, class Body, class Arguments>
TAPER_HD void run_dense(const Arguments& a) {
  const Threads threads = Threads::all();
  for (int64_t i = threads.first; i * V < a.numel; i += threads.count) {
    const int64_t first = i * V;
    if (first + V <= a.numel) {
      Body::template run<V>(a, Place{first, 0, 0, first});
    } else {
      TAPER_ROLLED
      for (int64_t k = first; k < a.numel; ++k) Body::template run<1>(a, Place{k, 0, 0, k});
    }
  }
}
/// Calls Body::run<V>(a, place) for blocks of `kRows` rows of `kCols` elements. The V elements of a
/// call are in one row. There must be fewer than 2^31 elements.
template <int V, uint32_t kRows, uint32_t kCols, class Body, class Arguments>
TAPER_HD void run_rows(const Arguments& a) {
  static_assert(kCols % V == 0);
  const Threads threads = Threads::all();
  for (int64_t i = threads.first; i * V < a.numel; i += threads.count) {
    const uint32_t first = static_cast<uint32_t>(i * V), line = first / kCols, block = line / kRows;
    Body::template run<V>(a, Place{first, block, line - block * kRows, first - line * kCols});
  }
}

}  // namespace torch::taper::chains
