// Histograms and gradient(). Expected values are PyTorch 1.13's.
#include <taper/ops/reduce/histogram.h>

#include <gtest/gtest.h>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/reduce/gradient.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>

#include "harness/samples.h"
#include "test_util.h"

namespace taper::testing {
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

const Tensor kPoints = values({1, 2, 4, 7, 3, 1, 9, 2, 5, 5, 2, 0}).view({3, 4});

TEST(Gradient, EqualsPyTorchs) {
  auto plain = gradient(kPoints);
  expect_near(plain[0], {2, -1, 5, -5, 2, 1.5, -1, -3.5, 2, 4, -7, -2});
  expect_near(plain[1], {1, 1.5, 2.5, 3, -2, 3, 0.5, -7, 0, -1.5, -2.5, -2});
  auto second = gradient(kPoints, nullopt, nullopt, 2);
  expect_near(second[0], {2, -3.5, 11, -6.5, 2, 1.5, -1, -3.5, 2, 6.5, -13, -0.5});
  expect_near(gradient(kPoints, optional<Scalar>(2.0), 1)[0],
              {0.5, 0.75, 1.25, 1.5, -1, 1.5, 0.25, -3.5, 0, -0.75, -1.25, -1});
  const std::vector<Scalar> each{2.0, 0.5};
  expect_near(gradient(kPoints, ArrayRef<Scalar>(each))[1],
              {2, 3, 5, 6, -4, 6, 1, -14, 0, -3, -5, -4});
  const std::vector<Tensor> places{values({0, 1, 3}), values({0, 1, 4, 5})};
  auto at = gradient(kPoints, TensorList(places), nullopt, 2);
  expect_near(at[0], {2.3333330, -2, 7.8333325, -6.3333339, 1.6666667, 0, 2.1666665, -3.6666669,
                      0.3333332, 4, -9.1666660, 1.6666669});
  expect_near(at[1], {1.0833333, 0.9166667, 2.4166665, 3.5833330, -3.1666665, -0.8333332,
                      -4.5833334, -9.4166669, 0.2500002, -0.2499998, -1.75, -2.25});
}

OpCase gradient_case() {
  OpCase c;
  c.name = "gradient";
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{5}}, t, {}, {1}), sample_of({{4, 33}}, t, {}, {1}),
                             sample_of({{2, 3}}, t, {}, {1}), sample_of({{3, 5}}, t, {}, {2})};
  };
  c.call = [](const Args& a) {
    return Results(gradient(a.t[0], optional<Scalar>(0.5), -1, a.i[0]));
  };
  c.reference = [](const ArrayArgs& a) {
    Array y = a.t[0];
    const int64_t n = y.sizes.back();
    for_each_index(y.sizes, [&](const std::vector<int64_t>& at) {
      const auto x = [&](int64_t i) {
        std::vector<int64_t> place = at;
        place.back() = i;
        return a.t[0].at(place);
      };
      const int64_t i = at.back();
      const bool first = i == 0, last = i == n - 1, wide = a.i[0] == 2;
      const double inner = (x(std::min(i + 1, n - 1)) - x(std::max<int64_t>(i - 1, 0)));
      double d = first || last ? inner / 0.5 : inner;
      if (wide && first) d = (-3 * x(0) + 4 * x(1) - x(2));
      if (wide && last) d = (3 * x(n - 1) - 4 * x(n - 2) + x(n - 3));
      y.at(at) = d;
    });
    return Arrays(y);
  };
  c.tolerance = 4;
  c.errors = {
      error<Error>("torch.gradient only supports edge_order=1 and edge_order=2.",
                   [] { gradient(kPoints, nullopt, nullopt, 3); }),
      error<Error>("torch.gradient expected each dimension size to be at least edge_order+1",
                   [] { gradient(ones({1})); }),
      error<Error>("but got a list of length 1", [] {
        const std::vector<Scalar> one_number(1, Scalar(1.0));
        gradient(kPoints, ArrayRef<Scalar>(one_number));
      })};
  return c;
}
TAPER_OP_CASES(gradients, { return std::vector<OpCase>{gradient_case()}; });

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

TEST(Gradient, AlongSomeDimensions) {
  const Tensor by_row = gradient(kPoints, nullopt, 0)[0],
               by_column = gradient(kPoints, nullopt, 1)[0];
  const auto expect_all = [](const std::vector<Tensor>& got, const std::vector<Tensor>& want) {
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(got[i].allclose(want[i]));
  };
  const std::vector<int64_t> turned = {1, 0};
  const std::vector<Scalar> each = {2, 4};
  expect_all(gradient(kPoints, IntArrayRef(turned)), {by_column, by_row});
  expect_all(gradient(kPoints, Scalar(2), IntArrayRef(turned)), {by_column / 2, by_row / 2});
  expect_all(gradient(kPoints, ArrayRef<Scalar>(each), IntArrayRef(turned)),
             {by_column / 2, by_row / 4});
  const std::vector<Tensor> places = {arange(kPoints.size(1), kFloat) * 2,
                                      arange(kPoints.size(0), kFloat) * 4};
  expect_all(gradient(kPoints, TensorList(places), IntArrayRef(turned)),
             {by_column / 2, by_row / 4});
  expect_all(gradient(kPoints.to(kLong)), gradient(kPoints.to(kLong).to(kFloat)));
}

}  // namespace
}  // namespace taper::testing
