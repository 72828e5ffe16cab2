// The kernel of searchsorted. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// The first place in the sorted [begin, end) with an element >= v, or > v with `right`.
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

/// The part of edges[0] <= ... <= edges[parts] in which v lies: [edges[p], edges[p + 1]), the last
/// one with its end. -1: in none.
template <class T>
TAPER_HD int64_t part_of_value(const T* edges, int64_t parts, T v) {
  if (!(v >= edges[0] && v <= edges[parts])) return -1;
  return v == edges[parts] ? parts - 1 : place_of_value(edges, parts + 1, v, true) - 1;
}

/// The cell of a histogram over several dimensions, from the cells of those before (0: in none, k +
/// 1: in cell k) and the part in one more.
TAPER_HD inline int64_t joined_cell(int64_t before, int64_t parts, int64_t part) {
  return before == 0 || part < 0 ? 0 : (before - 1) * parts + part + 1;
}

/// Contiguous; boundaries and values of one dtype. Each row of boundaries is for as many values as
/// there are for one (all of them where there is one row). y is kLong.
TAPER_KERNEL(searchsorted, Out y, In boundaries, In values, bool right)
/// cells[i] = joined_cell of itself (1 before the first dimension) and the part of values[i], which
/// may have a stride. `equal`: the edges are about as far from each other.
TAPER_KERNEL(histogram_cells, InOut cells, In values, In edges, bool equal)

}  // namespace torch::taper
