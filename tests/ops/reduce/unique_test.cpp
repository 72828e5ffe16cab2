#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/reduce/unique.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

#include "test_util.h"

namespace taper::testing {
namespace {

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
}  // namespace taper::testing
