// The formulas of where and of copies, for host and device.
#pragma once

#include <cstdint>

#include <taper/ops/elementwise/functor.h>

namespace torch::taper::functor {

/// An element of a mask. A kByte mask may hold any number, not only 0 and 1.
using MaskByte = uint8_t;

struct Choose {
  template <class T>
  TAPER_HD T operator()(MaskByte condition, T a, T b) const {
    return condition != 0 ? a : b;
  }
};
/// Copies or converts.
struct Copy {
  template <class T>
  TAPER_HD T operator()(T v) const {
    return v;
  }
};

}  // namespace torch::taper::functor
