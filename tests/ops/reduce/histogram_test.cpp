// Histograms and counts. Expected values are PyTorch 1.13's.
#include <taper/ops/reduce/histogram.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/reduce/unique.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>

#include "harness/devices.h"
#include "ops/reduce/counting_case.h"
#include "ops/shared/element_moves.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

void expect_near(const Tensor& y, const std::vector<double>& expected) {
  const std::vector<double> got = values_of(y);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 2e-6) << i;
}

const std::vector<double> kRange{0, 3};

TEST(Histogram, EqualsPyTorchs) {
  const Tensor x = values({1, 2, 1, 4, 0, 2.5});
  auto [hist, edges] = histogram(x, 4, ArrayRef<double>(kRange));
  expect_near(hist, {1, 2, 1, 1});
  expect_near(edges, {0, 0.75, 1.5, 2.25, 3});
  expect_near(std::get<0>(x.histogram(4)), {1, 2, 2, 1});
  expect_near(std::get<0>(histogram(x, values({0, 1, 2, 4}), arange(6, kFloat), true)),
              {0.2666667, 0.1333333, 0.3});
  expect_near(std::get<1>(histogram(values({2, 2}), 2)), {1.5, 2, 2.5});
  expect_near(std::get<0>(histogram(zeros({0}), 3)), {0, 0, 0});
  const std::vector<int64_t> three{3, 3};
  auto [grid, sides] = histogramdd(values({0, 1, 1, 0, 2, 0, 2, 2}).view({4, 2}),
                                   IntArrayRef(three), nullopt, values({1, 2, 4, 8}));
  expect_values(grid, {3, 3}, {0, 1, 0, 2, 0, 0, 4, 0, 8});
  EXPECT_EQ(sides.size(), 2u);
  const std::vector<double> unit{0, 1, 0, 1};
  auto [density, unused] = histogramdd(values({0, 0, 1, 1, 2, 2}).view({3, 2}), int64_t{2},
                                       ArrayRef<double>(unit), nullopt, true);
  expect_values(density, {2, 2}, {2, 0, 0, 2});
}

TEST(Histogram, Errors) {
  const Tensor x = values({1, 2, 1, 4, 0, 2.5});
  const std::vector<double> falling{2, 1}, one{1};
  expect_error("torch.histogram(): bins must be > 0, but got 0 for dimension 0",
               [&] { histogram(x, int64_t{0}); });
  expect_error("torch.histogramdd: min should not exceed max, but got min 2 max 1 for dimension 0",
               [&] { histogram(x, 3, ArrayRef<double>(falling)); });
  expect_error("\"histogramdd\" not implemented for 'Int'", [&] { histogram(x.to(kInt), 3); });
  expect_error("torch.histogramdd(): input tensor should have at least 2 dimensions",
               [&] { histogramdd(x, int64_t{3}); });
  expect_error(
      "torch.histogramdd: bins tensor should have one dimension, but got 2 dimensions in "
      "the bins tensor for dimension 0",
      [&] {
        histogram(x, x.view({2, 3}));
      });
  expect_error(
      "torch.histogramdd: for a 1-dimensional histogram range should have 2 elements, but "
      "got 1",
      [&] { histogram(x, 3, ArrayRef<double>(one)); });
  expect_error("weight with shape [2]", [&] { histogram(x, 3, nullopt, ones({2})); });
}

// Equal parts are found by a guess, others by bisection.
TEST(Histogram, EqualPartsAreThoseOfTheirEdges) {
  Tensor x = randn({5000});
  const std::vector<double> range{-1.3, 1.1};
  for (const int64_t bins : {1, 7, 100, 4000}) {
    const auto [empty_hist, edges] = histogram(x, bins, ArrayRef<double>(range));
    const Tensor all = cat({x, edges, values({NAN, INFINITY, -INFINITY})});
    const Tensor weight = arange(all.numel(), kFloat) * 0.01;
    for (const optional<Tensor>& w : {optional<Tensor>(), optional<Tensor>(weight)}) {
      const Tensor by_number = std::get<0>(histogram(all, bins, ArrayRef<double>(range), w));
      EXPECT_TRUE(by_number.equal(std::get<0>(histogram(all, edges, w)))) << bins;
      if (w) continue;
      const int64_t inside =
          all.ge(edges[0]).logical_and(all.le(edges[bins])).sum().item<int64_t>();
      EXPECT_EQ(by_number.sum().item<double>(), inside) << bins;
    }
  }
}

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

