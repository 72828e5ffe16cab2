// Reads LAPACK's pivots and checks each one, because a program may have changed them. For kernels.
// Not installed.
#pragma once

#include <cstdint>

#include <taper/framework/core/dtype.h>

namespace torch::taper {

/// Sets rows[r] for r < m to the row that the k swaps of LU move to position r. An invalid pivot is
/// not a row from 1 to m. It is skipped, and `wrong` becomes true. Returns the first invalid pivot
/// minus 1, or 0 if there is none.
TAPER_HD inline int64_t permute_by_pivots(int64_t* rows, const int* pivots, int64_t k, int64_t m,
                                          bool* wrong) {
  int64_t first = 0;
  for (int64_t r = 0; r < m; ++r) rows[r] = r;
  for (int64_t r = 0; r < k; ++r) {
    const int64_t other = int64_t{pivots[r]} - 1;
    if (other < 0 || other >= m) {
      if (!*wrong) first = other;
      *wrong = true;
      continue;
    }
    const int64_t row = rows[r];
    rows[r] = rows[other];
    rows[other] = row;
  }
  return first;
}

/// Copies the n pivots of an LDL factorization of the lower triangle. A pivot p > 0 of row k means
/// that rows k and p are swapped, counted from 1. Row p must not be before row k. Rows k and k + 1
/// with an equal pivot p < 0 form a block of D, and rows k + 1 and -p are swapped. If a pivot is
/// invalid, returns false and writes pivots that swap nothing.
template <class T>
TAPER_HD bool copy_ldl_pivots(T* to, const int* from, int64_t n) {
  bool right = true;
  for (int64_t k = 0; k < n && right; ++k) {
    const int64_t row = from[k] < 0 ? -int64_t{from[k]} : from[k];
    const bool block = from[k] < 0;
    right = row > k && row <= n && (!block || (k + 1 < n && from[k + 1] == from[k]));
    to[k] = from[k];
    if (block && right) {
      to[k + 1] = from[k];
      ++k;
    }
  }
  for (int64_t k = 0; k < n && !right; ++k) to[k] = static_cast<T>(k + 1);
  return right;
}

}  // namespace torch::taper
