// The kernel of searchsorted. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// Returns the first index i < n with begin[i] >= v, or begin[i] > v with `right`. If there is
/// none, returns n.
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

/// Returns the index p of the part [edges[p], edges[p + 1]) that contains v. The last part includes
/// its end. Returns -1 if no part contains v. Edges are in ascending order.
template <class T>
TAPER_HD int64_t part_of_value(const T* edges, int64_t parts, T v) {
  if (!(v >= edges[0] && v <= edges[parts])) return -1;
  return v == edges[parts] ? parts - 1 : place_of_value(edges, parts + 1, v, true) - 1;
}

/// Returns a cell of a histogram. `before` is the cell in the previous dimensions, `part` the part
/// in the next dimension. 0 means no cell, k + 1 means cell k.
TAPER_HD inline int64_t joined_cell(int64_t before, int64_t parts, int64_t part) {
  return before == 0 || part < 0 ? 0 : (before - 1) * parts + part + 1;
}

/// All tensors are contiguous. boundaries and values have one dtype. Each row of boundaries belongs
/// to one row of values. A single row of boundaries belongs to all values. y is kLong.
TAPER_KERNEL(searchsorted, Out y, In boundaries, In values, bool right)
/// Replaces cells[i] by joined_cell of cells[i] and the part of values[i]. The caller sets cells[i]
/// to 1 before the first dimension. `values` may have a stride. `equal` means that the edges are
/// about equally far apart.
TAPER_KERNEL(histogram_cells, InOut cells, In values, In edges, bool equal)

}  // namespace torch::taper
