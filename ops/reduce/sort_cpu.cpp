#include <algorithm>
#include <functional>
#include <limits>

#include <taper/framework/cpu/parallel.h>
#include <taper/ops/reduce/sort_kernels.h>
#include <taper/ops/reduce/sort_keys.h>

#define TAPER_ISA_FILE <taper/ops/reduce/sort_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {
namespace {

template <class K>
struct Keyed {
  K key;
  uint32_t index;
  bool operator<(const Keyed& o) const { return key != o.key ? key < o.key : index < o.index; }
};

// ---------------------------------------------------------------- sort
// Sorts by the least significant digit first, so that equal keys keep their order. Digits that all
// keys share are skipped, so small integers cost few passes. The result may end in either array.
template <int kBits, class K>
Keyed<K>* radix_sort(Keyed<K>* a, Keyed<K>* b, int64_t n) {
  constexpr int kPasses = (static_cast<int>(sizeof(K)) * 8 + kBits - 1) / kBits;
  constexpr K kMask = (K(1) << kBits) - 1;
  uint32_t counts[kPasses][1 << kBits] = {};
  for (int64_t i = 0; i < n; ++i)
    for (int p = 0; p < kPasses; ++p) ++counts[p][(a[i].key >> (p * kBits)) & kMask];
  for (int p = 0; p < kPasses; ++p) {
    uint32_t* count = counts[p];
    if (count[(a[0].key >> (p * kBits)) & kMask] == static_cast<uint64_t>(n)) continue;
    uint32_t start = 0;
    for (uint32_t d = 0; d <= kMask; ++d) {
      const uint32_t c = count[d];
      count[d] = start;
      start += c;
    }
    for (int64_t i = 0; i < n; ++i) b[count[(a[i].key >> (p * kBits)) & kMask]++] = a[i];
    std::swap(a, b);
  }
  return a;
}

template <class K>
Keyed<K>* sort_keys(Keyed<K>* a, Keyed<K>* scratch, int64_t n) {
  if (n < 40) {
    std::sort(a, a + n);
    return a;
  }
  return n < (1 << 14) ? radix_sort<8>(a, scratch, n) : radix_sort<11>(a, scratch, n);
}

template <class T>
void write_row(T* values, int64_t* indices, const T* x, const Keyed<key_of<T>>* sorted, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    indices[i] = sorted[i].index;
    values[i] = x[sorted[i].index];
  }
}

// Writes the first `keep` elements of the sorted row. If the keys hold the whole value, values come
// from the keys, because reading x in random order costs more.
template <class T>
void sort_row(T* values, int64_t* indices, const T* x, int64_t n, int64_t keep, key_of<T> flip,
              Keyed<key_of<T>>* scratch) {
  bool exact = true;
  for (int64_t i = 0; i < n; ++i) {
    const key_of<T> key = sort_key(x[i]);
    const T back = sort_value<T>(key);
    exact &= __builtin_memcmp(&back, &x[i], sizeof(T)) == 0;
    scratch[i] = {key ^ flip, static_cast<uint32_t>(i)};
  }
  const Keyed<key_of<T>>* sorted = sort_keys(scratch, scratch + n, n);
  if (!exact) return write_row(values, indices, x, sorted, keep);
  for (int64_t i = 0; i < keep; ++i) {
    indices[i] = sorted[i].index;
    values[i] = sort_value<T>(sorted[i].key ^ flip);
  }
}

/// Calls row(r, scratch) for every row with scratch memory for 2 n keys.
template <class K, class Row>
void each_row(int64_t rows, int64_t n, const Row& row) {
  const size_t nbytes = static_cast<size_t>(2 * n) * sizeof(Keyed<K>);
  parallel_for(0, rows, std::max<int64_t>(1, 4096 / n), [&](int64_t begin, int64_t end) {
    // The tensor allocator's cache provides the scratch. Fresh pages would cost more than the
    // sorting.
    const intrusive_ptr<StorageImpl> scratch = allocate_storage(nbytes, Device());
    for (int64_t r = begin; r < end; ++r) row(r, static_cast<Keyed<K>*>(scratch->data));
  });
}

