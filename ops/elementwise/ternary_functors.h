// The formulas of pointwise functions of three tensors, for host and device.
#pragma once

#include <taper/framework/core/dtype.h>
#include <taper/ops/elementwise/binary_functors.h>

namespace torch::taper::functor {

template <class C>
struct addcmul {
  C value;
  TAPER_HD C operator()(C x, C a, C b) const { return x + value * a * b; }
};
template <class C>
struct addcdiv {
  C value;
  TAPER_HD C operator()(C x, C a, C b) const { return x + value * a / b; }
};

/// Interpolates from the nearer end, so that weight 1 gives `end` exactly.
struct lerp {
  template <class C>
  TAPER_HD C operator()(C start, C end, C weight) const {
    const C step = end - start, from_start = start + weight * step;
    const C from_end = end - step * (C(1) - weight);
    return weight < C(0.5) ? from_start : from_end;
  }
};
template <class C>
struct lerp_number {
  C weight;
  TAPER_HD C operator()(C start, C end) const { return lerp()(start, end, weight); }
};

/// Limits x to at least `low`, then to at most `high`. Returns NaN if x, `low` or `high` is NaN.
struct clamp_between {
  template <class C>
  TAPER_HD C operator()(C x, C low, C high) const {
    if constexpr (!std::is_floating_point<C>::value) return minimum()(maximum()(x, low), high);
    const C raised = low > x ? low : x, between = high < raised ? high : raised;
    return low != low || high != high ? low + high : between;
  }
};

}  // namespace torch::taper::functor
