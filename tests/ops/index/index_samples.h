// Samples of ops that read and write by index tensors.
#pragma once

#include <algorithm>

#include "harness/samples.h"

namespace torch::taper::testing {

using Shape = std::vector<int64_t>;

/// x of a shape and an index of another, with values below `limit`.
inline Args indexed(const Shape& x, const Shape& index, int64_t limit, int64_t dim,
                    ScalarType dtype, uint64_t seed = 7) {
  Random random(seed);
  return {{random_tensor(x, dtype, {}, random), random_index(index, 0, limit, random)}, {dim}, {}};
}

/// The same with a source of a third shape.
inline Args with_source(Args a, const Shape& source, ScalarType dtype) {
  Random random(11);
  a.t.push_back(random_tensor(source, dtype, {}, random));
  return a;
}

inline int64_t wrapped(int64_t dim, const Array& x) { return dim < 0 ? dim + x.dim() : dim; }

inline void assign(double& to, double from) { to = from; }
inline void add(double& to, double from) { to += from; }

inline Tensor longs(std::vector<int64_t> v) {
  const Tensor t = detail::make_tensor({static_cast<int64_t>(v.size())}, kLong, kCPU);
  std::copy(v.begin(), v.end(), t.data_ptr<int64_t>());
  return t;
}
inline Tensor ones(Shape shape, ScalarType dtype = kFloat) {
  return to_tensor(Array(shape, 1), dtype);
}

}  // namespace torch::taper::testing
