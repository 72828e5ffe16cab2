// The formula of where, and that of copies, for host and device.
#pragma once

#include <cstdint>

#include <taper/ops/elementwise/functor.h>

namespace torch::taper::functor {

/// (A mask of kByte has any bytes.)
using MaskByte = uint8_t;

struct Choose {
  template <class T>
  TAPER_HD T operator()(MaskByte condition, T a, T b) const {
    return condition != 0 ? a : b;
  }
};
/// A copy, or a conversion.
struct Copy {
  template <class T>
  TAPER_HD T operator()(T v) const {
    return v;
  }
};

}  // namespace torch::taper::functor
