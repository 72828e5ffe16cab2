// Places among sorted numbers, members of sets.
#include <taper/ops/reduce/search.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <taper/framework/autograd/node.h>
#include <taper/framework/random/random.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/reduce/reduce_minmax.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/reduce/sort.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>

#include "harness/pointwise.h"
#include "ops/reduce/counting_case.h"
#include "ops/shared/element_moves.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Sizes = std::vector<int64_t>;

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

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

bool below(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

/// Values and indices of the first k along dim, by a stable sort with NaN as the largest.
Arrays sorted(const Array& x, int64_t dim, bool descending, int64_t k) {
  if (x.dim() == 0) return {x, Array{{}}};
  dim = dim < 0 ? dim + x.dim() : dim;
  Sizes sizes = x.sizes;
  sizes[dim] = k;
  Array values{sizes}, indices{sizes};
  Sizes rows = x.sizes;
  rows[dim] = std::min<int64_t>(1, rows[dim]);
  for_each_index(rows, [&](const Sizes& row) {
    const auto at = [&](int64_t i) {
      Sizes index = row;
      index[dim] = i;
      return index;
    };
    std::vector<int64_t> order(static_cast<size_t>(x.sizes[dim]));
    std::iota(order.begin(), order.end(), 0);
    std::vector<double> own;
    for (int64_t i : order) own.push_back(x.at(at(i)));
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return descending ? below(own[b], own[a]) : below(own[a], own[b]);
    });
    for (int64_t i = 0; i < k; ++i) {
      values.at(at(i)) = own[order[i]];
      indices.at(at(i)) = static_cast<double>(order[i]);
    }
  });
  return {values, indices};
}

Results listed(const std::tuple<Tensor, Tensor>& t) {
  return Results(std::vector<Tensor>{std::get<0>(t), std::get<1>(t)});
}

OpCase sort_case() {
  OpCase c;
  c.name = "sort";
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16, kLong, kInt, kShort, kChar, kByte, kBool};
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (int64_t descending : {0, 1})
      for (const auto& [sizes, dim] : std::vector<std::pair<Sizes, int64_t>>{{{}, 0},
                                                                             {{0}, 0},
                                                                             {{1}, 0},
                                                                             {{39}, 0},
                                                                             {{40}, 0},
                                                                             {{1025}, -1},
                                                                             {{3, 50}, 1},
                                                                             {{50, 3}, 0},
                                                                             {{2, 41, 3}, 1},
                                                                             {{2, 0}, 1},
                                                                             {{0, 3}, 1},
                                                                             {{20000}, 0}}) {
        // Whole numbers: many are equal, and the order of equal ones shows.
        Args a = sample_of({sizes}, t, {}, {dim, descending});
        if (isFloatingType(t) && a.t[0].numel() > 40) a.t[0] = a.t[0].mul(9).round();
        list.push_back(a);
      }
    return list;
  };
  c.gradient_samples = [] {
    return std::vector<Args>{sample_of({{7}}, kDouble, {}, {0, 0}),
                             sample_of({{3, 5}}, kDouble, {}, {0, 1})};
  };
  c.call = [](const Args& a) { return listed(sort(a.t[0], a.i[0], a.i[1] != 0)); };
  c.reference = [](const ArrayArgs& a) {
    const Array& x = a.t[0];
    return sorted(x, a.i[0], a.i[1] != 0, x.dim() == 0 ? 1 : x.size(a.i[0]));
  };
  c.covers = {"argsort", "msort"};
  return c;
}

