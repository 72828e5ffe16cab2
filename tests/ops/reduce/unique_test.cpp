// The different elements and slices of a tensor.
#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/reduce/unique.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

#include "ops/shared/element_moves.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Row = std::vector<double>;
using Parts = std::tuple<Tensor, Tensor, Tensor>;

/// Slices along `dim` in groups of equal ones: in order of their values, or as runs.
struct Groups {
  Sizes first;  ///< a slice of each group
  Array group_of_slice, counts;
};

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
  c.refuses_gradient = true;
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

TEST(Unique, ElementsInverseAndCounts) {
  const auto [values, inverse, counts] = _unique2(tensor({3, 1, 1, 2}), true, true, true);
  expect_values(values, {3}, {1, 2, 3});
  expect_values(inverse, {4}, {2, 0, 0, 1});
  expect_values(counts, {3}, {2, 1, 1});
  EXPECT_EQ(values.scalar_type(), kLong);
}

TEST(Unique, InverseHasTheShape) {
  const auto [values, inverse] = _unique(tensor({{5., 2.}, {2., 5.}}), true, true);
  expect_values(values, {2}, {2, 5});
  expect_values(inverse, {2, 2}, {1, 0, 0, 1});
  expect_values(std::get<1>(_unique(tensor({1, 1}))), {0}, {});
}

TEST(Unique, NansDiffer) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto [values, inverse, counts] = _unique2(tensor({nan, 1., nan}), true, true, true);
  EXPECT_EQ(values.numel(), 3);
  EXPECT_EQ(to_array(values).v[0], 1);
  expect_values(counts, {3}, {1, 1, 1});
}

// Whole numbers close together are counted, others sorted: the same comes out.
TEST(Unique, CountingGivesWhatSortingGives) {
  for (ScalarType t : {kByte, kChar, kShort, kInt, kLong}) {
    const Tensor x =
        (arange(1200).mul(7).remainder(61) - (t == kByte ? 0 : 30)).to(t).view({30, 40});
    const auto [v, i, c] = _unique2(x, true, true, true);
    const auto [dv, di, dc] = _unique2(x.to(kDouble), true, true, true);
    EXPECT_EQ(v.scalar_type(), t);
    EXPECT_TRUE(v.to(kDouble).equal(dv));
    EXPECT_TRUE(i.equal(di));
    EXPECT_TRUE(c.equal(dc));
    EXPECT_EQ(std::get<2>(_unique2(x)).numel(), 0);
  }
  const Tensor far =
      tensor({std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()})
          .repeat({200});
  expect_values(std::get<2>(_unique2(far, true, false, true)), {2}, {200, 200});
}

TEST(Unique, SmallAndEmpty) {
  expect_values(std::get<0>(_unique2(zeros({0}))), {0}, {});
  expect_values(std::get<0>(_unique2(tensor(3))), {1}, {3});
  expect_values(std::get<1>(_unique2(tensor(3), true, true)), {}, {0});
  expect_values(std::get<1>(_unique2(zeros({2, 0, 3}), true, true)), {2, 0, 3}, {});
  expect_values(std::get<0>(unique_dim(zeros({0, 2}), 0)), {0, 2}, {});
}

TEST(Unique, Slices) {
  const Tensor x = tensor({{1, 2}, {0, 3}, {1, 2}});
  const auto [values, inverse, counts] = unique_dim(x, 0, true, true, true);
  expect_values(values, {2, 2}, {0, 3, 1, 2});
  expect_values(inverse, {3}, {1, 0, 1});
  expect_values(counts, {2}, {1, 2});
  expect_values(std::get<0>(unique_dim(x, -1)), {3, 2}, {1, 2, 0, 3, 1, 2});
  expect_error("0 sized dimensions", [] { unique_dim(zeros({2, 0}), 0); });
}

TEST(Unique, Consecutive) {
  const auto [values, inverse, counts] = unique_consecutive(tensor({1, 1, 2, 2, 1}), true, true);
  expect_values(values, {3}, {1, 2, 1});
  expect_values(inverse, {5}, {0, 0, 1, 1, 2});
  expect_values(counts, {3}, {2, 2, 1});
  const auto rows = unique_consecutive(tensor({{1, 2}, {1, 2}, {0, 1}}), true, true, 0);
  expect_values(std::get<0>(rows), {2, 2}, {1, 2, 0, 1});
  expect_values(std::get<1>(rows), {3}, {0, 0, 1});
  expect_values(std::get<2>(rows), {2}, {2, 1});
}

TEST(Unique, RunsOfManyElements) {
  const Tensor x = arange(1000).mul(7919).remainder(1009).div(200, "floor");
  const auto [values, inverse, counts] = unique_consecutive(x, true, true);
  EXPECT_TRUE(values.index_select(0, inverse).equal(x));
  EXPECT_EQ(counts.sum().item<int64_t>(), 1000);
  EXPECT_FALSE(values.slice(0, 1).eq(values.slice(0, 0, -1)).any().item<bool>());
  EXPECT_TRUE(std::get<1>(unique_consecutive(x, true)).equal(inverse));
  for (const ScalarType t : {kHalf, kFloat, kDouble, kByte, kInt, kComplexFloat})
    EXPECT_TRUE(std::get<1>(unique_consecutive(x.to(t), true)).equal(inverse)) << t;
}

// Where all differ nothing is looked up; the results are the caller's own.
TEST(UniqueConsecutive, OfDifferentElements) {
  Tensor x = arange(1000).flip(0).clone();
  const auto [y, inverse, counts] = unique_consecutive(x, true, true);
  EXPECT_TRUE(equal(y, x));
  EXPECT_TRUE(equal(inverse, arange(1000)));
  EXPECT_TRUE(equal(counts, ones({1000}, kLong)));
  x.zero_();
  EXPECT_EQ(y[0].item<int64_t>(), 999);
  const auto [rows, of_row, each] =
      unique_dim(arange(12).view({4, 3}).flip(0), 0, true, true, true);
  EXPECT_TRUE(equal(rows, arange(12).view({4, 3})));
  EXPECT_TRUE(equal(of_row, arange(4).flip(0)));
  EXPECT_TRUE(equal(each, ones({4}, kLong)));
}

// Positions in whole spans of elements that are all true, all false or mixed.
TEST(UniqueConsecutive, PositionsInDenseAndSparseSpans) {
  Tensor x = zeros({2000}, kBool);
  x.slice(0, 100, 1100).fill_(true);
  x.slice(0, 1500, 2000, 3).fill_(true);
  const Tensor expected = cat({arange(100, 1100), arange(1500, 2000, 3)});
  EXPECT_TRUE(equal(x.nonzero().squeeze(1), expected));
}

}  // namespace
}  // namespace torch::taper::testing
