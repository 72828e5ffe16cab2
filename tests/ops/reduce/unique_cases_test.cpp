// The different elements and slices of a tensor, and histograms, in the harness.
#include <taper/ops/reduce/histogram.h>
#include <taper/ops/reduce/unique.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ops/taken.h"

namespace taper::testing {
namespace {

// ---------------------------------------------------------------- unique
/// Slices along `dim` in groups of equal ones: in order of their values, or as runs.
struct Groups {
  Sizes first;  ///< a slice of each group
  Array group_of_slice, counts;
};

using Row = std::vector<double>;

std::vector<Row> rows_along(const Array& x, int64_t dim) {
  std::vector<Row> rows(static_cast<size_t>(x.size(dim)));
  for_each_index(x.sizes, [&](const Sizes& index) {
    Row& row = rows[static_cast<size_t>(index[static_cast<size_t>(dim)])];
    const auto p = static_cast<size_t>(x.position(index));
    row.push_back(x.v[p]);
    if (!x.im.empty()) row.push_back(x.im[p]);
  });
  return rows;
}

Groups groups_of(const Array& x, int64_t dim, bool sorted) {
  const std::vector<Row> rows = rows_along(x, dim);
  Sizes order(rows.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto row = [&](int64_t i) -> const Row& { return rows[static_cast<size_t>(i)]; };
  if (sorted)
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return row(a) < row(b); });
  Groups g{{}, Array({x.size(dim)}), {}};
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || row(order[i]) != row(order[i - 1])) {
      g.first.push_back(order[i]);
      g.counts.v.push_back(0);
    }
    ++g.counts.v.back();
    g.group_of_slice.v[static_cast<size_t>(order[i])] = static_cast<double>(g.first.size() - 1);
  }
  g.counts.sizes = {static_cast<int64_t>(g.first.size())};
  return g;
}

Array slices(const Array& x, int64_t dim, const Sizes& places) {
  Sizes sizes = x.sizes;
  sizes[static_cast<size_t>(dim)] = static_cast<int64_t>(places.size());
  return taken(x, sizes, [&](Sizes index) {
    int64_t& i = index[static_cast<size_t>(dim)];
    i = places[static_cast<size_t>(i)];
    return index;
  });
}

Arrays elements(const Array& x, bool sorted) {
  const Array flat = reshaped(x, {x.numel()});
  const Groups g = groups_of(flat, 0, sorted);
  return {slices(flat, 0, g.first), reshaped(g.group_of_slice, x.sizes), g.counts};
}
Arrays slices_along(const Array& x, int64_t dim, bool sorted) {
  const Groups g = groups_of(x, wrapped(dim, x.dim()), sorted);
  return {slices(x, wrapped(dim, x.dim()), g.first), g.group_of_slice, g.counts};
}

/// Values that occur more than once: some of few whole numbers.
std::vector<Args> repeating(const std::vector<Moving>& samples, ScalarType t) {
  std::vector<Args> list;
  Random random(3);
  for (const Moving& m : samples) {
    Array x = to_array(random_index(m.sizes, 0, 4, random));
    list.push_back({{to_tensor(x, t)}, m.numbers});
  }
  return list;
}

using Parts = std::tuple<Tensor, Tensor, Tensor>;
OpCase unique_case(std::string name, std::vector<Moving> samples,
                   std::function<Parts(const Tensor&, const Sizes&)> call,
                   std::function<Arrays(const Array&, const Sizes&)> reference) {
  OpCase c = moving_case(
      std::move(name), {},
      [call = std::move(call)](const Tensor& x, const Sizes& i) {
        const auto [values, inverse, counts] = call(x, i);
        return Results{values, inverse, counts};
      },
      std::move(reference));
  c.dtypes = {kFloat, kDouble, kHalf, kLong, kInt, kByte, kBool};
  c.samples = [samples = std::move(samples)](ScalarType t) { return repeating(samples, t); };
  c.differentiable = false;
  return c;
}