OpCase topk_case() {
  OpCase c;
  c.name = "topk";
  c.dtypes = {kFloat, kDouble, kHalf, kLong, kInt, kByte};
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (int64_t largest : {0, 1})
      for (const auto& [sizes, dim, k] :
           std::vector<std::tuple<Sizes, int64_t, int64_t>>{{{}, 0, 1},
                                                            {{1}, 0, 1},
                                                            {{33}, 0, 2},
                                                            {{33}, 0, 33},
                                                            {{2000}, 0, 5},
                                                            {{2000}, 0, 100},
                                                            {{3, 100}, 1, 3},
                                                            {{100, 3}, 0, 4},
                                                            {{3, 5}, 1, 0},
                                                            {{0, 5}, 1, 2},
                                                            {{17}, 0, 1}}) {
        Args a = sample_of({sizes}, t, {}, {k, dim, largest});
        if (isFloatingType(t) && a.t[0].numel() > 40) a.t[0] = a.t[0].mul(9).round();
        list.push_back(a);
      }
    return list;
  };
  c.gradient_samples = [] {
    return std::vector<Args>{sample_of({{7}}, kDouble, {}, {3, 0, 1}),
                             sample_of({{40, 2}}, kDouble, {}, {2, 0, 0})};
  };
  c.call = [](const Args& a) { return listed(topk(a.t[0], a.i[0], a.i[1], a.i[2] != 0)); };
  c.reference = [](const ArrayArgs& a) { return sorted(a.t[0], a.i[1], a.i[2] != 0, a.i[0]); };
  return c;
}

TAPER_OP_CASES(sort, { return std::vector<OpCase>{sort_case(), topk_case()}; });

// ---------------------------------------------------------------- beyond the cases
void expect_sorted(const Tensor& x, bool descending) {
  const auto [values, indices] = sort(x, -1, descending);
  const Arrays want = sorted(to_array(x), -1, descending, x.size(-1));
  const Array v = to_array(values);
  EXPECT_EQ(to_array(indices).v, want[1].v);
  for (size_t i = 0; i < v.v.size(); ++i) {
    EXPECT_EQ(std::isnan(v.v[i]), std::isnan(want[0].v[i]));
    EXPECT_EQ(std::signbit(v.v[i]), std::signbit(want[0].v[i])) << "zeros keep their sign";
    EXPECT_TRUE(std::isnan(v.v[i]) || v.v[i] == want[0].v[i]);
  }
}

TEST(Sort, NanIsTheLargestAndZerosAreEqual) {
  std::vector<double> v = {3, kNaN, 1, -0.0, 0.0, kInf, -kInf, 0.0, -0.0, kNaN, 5e-324, -1};
  for (ScalarType t : {kFloat, kDouble})
    for (bool descending : {false, true}) {
      expect_sorted(tensor(v, t), descending);
      expect_sorted(tensor(v, t).repeat({20}), descending);
    }
  const auto [best, at] = topk(tensor(v).repeat({20}), 3);
  EXPECT_TRUE(std::isnan(best[2].item<double>()));
  EXPECT_EQ(to_array(at).v, std::vector<double>({1, 9, 13}));
}

TEST(Sort, EveryBitOfTheKeyCounts) {
  manual_seed(5);
  expect_sorted(randn({3000}), false);
  expect_sorted(randn({3000}, kDouble), true);
  expect_sorted(randn({40000}), true);
  expect_sorted(empty({500}, kLong).random_(-(int64_t{1} << 52), int64_t{1} << 52), false);
  expect_sorted(tensor({INT64_MAX, INT64_MIN, int64_t{0}, int64_t{-1}}).div(4096, "floor"), false);
}

TEST(Sort, StridedInput) {
  manual_seed(6);
  const Tensor x = randn({5, 60});
  const auto [values, indices] = x.t().sort(0);
  EXPECT_EQ(to_array(values.t()).v, to_array(std::get<0>(sort(x))).v);
  EXPECT_EQ(to_array(indices.t()).v, to_array(std::get<1>(sort(x))).v);
}

TEST(Sort, OtherForms) {
  const Tensor x = tensor({3, 1, 2});
  EXPECT_EQ(to_array(argsort(x)).v, std::vector<double>({1, 2, 0}));
  EXPECT_EQ(to_array(argsort(x, true, 0, true)).v, std::vector<double>({0, 2, 1}));
  EXPECT_EQ(to_array(x.argsort()).v, std::vector<double>({1, 2, 0}));
  EXPECT_EQ(to_array(msort(x)).v, std::vector<double>({1, 2, 3}));
  const auto [value, index] = kthvalue(x, 2);
  EXPECT_EQ(value.item<int64_t>(), 2);
  EXPECT_EQ(index.item<int64_t>(), 2);
  const Tensor m = tensor({{3., 1., 2.}, {4., 6., 5.}}, requires_grad());
  const auto [kept, at] = kthvalue(m, 3, 1, true);
  EXPECT_EQ(kept.grad_fn()->name(), "KthvalueBackward0");
  EXPECT_EQ(to_array(at).v, std::vector<double>({0, 1}));
  std::get<0>(kthvalue(m, 3, 1)).backward(tensor({1., 10.}));
  EXPECT_EQ(to_array(m.grad()).v, std::vector<double>({1, 0, 0, 0, 10, 0}));
  const Tensor y = tensor({3., 1., 2.}, requires_grad());
  EXPECT_EQ(std::get<0>(y.sort()).grad_fn()->name(), "SortBackward0");
  EXPECT_EQ(std::get<0>(y.sort(optional<bool>(true))).grad_fn()->name(), "SortBackward1");
  EXPECT_EQ(std::get<0>(y.topk(2)).grad_fn()->name(), "TopkBackward0");
  EXPECT_FALSE(std::get<1>(y.sort()).requires_grad());
}

