// Places among sorted numbers, members of sets.
#include <taper/ops/reduce/search.h>

#include <algorithm>
#include <cmath>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>

#include "harness/pointwise.h"
#include "ops/reduce/counting_case.h"
#include "ops/shared/element_moves.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

TAPER_OP_CASES(places, {
  const auto samples = [](ScalarType t) {
    std::vector<Args> list;
    for (const auto& sizes : {std::vector<int64_t>{9}, {2, 17}, {}})
      list.push_back({{std::get<0>(sample_of({{7}}, t, {-9, 9}).t[0].sort()),
                       sample_of({sizes}, t, {-9, 9}).t[0]}});
    return list;
  };
  // The first place whose boundary is not below the value (`right`: is above it).
  const auto reference = [](bool right) {
    return [right](const ArrayArgs& a) {
      Array y(a.t[1].sizes);
      for (size_t i = 0; i < y.v.size(); ++i)
        for (double b : a.t[0].v) y.v[i] += right ? b <= a.t[1].v[i] : b < a.t[1].v[i];
      return y;
    };
  };
  OpCase search = counting_case(
      "searchsorted", {kFloat, kDouble, kLong, kInt}, samples,
      [](const Args& a) { return searchsorted(a.t[0], a.t[1]); }, reference(false));
  search.errors = {
      error<Error>("torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 "
                   "dimensions of boundaries tensor and input value tensor must match",
                   [] {
                     searchsorted(numbers({2, 3}), numbers({3, 3}));
                   })};
  OpCase bucket = counting_case(
      "bucketize", {kFloat, kDouble, kLong, kInt}, samples,
      [](const Args& a) { return bucketize(a.t[1], a.t[0], false, true); }, reference(true));
  std::vector<OpCase> list = {search, bucket};
  for (OpCase& c : list) c.result_dtype = [](ScalarType) { return kLong; };
  return list;
});

// Numbers: whether those that are not there are meant.
TAPER_OP_CASES(members, {
  OpCase c;
  c.name = "isin";
  c.dtypes = {kFloat, kDouble, kLong, kInt, kByte};
  c.differentiable = false;
  c.result_dtype = &bool_result;
  // Whole numbers, few and many of them.
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    Random random(3);
    for (const auto& [elements, tests] : std::vector<std::pair<Sizes, Sizes>>{{{5}, {3}},
                                                                              {{2, 3}, {2, 2}},
                                                                              {{}, {4}},
                                                                              {{4}, {}},
                                                                              {{0}, {3}},
                                                                              {{3}, {0}},
                                                                              {{40, 3}, {100}},
                                                                              {{1025}, {33}}})
      for (int64_t invert = 0; invert < 2; ++invert)
        list.push_back({{random_index(elements, 0, 90, random).to(t),
                         random_index(tests, 0, 90, random).to(t)},
                        {invert}});
    return list;
  };
  c.call = [](const Args& a) { return isin(a.t[0], a.t[1], false, a.i[0] != 0); };
  c.reference = [](const ArrayArgs& a) {
    Array y(a.t[0].sizes);
    for (size_t k = 0; k < y.v.size(); ++k) {
      const auto& tests = a.t[1].v;
      const bool found = std::find(tests.begin(), tests.end(), a.t[0].v[k]) != tests.end();
      y.v[k] = found != (a.i[0] != 0);
    }
    return y;
  };
  return std::vector<OpCase>{c};
});

TEST(Search, FindsPlaces) {
  const Tensor sorted = tensor_of({2, 4}, {1, 3, 5, 7, 2, 4, 6, 8});
  const Tensor v = tensor_of({2, 2}, {3, 9, 1, 5});
  expect_values(searchsorted(sorted, v), {2, 2}, {1, 4, 0, 2});
  expect_values(searchsorted(sorted, v, false, true), {2, 2}, {2, 4, 0, 2});
  expect_values(searchsorted(sorted[0], v, true), {2, 2}, {1, 4, 0, 2});
  EXPECT_EQ(searchsorted(sorted[0], v, true).scalar_type(), kInt);
  EXPECT_EQ(searchsorted(sorted[0], 4).item<int64_t>(), 2);
  expect_values(bucketize(v, sorted[0], false, true), {2, 2}, {2, 4, 1, 3});
  const Tensor shuffled = values({5, 1, 3});
  expect_values(
      searchsorted(shuffled, values({2, 5}), false, false, "right", values({1, 2, 0}, kLong)), {2},
      {1, 3});
  expect_error("torch.searchsorted(): boundaries tensor should be 1 dimension", [&] {
    searchsorted(sorted, numbers({3, 2}));
  });
  expect_error("boundaries tensor must be 1 dimension, but got dim(2)",
               [&] { bucketize(v, sorted); });
}

// Several values are searched side by side, one alone by itself.
TEST(Search, ManyValuesAreFoundAsEachIs) {
  const Tensor v = cat({arange(21, kFloat) * 0.5, values({NAN, INFINITY})});
  for (const int64_t n : {0, 1, 2, 7, 8, 9, 100}) {
    Tensor sorted = (arange(n, kFloat) * 0.13).round();
    if (n > 7) sorted[n - 1].fill_(NAN);
    for (const bool right : {false, true}) {
      const Tensor places = searchsorted(sorted, v, false, right);
      for (int64_t i = 0; i < v.numel(); ++i)
        EXPECT_EQ(places[i].item<int64_t>(),
                  searchsorted(sorted, v[i], false, right).item<int64_t>())
            << n << " " << i;
    }
  }
}

TEST(IsIn, TakesANumberOnEitherSide) {
  const Tensor x = values({1, 2, 3}, kLong);
  expect_values(isin(x, 2), {3}, {0, 1, 0});
  expect_values(isin(x, 2, false, true), {3}, {1, 0, 1});
  expect_values(isin(x, 2.5), {3}, {0, 0, 0});
  expect_values(isin(2, x), {}, {1});
  expect_values(isin(2.5, x), {}, {0});
  expect_values(isin(2, x, false, true), {}, {0});
  expect_values(isin(5, values({})), {}, {0});
  EXPECT_EQ(isin(2, x).scalar_type(), kBool);
}

TEST(Searchsorted, OfNoRows) {
  EXPECT_EQ(searchsorted(zeros({0, 5}), zeros({0, 3})).sizes(), IntArrayRef({0, 3}));
  EXPECT_EQ(searchsorted(zeros({2, 0}), zeros({2, 3})).sum().item<int64_t>(), 0);
}

}  // namespace
}  // namespace torch::taper::testing
