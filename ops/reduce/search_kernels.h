// The kernel of searchsorted. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// Returns the first index i < n with begin[i] >= v, or begin[i] > v with `right`. If there is no
/// such i, returns n.
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

/// Returns the index p of the bin [edges[p], edges[p + 1]) that contains v. The last bin includes
/// its upper edge. Returns -1 if no bin contains v. Edges are in ascending order.
template <class T>
TAPER_HD int64_t part_of_value(const T* edges, int64_t parts, T v) {
  if (!(v >= edges[0] && v <= edges[parts])) return -1;
  return v == edges[parts] ? parts - 1 : place_of_value(edges, parts + 1, v, true) - 1;
}

/// Returns the cell of a point in a histogram of several dimensions. `before` is the point's cell
/// in the dimensions so far. `part` is its bin in the next dimension, which has `parts` bins. Cells
/// are counted from 1. 0 means outside of all cells.
TAPER_HD inline int64_t joined_cell(int64_t before, int64_t parts, int64_t part) {
  return before == 0 || part < 0 ? 0 : (before - 1) * parts + part + 1;
}

/// Sets y[i] to place_of_value of values[i] in its row of boundaries. All tensors are contiguous.
/// boundaries and values have one dtype. Row r of boundaries belongs to row r of values. A single
/// row of boundaries belongs to all values. y is kLong.
TAPER_KERNEL(searchsorted, Out y, In boundaries, In values, bool right)
/// Replaces cells[i] by joined_cell of cells[i] and the bin of values[i]. The caller sets cells[i]
/// to 1 before the first dimension. `values` may have a stride. `equal` means that the edges have
/// about equal distances.
TAPER_KERNEL(histogram_cells, InOut cells, In values, In edges, bool equal)

}  // namespace torch::taper
