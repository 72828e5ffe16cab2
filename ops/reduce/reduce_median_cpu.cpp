#include <algorithm>

#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/memory/scratch.h>
#include <taper/ops/reduce/reduce_kernels.h>
#include <taper/ops/reduce/sort_keys.h>

// Selects the element of a given rank in a row without sorting it. For CPU kernels.
namespace torch::taper::cpu {

/// A key, and the number of equal keys before it in the row.
template <class K>
struct Ranked {
  K key;
  int64_t equals;
};

/// The bits that all keys of a row share.
template <class K>
struct KeyRange {
  int digit_shift;  // above the highest bit in which some differ, less the bits of a digit
  int64_t nans;
};
constexpr int kDigitBits = 11;

template <class T>
KeyRange<key_of<T>> key_range(const T* row, int64_t n) {
  using K = key_of<T>;
  const K first = sort_key(row[0]);
  K differ = 0;
  int64_t nans = 0;
  for (int64_t i = 0; i < n; ++i) {
    const K key = sort_key(row[i]);
    differ |= static_cast<K>(key ^ first);
    nans += key == static_cast<K>(~K(0));
  }
  const int bits = differ == 0 ? 0 : 64 - __builtin_clzll(static_cast<uint64_t>(differ));
  return {std::max(0, bits - kDigitBits), std::numeric_limits<T>::is_integer ? 0 : nans};
}

/// Writes the keys that share the digit of the key of this rank to `to`. `rank` becomes the rank
/// among them. Returns their number.
template <class K, class KeyAt>
int64_t keep_digit(K* to, const KeyAt& key_at, int64_t n, int shift, int64_t& rank) {
  constexpr K kMask = (K(1) << kDigitBits) - 1;
  // Neighbours use two tables, because equal digits would wait for each other's sum.
  uint32_t counts[2][1 << kDigitBits] = {};
  for (int64_t i = 0; i < n; ++i) ++counts[i & 1][(key_at(i) >> shift) & kMask];
  K digit = 0;
  for (;; ++digit) {
    const int64_t here = int64_t{counts[0][digit]} + counts[1][digit];
    if (rank < here) break;
    rank -= here;
  }
  int64_t kept = 0;  // never beyond i, so `to` may be where the keys come from
  for (int64_t i = 0; i < n; ++i) {
    const K key = key_at(i);
    to[kept] = key;
    kept += ((key >> shift) & kMask) == digit;
  }
  return kept;
}

/// Reorders the keys.
template <class K>
Ranked<K> ranked_of(K* keys, int64_t n, int64_t rank) {
  std::nth_element(keys, keys + rank, keys + n);
  const K key = keys[rank];
  return {key, rank - std::count_if(keys, keys + rank, [key](K k) { return k < key; })};
}

/// Returns the index of the element of rank rank_of(number of NaN) among n > 0. NaNs come last.
/// Ties go to the earlier element.
template <class T, class RankOf>
int64_t place_of_rank(const T* row, int64_t n, const RankOf& rank_of) {
  using K = key_of<T>;
  constexpr int64_t kFew = 1 << 13;
  const KeyRange<K> range = key_range(row, n);
  int64_t rank = rank_of(range.nans), left = n;
  const Scratch<K> keys(n);
  const auto in_row = [row](int64_t i) { return sort_key(row[i]); };
  if (n <= kFew || n > INT64_C(0xffffffff)) {
    for (int64_t i = 0; i < n; ++i) keys[i] = in_row(i);
  } else {
    int shift = range.digit_shift;
    left = keep_digit(keys.get(), in_row, n, shift, rank);
    while (left > kFew && shift > 0) {
      shift = std::max(0, shift - kDigitBits);
      left = keep_digit(
          keys.get(), [&](int64_t i) { return keys[i]; }, left, shift, rank);
    }
  }
  const Ranked<K> found = ranked_of(keys.get(), left, rank);
  int64_t equals = found.equals;
  return std::find_if(row, row + n,
                      [&](T v) { return sort_key(v) == found.key && equals-- == 0; }) -
         row;
}

namespace {

/// Writes values and indices of the elements of rank rank_of(number of NaN) in rows of n.
template <class T, class RankOf>
void select_rows(const Out& values, const Out& indices, const In& x, int64_t n,
                 const RankOf& rank_of) {
  const T* from = x.as<T>();
  parallel_for(0, values.numel, kGrain / 16 / n + 1, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      const int64_t at = place_of_rank(from + i * n, n, rank_of);
      values.as<T>()[i] = from[i * n + at];
      indices.as<int64_t>()[i] = at;
    }
  });
}

}  // namespace

void median(Out values, Out indices, In x, bool skip_nan) {
  const int64_t n = x.sizes.back();
  // The first NaN is the median, unless NaNs are skipped.
  const auto rank_of = [=](int64_t nans) {
    return nans > 0 && (!skip_nan || nans == n) ? n - nans : (n - nans - 1) / 2;
  };
  switch_dtype<dtypes::Number>(x.dtype, "median", [&]<class scalar_t>() {
    select_rows<scalar_t>(values, indices, x, n, rank_of);
  });
}

void kth_value(Out values, Out indices, In x, int64_t n, int64_t k) {
  switch_dtype<dtypes::Number>(x.dtype, "kthvalue", [&]<class scalar_t>() {
    select_rows<scalar_t>(values, indices, x, n, [=](int64_t) { return k - 1; });
  });
}

}  // namespace torch::taper::cpu