TAPER_OP_CASES(counts, {
  OpCase whole = counting_case(
      "bincount", {kLong, kInt, kByte},
      [](ScalarType t) {
        return std::vector<Args>{sample_of({{9}}, t, {0, 6}), sample_of({{70}}, t, {0, 3}),
                                 sample_of({{0}}, t, {0, 3})};
      },
      [](const Args& a) { return bincount(a.t[0], {}, 5); },
      [](const ArrayArgs& a) {
        int64_t n = 5;
        for (double v : a.t[0].v) n = std::max(n, int64_t(v) + 1);
        Array y({n});
        for (double v : a.t[0].v) ++y.v[static_cast<size_t>(v)];
        return y;
      });
  whole.result_dtype = [](ScalarType) { return kLong; };
  whole.errors = {error<Error>("bincount only supports 1-d non-negative integral inputs.",
                               [] {
                                 bincount(counting({2, 2}, kLong));
                               }),
                  error<Error>("bincount only supports 1-d non-negative integral inputs.",
                               [] { bincount(counting({2}, kLong, -1)); })};
  OpCase parts = counting_case(
      "histc", {kFloat, kDouble},
      [](ScalarType t) {
        return std::vector<Args>{sample_of({{9}}, t), sample_of({{7, 33}}, t)};
      },
      [](const Args& a) { return histc(a.t[0], 5, -2, 3); },
      [](const ArrayArgs& a) {
        Array y({5});
        for (double v : a.t[0].v)
          if (v >= -2 && v <= 3) ++y.v[std::min<size_t>(4, static_cast<size_t>(v + 2))];
        return y;
      });
  parts.errors = {error<Error>("bins must be > 0", [] { histc(numbers({3}), 0); })};
  return std::vector<OpCase>{whole, parts};
});

TEST(Histogram, Counts) {
  const Tensor x = values({1, 3, 1, 0}, kLong);
  expect_values(bincount(x), {4}, {1, 2, 0, 1});
  expect_values(bincount(x, values({1, 2, 3, 4}), 6), {6}, {4, 4, 0, 2, 0, 0});
  EXPECT_EQ(bincount(values({}, kLong), {}, 3).sum().item<int64_t>(), 0);
  EXPECT_EQ(bincount(values({}, kLong), values({}), 3).scalar_type(), kLong);
  expect_error("bincount only supports 1-d non-negative integral inputs.",
               [] { bincount(values({-1}, kLong)); });
  expect_values(histc(values({1, 2, 1, 4, 9}), 4, 0, 4), {4}, {0, 2, 1, 1});
  expect_values(histc(values({1, 2, 3})), {100}, values_of(histc(values({1, 2, 3}), 100, 1, 3)));
  expect_error("torch.histc: max must be larger than min", [] { histc(values({1}), 3, 2, 1); });
}

TEST(Histogram, ManyCounts) {
  for (int64_t bins : {7, 3000}) {
    const Tensor x = arange(200003).mul(11).remainder(bins);
    const Tensor each = bincount(x);
    ASSERT_EQ(each.numel(), bins);
    for (int64_t k : {int64_t{0}, int64_t{3}, bins - 1})
      EXPECT_EQ(each[k].item<int64_t>(), x.eq(k).sum().item<int64_t>());
    EXPECT_EQ(each.sum().item<int64_t>(), 200003);
  }
}

TEST(Histogram, CountsAreTheSameOnADevice) {
  TAPER_NEEDS_DEVICES(1);
  const Tensor x = arange(5000).mul(11).remainder(37).sub(5);
  const Tensor on_device = x.to(device_at(0));
  EXPECT_TRUE(bincount(on_device.add(5)).to(kCPU).equal(bincount(x.add(5))));
  const auto [v, i, c] = _unique2(x, true, true, true);
  const auto [dv, di, dc] = _unique2(on_device, true, true, true);
  EXPECT_TRUE(dv.is_cuda() && dv.to(kCPU).equal(v));
  EXPECT_TRUE(di.to(kCPU).equal(i));
  EXPECT_TRUE(dc.to(kCPU).equal(c));
}

}  // namespace
}  // namespace torch::taper::testing
