// The kernel of searchsorted. Not installed.
#pragma once

#include <taper/framework/dispatch.h>

namespace taper {

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

/// Contiguous; boundaries and values of one dtype. Each row of boundaries is for as many values as
/// there are for one (all of them where there is one row). y is kLong.
TAPER_KERNEL(searchsorted, Out y, In boundaries, In values, bool right)

}  // namespace taper
