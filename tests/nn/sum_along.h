// What references of softmin and normalize have in common.
#pragma once

#include "test_util.h"

namespace taper::testing {

/// The sum of f(element) over the elements in line with `at` along a dimension, which may be
/// negative.
template <class F>
double sum_along(const Array& x, std::vector<int64_t> at, int64_t dim, const F& f) {
  const auto d = static_cast<size_t>(dim < 0 ? dim + x.dim() : dim);
  double sum = 0;
  for (at[d] = 0; at[d] < x.sizes[d]; ++at[d]) sum += f(x.at(at));
  return sum;
}

}  // namespace taper::testing
