// The formula of clamp, for host and device.
#pragma once

#include <taper/ops/elementwise/functor.h>

namespace torch::taper::functor {

// The comparisons keep NaN, because NaN is neither below `low` nor above `high`.
template <class C>
struct Clamp {
  C low, high;
  bool has_low, has_high;
  TAPER_HD C operator()(C v) const {
    if (has_low && v < low) v = low;
    if (has_high && v > high) v = high;
    return v;
  }
};

}  // namespace torch::taper::functor
