// Naive references of ops that only move elements, and cases of them.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "test_util.h"

namespace torch::taper::testing {

using Sizes = std::vector<int64_t>;

inline int64_t wrapped(int64_t d, int64_t rank) { return d < 0 ? d + rank : d; }

/// y[index] = x[from(index)].
template <class From>
Array taken(const Array& x, const Sizes& sizes, const From& from) {
  Array y(sizes);
  if (!x.im.empty()) y.im.resize(y.v.size());
  for_each_index(sizes, [&](const Sizes& index) {
    const auto p = static_cast<size_t>(x.position(from(index)));
    const auto q = static_cast<size_t>(y.position(index));
    y.v[q] = x.v[p];
    if (!x.im.empty()) y.im[q] = x.im[p];
  });
  return y;
}
/// y[index] = x[f(index)] for every index of `sizes`; f returns false for a place that stays 0.
template <class Map>
Array rearranged(const Array& x, const Sizes& sizes, const Map& f) {
  Array y{sizes};
  for_each_index(sizes, [&](const Sizes& index) {
    Sizes from = index;
    if (f(from)) y.at(index) = x.at(from);
  });
  return y;
}
/// The same elements in the same order, in another shape.
inline Array reshaped(Array x, Sizes sizes) {
  x.sizes = std::move(sizes);
  return x;
}
/// Places start, start + step, ... (`count` of them) along a dimension.
inline Array part_of(const Array& x, int64_t dim, int64_t start, int64_t count, int64_t step = 1) {
  const auto d = static_cast<size_t>(wrapped(dim, x.dim()));
  Sizes sizes = x.sizes;
  sizes[d] = count;
  return taken(x, sizes, [&](Sizes index) {
    index[d] = start + index[d] * step;
    return index;
  });
}
/// The parts between neighbouring places along a dimension.
inline Arrays parts_of(const Array& x, int64_t dim, const Sizes& places) {
  Arrays parts;
  for (size_t i = 0; i + 1 < places.size(); ++i)
    parts.push_back(part_of(x, dim, places[i], places[i + 1] - places[i]));
  return parts;
}

/// The sizes of one tensor and the numbers of one call.
struct Moving {
  Sizes sizes;
  Sizes numbers = {};
};
/// A case of an op of one tensor and numbers that moves elements: all kinds of dtypes.
inline OpCase moving_case(std::string name, std::vector<Moving> samples,
                          std::function<Results(const Tensor&, const Sizes&)> call,
                          std::function<Arrays(const Array&, const Sizes&)> reference) {
  OpCase c;
  c.name = std::move(name);
  c.dtypes = {kFloat, kDouble, kHalf, kLong, kByte, kBool, kComplexFloat};
  c.samples = [samples = std::move(samples)](ScalarType t) {
    std::vector<Args> list;
    for (const Moving& m : samples) list.push_back(sample_of({m.sizes}, t, {}, m.numbers));
    return list;
  };
  c.call = [call = std::move(call)](const Args& a) { return call(a.t[0], a.i); };
  c.reference = [reference = std::move(reference)](const ArrayArgs& a) {
    return reference(a.t[0], a.i);
  };
  return c;
}
/// A case of an op that moves elements of several tensors.
inline OpCase moving_case(std::string name, std::function<std::vector<Args>(ScalarType)> samples,
                          std::function<Results(const Args&)> call,
                          std::function<Arrays(const ArrayArgs&)> reference) {
  OpCase c;
  c.name = std::move(name);
  c.dtypes = {kFloat, kDouble, kHalf, kLong, kBool};
  c.samples = std::move(samples);
  c.call = std::move(call);
  c.reference = std::move(reference);
  return c;
}
/// The same for a view.
inline OpCase view_case(std::string name, std::vector<Moving> samples,
                        std::function<Results(const Tensor&, const Sizes&)> call,
                        std::function<Arrays(const Array&, const Sizes&)> reference) {
  OpCase c =
      moving_case(std::move(name), std::move(samples), std::move(call), std::move(reference));
  c.is_view = true;
  return c;
}

}  // namespace torch::taper::testing