TEST(Sort, Errors) {
  expect_error("selected index k out of range", [] { zeros({3}).topk(4); });
  expect_error("selected index k out of range", [] { zeros({3}).topk(-1); });
  expect_error<IndexError>("Dimension out of range (expected to be in range of [-1, 0], but got 2)",
                           [] { zeros({3}).topk(1, 2); });
  expect_error("\"topk_cpu\" not implemented for 'Bool'", [] { zeros({3}, kBool).topk(1); });
  expect_error<IndexError>("Dimension out of range", [] { zeros({3}).sort(1); });
  expect_error("selected number k out of range for dimension 0", [] { kthvalue(zeros({3}), 4); });
}

TEST(Sort, TheKthOfManyIsWhereSortingPutsIt) {
  for (const int64_t n : {40, 9000, 70000}) {
    Tensor x = randn({2, n});
    x[1] = (x[1] * 50).round();  // many equal ones, both zeros
    Tensor with_nan = x.clone();
    with_nan.narrow(1, n / 4, n / 3).fill_(kNaN);
    const Tensor few = (randn({2, n}) * 3).to(kLong);
    for (const Tensor& t : {x, with_nan, x.to(kDouble), with_nan.to(kHalf), few, few.to(kChar),
                            few * (int64_t{1} << 40)}) {
      const auto [values, indices] = sort(t, -1);
      for (const int64_t k : {int64_t{1}, n / 3, n / 2, n}) {
        const auto [v, i] = kthvalue(t, k);
        EXPECT_TRUE(i.equal(indices.select(1, k - 1))) << n << " " << k << " " << t.scalar_type();
        EXPECT_TRUE(v.to(kDouble).nan_to_num(7e9).equal(
            values.select(1, k - 1).to(kDouble).nan_to_num(7e9)));
      }
      if (t.isnan().any().item<bool>()) continue;
      EXPECT_TRUE(std::get<1>(t.median(1)).equal(indices.select(1, (n - 1) / 2)));
    }
    const int64_t numbers = n - n / 3;
    EXPECT_TRUE(
        std::get<1>(with_nan.nanmedian(1)).equal(argsort(with_nan).select(1, (numbers - 1) / 2)));
    EXPECT_EQ(std::get<1>(with_nan.median(1))[0].item<int64_t>(), n / 4);
  }
}

TEST(Topk, NoneOfANumberIsTheNumber) {
  for (const ScalarType t : {kFloat, kLong}) {
    const auto [value, index] = topk(full({}, 7, t), 0);
    expect_values(value, {}, {7});
    expect_values(index, {}, {0});
  }
}

TEST(Sort, ResultsOfRowMajorTensorsAreRowMajor) {
  const Tensor x = numbers({3, 4, 5});
  for (const int64_t dim : {0, 1, 2}) {
    const std::vector<std::tuple<Tensor, Tensor>> all = {
        sort(x, dim), sort(x, optional<bool>(true), dim), topk(x, 2, dim), kthvalue(x, 2, dim),
        x.median(dim)};
    for (const auto& [values, indices] : all)
      for (const Tensor& t : {values, indices})
        EXPECT_TRUE(t.is_contiguous()) << dim << t.strides();
  }
  EXPECT_TRUE(msort(x).is_contiguous());
  EXPECT_TRUE(argsort(x, 0).is_contiguous());
}

}  // namespace
}  // namespace torch::taper::testing