const std::vector<Moving> kElements = {{{5}}, {{2, 3, 4}}, {{}},    {{1}},
                                       {{0}}, {{17, 33}},  {{2, 0}}};
const std::vector<Moving> kSlices = {{{6, 1}, {0}},     {{9, 2}, {0}}, {{2, 9}, {-1}},
                                     {{2, 12, 1}, {1}}, {{1, 3}, {0}}, {{65, 2}, {0}},
                                     {{7}, {0}}};

TAPER_OP_CASES(unique_cases, {
  OpCase all = unique_case(
      "_unique2", kElements,
      [](const Tensor& x, const Sizes&) { return _unique2(x, true, true, true); },
      [](const Array& x, const Sizes&) { return elements(x, true); });
  all.dtypes.push_back(kShort);
  all.errors = {error<Error>("_unique2", [] { _unique2(Tensor()); })};
  OpCase some = unique_case(
      "_unique", kElements,
      [](const Tensor& x, const Sizes&) {
        const auto [values, inverse] = _unique(x, true, true);
        return Parts{values, inverse, std::get<1>(_unique(x))};
      },
      [](const Array& x, const Sizes&) {
        const Arrays y = elements(x, true);
        return Arrays{y[0], y[1], Array({0})};
      });
  OpCase along = unique_case(
      "unique_dim", kSlices,
      [](const Tensor& x, const Sizes& i) { return unique_dim(x, i[0], true, true, true); },
      [](const Array& x, const Sizes& i) { return slices_along(x, i[0], true); });
  along.errors = {
      error<IndexError>("Dimension out of range",
                        [] {
                          unique_dim(numbers({2, 3}), 2);
                        }),
      error<Error>("There are 0 sized dimensions, and they aren't selected, so unique cannot be "
                   "applied",
                   [] {
                     unique_dim(numbers({2, 0}), 0);
                   })};
  OpCase runs = unique_case(
      "unique_consecutive", kElements,
      [](const Tensor& x, const Sizes&) { return unique_consecutive(x, true, true); },
      [](const Array& x, const Sizes&) { return elements(x, false); });
  runs.dtypes.push_back(kComplexFloat);
  OpCase runs_along = unique_case(
      "unique_dim_consecutive", kSlices,
      [](const Tensor& x, const Sizes& i) { return unique_dim_consecutive(x, i[0], true, true); },
      [](const Array& x, const Sizes& i) { return slices_along(x, i[0], false); });
  runs_along.errors = {error<IndexError>("Dimension out of range", [] {
    unique_consecutive(numbers({2, 3}), false, false, 2);
  })};
  return std::vector<OpCase>{all, some, along, runs, runs_along};
});

// ---------------------------------------------------------------- histograms
/// The part that v lies in, -1 for none; the last part has its upper end.
int64_t part_between(double v, const std::vector<double>& edges) {
  for (size_t k = 0; k + 1 < edges.size(); ++k)
    if (v >= edges[k] && (v < edges[k + 1] || (k + 2 == edges.size() && v == edges[k + 1])))
      return static_cast<int64_t>(k);
  return -1;
}

/// Sums of weights of points (N x D) in the cells between the edges of each dimension.
Array counted(const Array& points, const std::vector<Array>& edges, const Array& weights,
              bool density) {
  Sizes sizes;
  for (const Array& e : edges) sizes.push_back(e.numel() - 1);
  Array y(sizes);
  const int64_t D = static_cast<int64_t>(edges.size());
  double whole = 0;
  for (int64_t i = 0; i < weights.numel(); ++i) {
    Sizes cell;
    for (int64_t d = 0; d < D; ++d)
      cell.push_back(
          part_between(points.v[static_cast<size_t>(i * D + d)], edges[static_cast<size_t>(d)].v));
    if (std::count(cell.begin(), cell.end(), -1)) continue;
    y.at(cell) += weights.v[static_cast<size_t>(i)];
    whole += weights.v[static_cast<size_t>(i)];
  }
  if (!density) return y;
  for_each_index(sizes, [&](const Sizes& index) {
    y.at(index) /= whole;
    for (size_t d = 0; d < index.size(); ++d) {
      const auto k = static_cast<size_t>(index[d]);
      y.at(index) /= edges[d].v[k + 1] - edges[d].v[k];
    }
  });
  return y;
}
Array equal_parts(double low, double high, int64_t n) {
  Array y({n + 1});
  for (int64_t k = 0; k <= n; ++k)
    y.v[static_cast<size_t>(k)] = low + (high - low) * double(k) / double(n);
  y.v.back() = high;
  return y;
}
Array rows_of_points(const Array& x) { return reshaped(x, {x.numel() / x.size(-1), x.size(-1)}); }

