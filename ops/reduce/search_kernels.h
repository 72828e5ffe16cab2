// The kernel of searchsorted. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// Returns the first index of n sorted elements with an element >= v, or > v with `right`.
template <class T>
TAPER_HD int64_t place_of_value(const T* begin, int64_t n, T v, bool right) {
  int64_t low = 0, high = n;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    const bool before = right ? !(begin[middle] > v) : !(begin[middle] >= v);
    if (before)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Returns the part p of edges[0] <= ... <= edges[parts] with v in [edges[p], edges[p + 1]). The
/// last part includes its end. Returns -1 if v is in none.
template <class T>
TAPER_HD int64_t part_of_value(const T* edges, int64_t parts, T v) {
  if (!(v >= edges[0] && v <= edges[parts])) return -1;
  return v == edges[parts] ? parts - 1 : place_of_value(edges, parts + 1, v, true) - 1;
}

/// Returns the cell of a histogram, given the cell in the previous dimensions and the part in the
/// next dimension. 0 means no cell, k + 1 means cell k.
TAPER_HD inline int64_t joined_cell(int64_t before, int64_t parts, int64_t part) {
  return before == 0 || part < 0 ? 0 : (before - 1) * parts + part + 1;
}

/// All tensors are contiguous. boundaries and values have one dtype. Each row of boundaries serves
/// the values of one row, or all values if it is the only one. y is kLong.
TAPER_KERNEL(searchsorted, Out y, In boundaries, In values, bool right)
/// Replaces cells[i], 1 at first, by joined_cell of it and the part of values[i]. values may have a
/// stride. `equal` means that the edges are about equally far apart.
TAPER_KERNEL(histogram_cells, InOut cells, In values, In edges, bool equal)

}  // namespace torch::taper
