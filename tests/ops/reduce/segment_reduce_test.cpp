#include <taper/ops/reduce/segment_reduce.h>

#include <gtest/gtest.h>

#include <cmath>

#include <taper/ops/reduce/scan.h>
#include <taper/ops/tensor/factory.h>

#include "harness/samples.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Shape = std::vector<int64_t>;
const char* const kReductions[] = {"sum", "mean", "prod", "max", "min"};

double begun(int64_t reduction, const std::vector<double>& initial) {
  if (!initial.empty()) return initial[0];
  return reduction == 2 ? 1 : reduction == 3 ? -INFINITY : reduction == 4 ? INFINITY : 0;
}

double joined(int64_t reduction, double y, double x) {
  if (reduction < 2) return y + x;
  if (reduction == 2) return y * x;
  return reduction == 3 ? std::max(y, x) : std::min(y, x);
}

/// t = {data, lengths or offsets}; i = {reduction, axis, are they offsets?}; d = {} or {initial}.
Array reference(const ArrayArgs& a) {
  const Array &x = a.t[0], &bounds = a.t[1];
  const auto axis = static_cast<size_t>(a.i[1] < 0 ? a.i[1] + x.dim() : a.i[1]);
  const bool offsets = a.i[2] != 0;
  Array y(x.sizes);
  y.sizes[axis] = bounds.size(-1) - offsets;
  y = Array(y.sizes);
  for_each_index(y.sizes, [&](const Shape& at) {
    Shape row(at.begin(), at.begin() + static_cast<int64_t>(axis) + 1), from = at;
    int64_t first = 0, count = 0;
    if (offsets) {
      first = static_cast<int64_t>(bounds.at(row));
      ++row[axis];
      count = static_cast<int64_t>(bounds.at(row)) - first;
    } else {
      for (row[axis] = 0; row[axis] < at[axis]; ++row[axis])
        first += static_cast<int64_t>(bounds.at(row));
      count = static_cast<int64_t>(bounds.at(row));
    }
    double sum = begun(a.i[0], a.d);
    for (int64_t i = 0; i < count; ++i) {
      from[axis] = first + i;
      sum = joined(a.i[0], sum, x.at(from));
    }
    const bool divides = a.i[0] == 1 && (count > 0 || a.d.empty());
    y.at(at) = divides ? sum / static_cast<double>(count) : sum;
  });
  return y;
}

Args sample(const Shape& sizes, ScalarType t, Tensor bounds, int64_t reduction, int64_t axis,
            bool offsets, std::vector<double> initial = {}) {
  Args a = sample_of({sizes}, t, {-2, 2}, {reduction, axis, offsets}, std::move(initial));
  a.t.push_back(std::move(bounds));
  return a;
}

Tensor longs(Shape sizes, std::vector<double> v) {
  return tensor_of(std::move(sizes), std::move(v), kLong);
}

std::vector<Args> samples(ScalarType t, int64_t r) {
  return {sample({6}, t, longs({3}, {2, 1, 3}), r, 0, false),
          sample({7, 3}, t, longs({4}, {3, 2, 1, 1}), r, 0, false, {0.3}),
          sample({4, 2, 3}, t, values({1, 3}, kInt), r, 0, false),
          sample({2, 5, 2}, t, longs({2, 2}, {4, 1, 2, 3}), r, 1, false),
          sample({2, 6}, t, longs({2, 3}, {0, 4, 6, 1, 2, 5}), r, -1, true),
          sample({8}, t, longs({3}, {1, 4, 7}), r, 0, true, {-0.4}),
          sample({300, 33}, t, longs({2}, {43, 257}), r == 2 ? 0 : r, 0, false)};
}

OpCase segments_case(int64_t reduction) {
  OpCase c;
  c.name = std::string("segment_reduce_") + kReductions[reduction];
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16};
  c.samples = [=](ScalarType t) { return samples(t, reduction); };
  c.call = [](const Args& a) {
    const optional<Tensor> bounds = a.t[1], none;
    const auto start = a.d.empty() ? optional<Scalar>() : optional<Scalar>(a.d[0]);
    return segment_reduce(a.t[0], kReductions[a.i[0]], a.i[2] ? none : bounds, nullopt,
                          a.i[2] ? bounds : none, a.i[1], /*unsafe=*/true, start);
  };
  c.reference = reference;
  c.inputs_without_gradient = {1};
  c.tolerance = 4;
  return c;
}

