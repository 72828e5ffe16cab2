// Sorting and selecting by CUB, and on the host by the standard library. For *_cuda.cu files only;
// not installed.
//
// CUB is compiled in one file (library_cuda.cu), because its headers, and each sort, take longer to
// compile than most files of kernels.
#pragma once

#include <cstddef>
#include <cstdint>

#include <taper/framework/cuda/scratch.h>

namespace torch::taper::cuda {

/// The keys and values of some pairs. Both arrays are inputs, or both are results.
template <class K, class V>
struct Pairs {
  K* keys;
  V* values;
};

/// Returns how many bits the largest number below `limit` has, at least 1.
inline int bits_below(uint64_t limit) { return limit <= 1 ? 1 : 64 - __builtin_clzll(limit - 1); }

/// Sorts the n pairs of `from` into `to`, by the lowest `bits` bits of the keys. Pairs with equal
/// keys keep their order. Keys are uint64_t, values int64_t or uint32_t. Keys and values are in
/// device memory.
template <class K, class V>
void sort_pairs(const Pairs<K, V>& to, const Pairs<K, V>& from, int64_t n, int bits);

/// Sorts each of `rows` rows of n pairs of `from` into `to`, by the keys. Keys are unsigned
/// integers of any size. Pairs with equal keys keep their order.
template <class K>
void sort_rows_of_pairs(const Pairs<K, uint32_t>& to, const Pairs<K, uint32_t>& from, int64_t rows,
                        int64_t n);

/// n elements of `itemsize` bytes: 1, 2, 4 or 8. An element is selected if it has any bit of
/// `mask`.
struct MaskedElements {
  const void* data;
  int64_t n;
  size_t itemsize;
  uint64_t mask;
};
/// Writes the positions of the selected elements of `from` to `to`, in ascending order.
void select_positions(int64_t* to, const MaskedElements& from);

void set_zero(void* p, size_t nbytes);

}  // namespace torch::taper::cuda
