#include <taper/framework/cuda/library.h>

#ifdef __CUDACC__
#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

#include <taper/framework/cuda/stream.h>
#else
#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>
#endif
#include <taper/framework/cuda/launch.h>

namespace torch::taper::cuda {
namespace {

/// Returns whether element i is chosen. It switches on the size for each element, so that one
/// kernel serves all sizes.
struct IsChosen {
  MaskedElements from;
  template <class T>
  TAPER_DEVICE bool has_bits(int64_t i) const {
    return (static_cast<const T*>(from.data)[i] & static_cast<T>(from.mask)) != 0;
  }
  TAPER_DEVICE bool operator()(int64_t i) const {
    switch (from.itemsize) {
      case 1:
        return has_bits<uint8_t>(i);
      case 2:
        return has_bits<uint16_t>(i);
      case 4:
        return has_bits<uint32_t>(i);
      default:
        return has_bits<uint64_t>(i);
    }
  }
};

}  // namespace

#ifdef __CUDACC__

namespace {

/// Calls a CUB function twice: once for the size of its workspace, and once with it.
template <class Call>
void with_working_memory(const Call& call) {
  size_t nbytes = 0;
  TAPER_CUDA_CHECK(call(nullptr, nbytes));
  const Scratch<char> memory(static_cast<int64_t>(nbytes > 0 ? nbytes : 1));
  TAPER_CUDA_CHECK(call(memory.get(), nbytes));
}

}  // namespace

template <class K, class V>
void sort_pairs(const Pairs<K, V>& to, const Pairs<K, V>& from, int64_t n, int bits) {
  with_working_memory([&](void* memory, size_t& nbytes) {
    return cub::DeviceRadixSort::SortPairs(memory, nbytes, from.keys, to.keys, from.values,
                                           to.values, n, 0, bits, kernel_stream());
  });
}

void select_positions(int64_t* to, const MaskedElements& from) {
  if (from.n == 0) return;
  const Scratch<int64_t> count(1);
  with_working_memory([&](void* memory, size_t& nbytes) {
    return cub::DeviceSelect::If(memory, nbytes, thrust::counting_iterator<int64_t>(0), to,
                                 count.get(), from.n, IsChosen{from}, kernel_stream());
  });
}

void set_zero(void* p, size_t nbytes) {
  if (nbytes > 0) TAPER_CUDA_CHECK(cudaMemsetAsync(p, 0, nbytes, kernel_stream()));
}

#else

template <class K, class V>
void sort_pairs(const Pairs<K, V>& to, const Pairs<K, V>& from, int64_t n, int bits) {
  const K mask = static_cast<K>(~K(0)) >> (static_cast<int>(sizeof(K)) * 8 - bits);
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return (from.keys[a] & mask) < (from.keys[b] & mask);
  });
  for (int64_t i = 0; i < n; ++i) {
    to.keys[i] = from.keys[order[static_cast<size_t>(i)]];
    to.values[i] = from.values[order[static_cast<size_t>(i)]];
  }
}

void select_positions(int64_t* to, const MaskedElements& from) {
  const IsChosen is_chosen{from};
  for (int64_t i = 0; i < from.n; ++i)
    if (is_chosen(i)) *to++ = i;
}

void set_zero(void* p, size_t nbytes) {
  if (nbytes > 0) std::memset(p, 0, nbytes);
}

#endif

namespace {

// All rows are sorted at once, by row and then by key. CUB's segmented sorts would ask the host for
// the number of long segments, and the host would wait for the stream.
template <class K>
struct KeyBehindRow {
  static constexpr int kBits = static_cast<int>(sizeof(K)) * 8;
  const K* keys;
  uint64_t* to;
  int64_t n;
  TAPER_DEVICE void operator()(int64_t i) const {
    to[i] = static_cast<uint64_t>(i / n) << kBits | keys[i];
  }
};
template <class K>
struct KeyAlone {
  const uint64_t* from;
  K* to;
  TAPER_DEVICE void operator()(int64_t i) const { to[i] = static_cast<K>(from[i]); }
};

/// Sorts by numbers that hold the row and the key.
template <class K>
void sort_with_row(const Pairs<K, uint32_t>& to, const Pairs<K, uint32_t>& from, int64_t rows,
                   int64_t n) {
  const int64_t numel = rows * n;
  const Scratch<uint64_t> joined(numel), sorted(numel);
  for_each(numel, KeyBehindRow<K>{from.keys, joined.get(), n});
  sort_pairs<uint64_t, uint32_t>({sorted.get(), to.values}, {joined.get(), from.values}, numel,
                                 KeyBehindRow<K>::kBits + bits_below(static_cast<uint64_t>(rows)));
  for_each(numel, KeyAlone<K>{sorted.get(), to.keys});
}

struct Position {
  int64_t* to;
  TAPER_DEVICE void operator()(int64_t i) const { to[i] = i; }
};
struct RowOfPosition {
  const int64_t* positions;
  uint64_t* to;
  int64_t n;
  TAPER_DEVICE void operator()(int64_t i) const { to[i] = static_cast<uint64_t>(positions[i] / n); }
};
template <class K>
struct PairFrom {
  const int64_t* positions;
  Pairs<K, uint32_t> from, to;
  TAPER_DEVICE void operator()(int64_t i) const {
    to.keys[i] = from.keys[positions[i]];
    to.values[i] = from.values[positions[i]];
  }
};

/// Sorts by the key, then by the row. The second sort keeps the order of keys within a row.
void sort_twice(const Pairs<uint64_t, uint32_t>& to, const Pairs<uint64_t, uint32_t>& from,
                int64_t rows, int64_t n) {
  const int64_t numel = rows * n;
  const Scratch<uint64_t> keys(numel), row_of(numel);
  const Scratch<int64_t> positions(numel), by_key(numel);
  for_each(numel, Position{positions.get()});
  sort_pairs<uint64_t, int64_t>({keys.get(), by_key.get()}, {from.keys, positions.get()}, numel,
                                64);
  for_each(numel, RowOfPosition{by_key.get(), row_of.get(), n});
  sort_pairs<uint64_t, int64_t>({keys.get(), positions.get()}, {row_of.get(), by_key.get()}, numel,
                                bits_below(static_cast<uint64_t>(rows)));
  for_each(numel, PairFrom<uint64_t>{positions.get(), from, to});
}

}  // namespace

template <class K>
void sort_rows_of_pairs(const Pairs<K, uint32_t>& to, const Pairs<K, uint32_t>& from, int64_t rows,
                        int64_t n) {
  if (rows == 1) return sort_pairs(to, from, n, static_cast<int>(sizeof(K)) * 8);
  if constexpr (sizeof(K) < sizeof(uint64_t))
    sort_with_row(to, from, rows, n);
  else
    sort_twice(to, from, rows, n);
}

template void sort_pairs(const Pairs<uint64_t, int64_t>&, const Pairs<uint64_t, int64_t>&, int64_t,
                         int);
template void sort_pairs(const Pairs<uint64_t, uint32_t>&, const Pairs<uint64_t, uint32_t>&,
                         int64_t, int);
#define TAPER_SORT_ROWS(K)                                                                        \
  template void sort_rows_of_pairs(const Pairs<K, uint32_t>&, const Pairs<K, uint32_t>&, int64_t, \
                                   int64_t);
TAPER_SORT_ROWS(uint8_t)
TAPER_SORT_ROWS(uint16_t)
TAPER_SORT_ROWS(uint32_t)
TAPER_SORT_ROWS(uint64_t)
#undef TAPER_SORT_ROWS

}  // namespace torch::taper::cuda