// Tensors: points, weights, one vector of edges for each dimension. Numbers: density.
std::vector<Args> points_and_edges(ScalarType t, bool one) {
  const auto edges = [t](std::vector<double> v) { return values(std::move(v), t); };
  Random random(4);
  const auto points = [&](const Sizes& sizes) { return random_tensor(sizes, t, {-2, 2}, random); };
  const auto weights = [&](const Sizes& sizes) {
    return random_tensor(sizes, t, {0.1, 2}, random);
  };
  const Tensor a = edges({-2, -0.5, 0, 1, 2}), b = edges({-1, 1.5});
  if (one)
    return {{{points({40}), weights({40}), a}, {0}},
            {{points({3, 5}), weights({3, 5}), b}, {0}},
            {{points({2, 33}), weights({2, 33}), a}, {1}},
            {{points({0}), weights({0}), a}, {0}}};
  return {{{points({40, 2}), weights({40}), a, b}, {0}},
          {{points({3, 5, 2}), weights({3, 5}), b, a}, {1}},
          {{points({50, 3}), weights({50}), a, b, a}, {0}},
          {{points({0, 2}), weights({0}), a, b}, {0}}};
}

TAPER_OP_CASES(histograms, {
  OpCase one;
  one.name = "histogram";
  one.differentiable = false;
  one.samples = [](ScalarType t) { return points_and_edges(t, true); };
  one.call = [](const Args& a) {
    const auto [weighed, edges] = histogram(a.t[0], a.t[2], a.t[1], a.i[0] != 0);
    return Results{weighed, edges, std::get<0>(histogram(a.t[0], a.t[2]))};
  };
  one.reference = [](const ArrayArgs& a) {
    const Array points = reshaped(a.t[0], {a.t[0].numel(), 1});
    return Arrays{counted(points, {a.t[2]}, a.t[1], a.i[0] != 0), a.t[2],
                  counted(points, {a.t[2]}, Array({a.t[1].numel()}, 1), false)};
  };
  one.tolerance = 4;
  OpCase more = one;
  more.name = "histogramdd";
  more.samples = [](ScalarType t) { return points_and_edges(t, false); };
  more.call = [](const Args& a) {
    const std::vector<Tensor> bins(a.t.begin() + 2, a.t.end());
    auto [weighed, edges] = histogramdd(a.t[0], TensorList(bins), a.t[1], a.i[0] != 0);
    Results list{weighed, std::get<0>(histogramdd(a.t[0], TensorList(bins)))};
    list.insert(list.end(), edges.begin(), edges.end());
    return list;
  };
  more.reference = [](const ArrayArgs& a) {
    const std::vector<Array> bins(a.t.begin() + 2, a.t.end());
    const Array points = rows_of_points(a.t[0]);
    Arrays list{counted(points, bins, a.t[1], a.i[0] != 0),
                counted(points, bins, Array({a.t[1].numel()}, 1), false)};
    list.insert(list.end(), bins.begin(), bins.end());
    return list;
  };
  const Tensor x = numbers({4, 2}), e = values({0, 1});
  more.errors = {
      error<Error>("expected 2 sequences of bin edges for a 2-dimensional histogram but got 1",
                   [=] { histogramdd(x, TensorList({e})); }),
      error<Error>("bins tensor should have at least 2 elements, but got 1 elements in the bins "
                   "tensor for dimension 1",
                   [=] {
                     histogramdd(x, TensorList({e, values({1})}));
                   }),
      error<Error>("bins tensor should have one dimension, but got 2 dimensions",
                   [=] {
                     histogramdd(x, TensorList({e, numbers({2, 2})}));
                   }),
      error<Error>("input tensor and bins tensors should have the same dtype",
                   [=] {
                     histogramdd(x, TensorList({e, values({0, 1}, kDouble)}));
                   }),
      error<Error>("excluding its innermost dimension, but got input with shape [4, 2] and weight "
                   "with shape [4, 2]",
                   [=] {
                     histogramdd(x, TensorList({e, e}), x);
                   }),
      error<Error>("input tensor and weight tensor should have the same dtype",
                   [=] {
                     histogramdd(x, TensorList({e, e}), numbers({4}, kDouble));
                   }),
      error<Error>("input tensor should have at least 2 dimensions, but got 1",
                   [=] { histogramdd(e, TensorList({e})); })};
  return std::vector<OpCase>{one, more};
});

