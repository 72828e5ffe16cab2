// Reads LAPACK's pivots safely. A caller may have changed them. For kernels. Not installed.
#pragma once

#include <cstdint>

#include <taper/framework/core/dtype.h>

namespace torch::taper {

/// Sets rows[r] for r < m to the row that the k swaps of LU move to position r. Skips invalid
/// pivots, which name no row. Then it sets `wrong` and returns the first invalid pivot, as a row
/// counted from 0.
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

/// Copies the n pivots of an LDL factorization of the lower triangle. Pivot k is the row, counted
/// from 1, with which row k is swapped. It is not before row k. If pivot k is negative, row k + 1
/// is swapped, and rows k and k + 1 form a block of D. If a pivot is invalid, the function returns
/// false and writes pivots without swaps.
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