TAPER_OP_CASES(segment_reductions, {
  std::vector<OpCase> list;
  for (int64_t r = 0; r < 5; ++r) list.push_back(segments_case(r));
  const Tensor x = counting({4});
  list[0].errors = {
      error<Error>("unsupported reduction given! median",
                   [=] { segment_reduce(x, "median", values({4}, kLong)); }),
      error<Error>("Either lengths or offsets must be defined", [=] { segment_reduce(x, "sum"); }),
      error<Error>("indices based reduction is not supported yet",
                   [=] { segment_reduce(x, "sum", nullopt, values({4}, kLong)); }),
      error<Error>("lengths contains negative value!",
                   [=] {
                     segment_reduce(x, "sum", values({-1, 5}, kLong));
                   }),
      error<Error>("Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1)",
                   [=] { segment_reduce(x, "sum", values({3}, kLong)); }),
      error<Error>("Expected axis to be the last dimension of lengths but got 0.",
                   [=] {
                     segment_reduce(counting({4, 1}), "sum", longs({1, 1}, {4}));
                   }),
      error<Error>("expected lengths to have the dimensions of data [2, 4] in front of axis 1",
                   [=] {
                     segment_reduce(counting({2, 4}), "sum", longs({1, 1}, {4}), {}, {}, 1);
                   }),
      error<Error>("expected lengths of an integer dtype",
                   [=] { segment_reduce(x, "sum", values({4})); }),
      error<IndexError>("Dimension out of range",
                        [=] { segment_reduce(x, "sum", values({4}, kLong), {}, {}, 1); }),
      error<NotImplementedError>("not implemented for 'Long'",
                                 [=] { segment_reduce(x.to(kLong), "sum", values({4}, kLong)); })};
  return list;
});

TEST(SegmentReduce, AnEmptySegmentIsWhatItBeginsWith) {
  const Tensor x = values({1, 2, 3, 4}), lengths = values({2, 0, 2}, kLong);
  const auto reduced = [&](const char* how, optional<Scalar> initial = nullopt) {
    return segment_reduce(x, how, lengths, {}, {}, 0, false, initial);
  };
  expect_values(reduced("sum"), {3}, {3, 0, 7});
  expect_values(reduced("prod"), {3}, {2, 1, 12});
  expect_values(reduced("max"), {3}, {2, -INFINITY, 4});
  expect_values(reduced("min"), {3}, {1, INFINITY, 3});
  EXPECT_TRUE(std::isnan(values_of(reduced("mean"))[1]));
  expect_values(reduced("mean", 3), {3}, {3, 3, 5});
  expect_values(reduced("max", 3), {3}, {3, 3, 4});
  expect_values(reduced("prod", 3), {3}, {6, 3, 36});
}

TEST(SegmentReduce, OffsetsCountWhereBothAreGivenAndElementsOfNoSegmentAreLeftOut) {
  const Tensor x = values({1, 2, 3, 4});
  expect_values(segment_reduce(x, "sum", values({4}, kLong), {}, values({0, 2, 4}, kLong)), {2},
                {3, 7});
  expect_values(segment_reduce(x, "sum", {}, {}, values({1, 3}, kLong)), {1}, {5});
  expect_values(segment_reduce(x, "sum", values({1, 2}, kLong), {}, {}, 0, /*unsafe=*/true), {2},
                {1, 5});
}

TEST(SegmentReduce, TheGradientOfAnExtremumIsSharedAmongEquals) {
  const Tensor x = values({2, 2, 1, 5}).requires_grad_();
  segment_reduce(x, "max", values({3, 1}, kLong)).sum().backward();
  expect_values(x.grad(), {4}, {0.5, 0.5, 0, 1});
  // An initial value takes no part, and all of it where it is the greater.
  const Tensor z = values({2, 2, 1, 5}).requires_grad_();
  segment_reduce(z, "max", values({3, 1}, kLong), {}, {}, 0, false, 2).sum().backward();
  expect_values(z.grad(), {4}, {0.5, 0.5, 0, 1});
  const Tensor none = values({2, 1}).requires_grad_();
  segment_reduce(none, "max", values({2}, kLong), {}, {}, 0, false, 7).sum().backward();
  expect_values(none.grad(), {2}, {0, 0});
}

TEST(SegmentReduce, NaNsStay) {
  const Tensor x = values({1, NAN, 3});
  for (const char* how : kReductions) {
    const std::vector<double> y = values_of(segment_reduce(x, how, values({2, 1}, kLong)));
    EXPECT_TRUE(std::isnan(y[0]) && y[1] == 3) << how;
    EXPECT_TRUE(std::isnan(
        values_of(segment_reduce(x, how, values({2, 1}, kLong), {}, {}, 0, false, 0.5))[0]))
        << how;
  }
}

}  // namespace
}  // namespace torch::taper::testing