// ---------------------------------------------------------------- top k
template <class T, class K>
void lane_maxima(K* lanes, const T* x, int64_t n, K flip) {
  return TAPER_BY_ISA(lane_maxima, lanes, x, n, flip);
}
template <class T, class K>
int64_t next_candidates(const T* x, int64_t i, int64_t n, K threshold, K flip) {
  return TAPER_BY_ISA(skip_below, x, i, n, threshold, flip);
}

// Returns a key that at least k elements reach: the k-th largest of 32 interleaved maxima.
template <class T, class K>
K lower_bound(const T* x, int64_t n, int64_t k, K flip) {
  K lanes[32];
  lane_maxima(lanes, x, n, flip);
  std::nth_element(lanes, lanes + k - 1, lanes + 32, std::greater<K>());
  return lanes[k - 1];
}

// Keeps the best k so far in a heap with the worst of them on top. Most elements are below it and
// are skipped in groups. Ties go to the lower index, because later elements must be above the top.
template <class T>
void topk_row(T* values, int64_t* indices, const T* x, int64_t n, int64_t k, key_of<T> flip,
              Keyed<key_of<T>>* heap) {
  using Entry = Keyed<key_of<T>>;
  const auto better = [](const Entry& a, const Entry& b) {
    return a.key != b.key ? a.key > b.key : a.index < b.index;
  };
  const key_of<T> bound = k <= 16 ? lower_bound(x, n, k, flip) : 0;
  int64_t i = 0;
  if (bound > 0) {  // placeholders that the best k displace
    std::fill_n(heap, k, Entry{static_cast<key_of<T>>(bound - 1), UINT32_MAX});
  } else {
    for (; i < k; ++i) heap[i] = {sort_key(x[i]) ^ flip, static_cast<uint32_t>(i)};
    std::make_heap(heap, heap + k, better);
  }
  while (i < n) {
    i = next_candidates(x, i, n, heap[0].key, flip);
    for (const int64_t end = std::min(i + 32, n); i < end; ++i) {
      const key_of<T> key = sort_key(x[i]) ^ flip;
      if (key <= heap[0].key) continue;
      std::pop_heap(heap, heap + k, better);
      heap[k - 1] = {key, static_cast<uint32_t>(i)};
      std::push_heap(heap, heap + k, better);
    }
  }
  std::sort(heap, heap + k, better);
  write_row(values, indices, x, heap, k);
}

}  // namespace

void sort_rows(Out values, Out indices, In x, int64_t n, bool descending) {
  switch_dtype<dtypes::Real>(x.dtype, "sort", [&]<class scalar_t>() {
    using K = key_of<scalar_t>;
    const K flip = descending ? ~K(0) : K(0);
    each_row<K>(x.numel / n, n, [&](int64_t r, Keyed<K>* scratch) {
      sort_row(values.as<scalar_t>() + r * n, indices.as<int64_t>() + r * n,
               x.as<scalar_t>() + r * n, n, n, flip, scratch);
    });
  });
}

void topk_rows(Out values, Out indices, In x, int64_t n, int64_t k, bool largest) {
  switch_dtype<dtypes::Number>(x.dtype, "topk_cpu", [&]<class scalar_t>() {
    using K = key_of<scalar_t>;
    const K flip = largest ? K(0) : ~K(0);
    each_row<K>(x.numel / n, n, [&](int64_t r, Keyed<K>* scratch) {
      const scalar_t* row = x.as<scalar_t>() + r * n;
      scalar_t* v = values.as<scalar_t>() + r * k;
      int64_t* i = indices.as<int64_t>() + r * k;
      // A heap serves few, a sort serves many.
      if (k * 16 <= n)
        topk_row(v, i, row, n, k, flip, scratch);
      else
        sort_row(v, i, row, n, k, static_cast<K>(~flip), scratch);
    });
  });
}

}  // namespace torch::taper::cpu