// Numbers: parts of each dimension; d: the ends of each, none for those of the points.
TAPER_OP_CASES(histograms_of_equal_parts, {
  OpCase c;
  c.name = "histogramdd_equal_parts";
  c.differentiable = false;
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{40, 2}}, t, {-2, 2}, {3, 4}, {-1, 1.6, -2, 1}),
                             sample_of({{60, 1}}, t, {-2, 2}, {5}, {-2.5, 2.5}),
                             sample_of({{3, 7, 2}}, t, {-2, 2}, {2, 3})};
  };
  c.call = [](const Args& a) {
    const ArrayRef<double> ends(a.d);
    auto [hist, edges] = histogramdd(a.t[0], IntArrayRef(a.i),
                                     a.d.empty() ? nullopt : optional<ArrayRef<double>>(ends));
    Results list{hist};
    list.insert(list.end(), edges.begin(), edges.end());
    return list;
  };
  c.reference = [](const ArrayArgs& a) {
    const Array points = rows_of_points(a.t[0]);
    std::vector<Array> edges;
    for (size_t d = 0; d < a.i.size(); ++d) {
      double low = INFINITY, high = -INFINITY;
      for (size_t k = d; k < points.v.size(); k += a.i.size()) {
        low = std::min(low, points.v[k]);
        high = std::max(high, points.v[k]);
      }
      if (!a.d.empty()) low = a.d[2 * d], high = a.d[2 * d + 1];
      edges.push_back(equal_parts(low, high, a.i[d]));
    }
    Arrays list{counted(points, edges, Array({points.size(0)}, 1), false)};
    list.insert(list.end(), edges.begin(), edges.end());
    return list;
  };
  const std::vector<int64_t> two{2, 2}, none{0, 2};
  const std::vector<double> short_range{0, 1}, falling{0, 1, 2, 1}, open{0, 1, 0, INFINITY};
  const Tensor x = numbers({4, 2});
  const auto refused = [x](const char* words, std::vector<int64_t> bins, std::vector<double> ends) {
    return error<Error>(words, [=] {
      histogramdd(x, IntArrayRef(bins), optional<ArrayRef<double>>(ArrayRef<double>(ends)));
    });
  };
  c.errors = {
      refused("for a 2-dimensional histogram range should have 4 elements, but got 2", two,
              short_range),
      refused("min should not exceed max, but got min 2 max 1 for dimension 1", two, falling),
      refused("dimension 1's range [0, inf] is not finite", two, open),
      refused("bins must be > 0, but got 0 for dimension 0", none, {0, 1, 0, 1})};
  return std::vector<OpCase>{c};
});

}  // namespace
}  // namespace taper::testing
