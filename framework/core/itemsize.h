// Selects an element type by size alone, for kernels that move elements. Not installed.
#pragma once

#include <cstddef>
#include <cstdint>

#include <taper/framework/core/dtype.h>

namespace torch::taper {

/// An element of 16 bytes.
struct Item16 {
  uint64_t halves[2];
};

/// Calls f(T()) with a type T of `itemsize` bytes. T is an unsigned integer for 1, 2, 4 and 8
/// bytes, and Sixteen for 16 bytes.
template <class Sixteen = Item16, class F>
inline void by_itemsize(size_t itemsize, const F& f) {
  switch (itemsize) {
    case 1:
      return f(uint8_t());
    case 2:
      return f(uint16_t());
    case 4:
      return f(uint32_t());
    case 16:
      return f(Sixteen());
    default:
      return f(uint64_t());
  }
}

/// Returns the dtype that kernels use to move elements of dtype `t`. It is an integer of equal size
/// for a stored dtype, else `t` itself.
inline ScalarType moved_as(ScalarType t) {
  if (!isStoredType(t)) return t;
  const size_t itemsize = elementSize(t);
  return itemsize == 1 ? kByte : itemsize == 2 ? kShort : itemsize == 4 ? kInt : kLong;
}

}  // namespace torch::taper
