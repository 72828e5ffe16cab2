// Sorting and selecting by CUB, and on the host by the standard library. For *_cuda.cu files only;
// not installed.
#pragma once

#include <cstdint>

#include <taper/framework/cuda/scratch.h>

#ifdef __CUDACC__
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <cub/device/device_select.cuh>

#include <taper/framework/cuda/stream.h>
#else
#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>
#endif

namespace taper::cuda {

/// The keys of n pairs and what belongs to them; both are inputs, or both results.
template <class K, class V>
struct Pairs {
  K* keys;
  V* values;
};

/// Bits of the numbers below `limit`.
inline int bits_below(uint64_t limit) { return limit <= 1 ? 1 : 64 - __builtin_clzll(limit - 1); }

#ifdef __CUDACC__

/// Calls a CUB function twice: to ask for its working memory, and with it.
template <class Call>
void with_working_memory(const Call& call) {
  size_t nbytes = 0;
  TAPER_CUDA_CHECK(call(nullptr, nbytes));
  const Scratch<char> memory(static_cast<int64_t>(nbytes > 0 ? nbytes : 1));
  TAPER_CUDA_CHECK(call(memory.get(), nbytes));
}

/// Sorts `rows` rows of n pairs each by the lowest `bits` bits of the keys. Equal keys keep their
/// order. Both are device memory.
template <class K, class V>
void sort_pairs(const Pairs<K, V>& to, const Pairs<K, V>& from, int64_t rows, int64_t n, int bits) {
  if (rows == 1)
    return with_working_memory([&](void* memory, size_t& nbytes) {
      return cub::DeviceRadixSort::SortPairs(memory, nbytes, from.keys, to.keys, from.values,
                                             to.values, n, 0, bits, kernel_stream());
    });
  const auto starts =
      thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0),
                                      [n] __host__ __device__(int64_t row) { return row * n; });
  with_working_memory([&](void* memory, size_t& nbytes) {
    return cub::DeviceSegmentedSort::StableSortPairs(memory, nbytes, from.keys, to.keys,
                                                     from.values, to.values, rows * n, rows, starts,
                                                     starts + 1, kernel_stream());
  });
}

/// Writes the i < n for which is_chosen(i), in order.
template <class Chosen>
void select_positions(int64_t* to, int64_t n, const Chosen& is_chosen) {
  if (n == 0) return;
  const Scratch<int64_t> count(1);
  with_working_memory([&](void* memory, size_t& nbytes) {
    return cub::DeviceSelect::If(memory, nbytes, thrust::counting_iterator<int64_t>(0), to,
                                 count.get(), n, is_chosen, kernel_stream());
  });
}

inline void set_zero(void* p, size_t nbytes) {
  if (nbytes > 0) TAPER_CUDA_CHECK(cudaMemsetAsync(p, 0, nbytes, kernel_stream()));
}

#else

template <class K, class V>
void sort_pairs(const Pairs<K, V>& to, const Pairs<K, V>& from, int64_t rows, int64_t n, int bits) {
  const K mask = static_cast<K>(~K(0)) >> (static_cast<int>(sizeof(K)) * 8 - bits);
  std::vector<int64_t> order(static_cast<size_t>(n));
  for (int64_t first = 0; first < rows * n; first += n) {
    std::iota(order.begin(), order.end(), first);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return (from.keys[a] & mask) < (from.keys[b] & mask);
    });
    for (int64_t i = 0; i < n; ++i) {
      to.keys[first + i] = from.keys[order[static_cast<size_t>(i)]];
      to.values[first + i] = from.values[order[static_cast<size_t>(i)]];
    }
  }
}

template <class Chosen>
void select_positions(int64_t* to, int64_t n, const Chosen& is_chosen) {
  for (int64_t i = 0; i < n; ++i)
    if (is_chosen(i)) *to++ = i;
}

inline void set_zero(void* p, size_t nbytes) {
  if (nbytes > 0) std::memset(p, 0, nbytes);
}

#endif

}  // namespace taper::cuda
