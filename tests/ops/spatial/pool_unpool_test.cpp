// Cases of unpooling and of windows at random places, from their definitions.
#include <cmath>
#include <set>

#include <taper/ops/spatial/pool_unpool.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Sizes = std::vector<int64_t>;

// ---------------------------------------------------------------------- back to their places
/// Values, and for each plane of them different places among the `room` of the result.
Args placed(ScalarType t, const Sizes& sizes, int64_t planes, const Sizes& output) {
  Args a = sample_of({sizes}, t, {-2, 2}, output);
  const int64_t n = numel_of(sizes) / planes, room = numel_of(output);
  Array places(sizes);
  for (int64_t i = 0; i < places.numel(); ++i)
    places.v[static_cast<size_t>(i)] = double((i % n * 5 + i / n) % room);
  a.t.push_back(to_tensor(places, kLong));
  return a;
}
Arrays put_back(const ArrayArgs& a) {
  const Array& x = a.t[0];
  Sizes sizes(x.sizes.begin(), x.sizes.end() - static_cast<int64_t>(a.i.size()));
  const int64_t planes = numel_of(sizes), n = x.numel() / planes, room = numel_of(a.i);
  sizes.insert(sizes.end(), a.i.begin(), a.i.end());
  Array y(sizes);
  for (int64_t i = 0; i < x.numel(); ++i)
    y.v[static_cast<size_t>(i / n * room + int64_t(a.t[1].v[static_cast<size_t>(i)]))] =
        x.v[static_cast<size_t>(i)];
  return y;
}

TAPER_OP_CASES(unpools, {
  OpCase planes;
  planes.name = "max_unpool2d";
  planes.samples = [](ScalarType t) {
    return std::vector<Args>{placed(t, {2, 3, 2, 2}, 6, {3, 4}), placed(t, {2, 3, 1}, 2, {4, 4})};
  };
  planes.call = [](const Args& a) { return max_unpool2d(a.t[0], a.t[1], a.i); };
  planes.errors = {
      error<Error>("Expected shape of indices to be same as that of the input tensor", [] {
        max_unpool2d(numbers({1, 2, 2}), counting({1, 2, 1}, kLong), {4, 4});
      })};
  OpCase volumes;
  volumes.name = "max_unpool3d";
  volumes.samples = [](ScalarType t) {
    return std::vector<Args>{placed(t, {2, 1, 2, 2, 1}, 2, {4, 4, 2})};
  };
  volumes.call = [](const Args& a) {
    return max_unpool3d(a.t[0], a.t[1], a.i, {2, 2, 2}, {0, 0, 0});
  };
  std::vector<OpCase> list = {planes, volumes};
  for (OpCase& c : list) c.reference = &put_back;
  return list;
});

// ---------------------------------------------------------------------- windows at random places
/// Where the windows start: floor((i + u) step) - floor(u step), the last one at the end.
Sizes starts(int64_t in, int64_t out, int64_t kernel, double u) {
  const double step = double(in - kernel) / double(out - 1);
  Sizes list;
  for (int64_t i = 0; i + 1 < out; ++i)
    list.push_back(int64_t((double(i) + u) * step) - int64_t(u * step));
  list.push_back(in - kernel);
  return list;
}
/// t[1]: a number for each sample, channel and dimension (width first); i: the sizes of the result;
/// windows of 2.
Arrays naive_fractional(const ArrayArgs& a) {
  const Array& x = a.t[0];
  const auto spatial = static_cast<int64_t>(a.i.size());
  Sizes sizes(x.sizes.begin(), x.sizes.end() - spatial);
  const int64_t planes = numel_of(sizes), area = x.numel() / planes, room = numel_of(a.i);
  sizes.insert(sizes.end(), a.i.begin(), a.i.end());
  const Sizes in(x.sizes.end() - spatial, x.sizes.end());
  Array y(sizes), at(sizes);
  for (int64_t p = 0; p < planes; ++p) {
    std::vector<Sizes> first;
    for (int64_t d = 0; d < spatial; ++d)
      first.push_back(starts(in[size_t(d)], a.i[size_t(d)], 2,
                             a.t[1].v[size_t(p * spatial + (spatial - 1 - d))]));
    int64_t k = p * room;
    for_each_index(a.i, [&](const Sizes& index) {
      double best = -INFINITY;
      for_each_index(Sizes(size_t(spatial), 2), [&](const Sizes& element) {
        int64_t place = 0;
        for (size_t d = 0; d < in.size(); ++d)
          place = place * in[d] + first[d][size_t(index[d])] + element[d];
        const double v = x.v[size_t(p * area + place)];
        if (v <= best) return;
        best = v;
        at.v[size_t(k)] = double(place);
      });
      y.v[size_t(k++)] = best;
    });
  }
  return {y, at};
}
std::vector<Args> fractional(ScalarType t, const std::vector<std::pair<Sizes, Sizes>>& settings) {
  std::vector<Args> list;
  for (const auto& [sizes, output] : settings) {
    Args a = sample_of({sizes}, t, {-2, 2}, output);
    for (int64_t i = 0; i < a.t[0].numel(); ++i)  // no two are equal
      set_element(a.t[0], i, get_element(a.t[0], i) + 1e-2 * double(i % 7));
    const auto spatial = static_cast<int64_t>(output.size());
    const bool batched = int64_t(sizes.size()) == spatial + 2;
    a.t.push_back(
        sample_of({{batched ? sizes[0] : 1, sizes[batched], spatial}}, t, {0.05, 0.95}).t[0]);
    list.push_back(a);
  }
  return list;
}

TAPER_OP_CASES(fractions, {
  OpCase planes;
  planes.name = "fractional_max_pool2d";
  planes.samples = [](ScalarType t) {
    return fractional(t, {{{2, 3, 5, 6}, {3, 4}}, {{2, 7, 4}, {4, 2}}});
  };
  planes.call = [](const Args& a) {
    const auto [y, at] = fractional_max_pool2d(a.t[0], {2, 2}, a.i, a.t[1]);
    return Results{y, at};
  };
  OpCase volumes;
  volumes.name = "fractional_max_pool3d";
  volumes.samples = [](ScalarType t) {
    return fractional(t, {{{1, 2, 4, 5, 4}, {2, 3, 2}}, {{2, 4, 4, 3}, {3, 2, 2}}});
  };
  volumes.call = [](const Args& a) {
    const auto [y, at] = fractional_max_pool3d(a.t[0], {2, 2, 2}, a.i, a.t[1]);
    return Results{y, at};
  };
  std::vector<OpCase> list = {planes, volumes};
  for (OpCase& c : list) {
    c.reference = &naive_fractional;
    c.inputs_without_gradient = {1};
  }
  return list;
});

}  // namespace
}  // namespace torch::taper::testing
