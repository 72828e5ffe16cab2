// What references of softmax, softmin and normalize have in common.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/array.h"

namespace torch::taper::testing {

/// For each element of x, the sum of f(position) over the elements in line with it along a
/// dimension, which may be negative.
template <class F>
std::vector<double> sums_along(const Array& x, int64_t dim, const F& f) {
  const int64_t rank = x.dim(), d = rank == 0 ? 0 : (dim + rank) % rank;
  std::vector<int64_t> groups = x.sizes;
  if (rank > 0) groups[d] = 1;
  Array sums(groups);
  const auto group_of = [&](std::vector<int64_t> index) {
    if (rank > 0) index[d] = 0;
    return sums.position(index);
  };
  std::vector<double> found;
  int64_t i = 0;
  for_each_index(x.sizes,
                 [&](const std::vector<int64_t>& index) { sums.v[group_of(index)] += f(i++); });
  for_each_index(x.sizes, [&](const std::vector<int64_t>& index) {
    found.push_back(sums.v[group_of(index)]);
  });
  return found;
}

}  // namespace torch::taper::testing
