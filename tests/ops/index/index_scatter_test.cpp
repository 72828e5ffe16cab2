// Reading and writing at places that an index tensor gives along a dimension.
#include <taper/ops/index/index_scatter.h>

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/index/scatter_reduce.h>
#include <taper/ops/tensor/factory.h>

#include "harness/samples.h"
#include "ops/index/index_samples.h"
#include "ops/shared/element_moves.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Shape = std::vector<int64_t>;

std::vector<Args> gather_samples(ScalarType t) {
  return {indexed({5}, {3}, 5, 0, t),
          indexed({4, 3}, {4, 6}, 3, 1, t),
          indexed({4, 3}, {2, 2}, 4, 0, t),
          indexed({33, 31}, {33, 1}, 31, -1, t),
          indexed({2, 5, 3}, {2, 7, 3}, 5, 1, t),
          indexed({2, 3, 5}, {2, 3, 1}, 5, 2, t),
          indexed({3, 2}, {0, 2}, 3, 0, t),
          indexed({}, {}, 1, 0, t),
          indexed({5, 1025}, {5, 1031}, 1025, 1, t)};
}

std::vector<Args> scatter_samples(ScalarType t) {
  std::vector<Args> list;
  for (const Args& a : gather_samples(t)) list.push_back(with_source(a, a.t[1].sizes().vec(), t));
  list.push_back(with_source(indexed({4, 3}, {2, 2}, 4, 0, t), {3, 3}, t));
  return list;
}

/// Calls visit(place in x, place in the index) for every element of an index along `dim`.
template <class Visit>
void for_each_indexed(const Array& x, const Array& index, int64_t dim_given, const Visit& visit) {
  const int64_t dim = wrapped(dim_given, x);
  for_each_index(index.sizes, [&](const Shape& at) {
    Shape to = at;
    if (!to.empty()) to[dim] = static_cast<int64_t>(index.at(at));
    visit(to, at);
  });
}

template <class Put>
Arrays reference_scatter(const ArrayArgs& a, const Put& put) {
  Array x = a.t[0];
  for_each_indexed(x, a.t[1], a.i[0],
                   [&](const Shape& to, const Shape& at) { put(x.at(to), a.t[2].at(at)); });
  return x;
}
std::vector<Args> scatter_without_repeats() {
  Args a = with_source(indexed({3, 5}, {2, 2}, 1, 1, kDouble), {2, 3}, kDouble);
  a.t[1] = longs({3, 1, 0, 4}).view({2, 2});
  return {a};
}

OpCase gather_case() {
  OpCase c;
  c.name = "gather";
  c.dtypes = {kFloat, kDouble, kHalf, kLong, kByte};
  c.samples = gather_samples;
  c.call = [](const Args& a) { return a.t[0].gather(a.i[0], a.t[1]); };
  c.reference = [](const ArrayArgs& a) {
    Array y(a.t[1].sizes);
    for_each_indexed(a.t[0], a.t[1], a.i[0],
                     [&](const Shape& from, const Shape& at) { y.at(at) = a.t[0].at(from); });
    return y;
  };
  const Tensor x = ones({3, 2});
  c.errors = {
      error<Error>("index 7 is out of bounds for dimension 0 with size 3",
                   [=] {
                     x.gather(0, longs({0, 7}).view({1, 2}));
                   }),
      error<Error>("index -1 is out of bounds for dimension 1 with size 2",
                   [=] {
                     x.gather(1, longs({0, -1}).view({1, 2}));
                   }),
      error<Error>("must have the same number of dimensions", [=] { x.gather(0, longs({0})); }),
      error<Error>("Size does not match at dimension 1",
                   [=] {
                     x.gather(0, longs({0, 0, 0}).view({1, 3}));
                   }),
      error<Error>("Expected dtype int64 for index", [=] {
        x.gather(0, ones({1, 1}));
      })};
  return c;
}

OpCase scatter_case() {
  OpCase c;
  c.name = "scatter";
  c.dtypes = {kFloat, kDouble, kHalf, kLong, kByte};
  c.samples = scatter_samples;
  c.call = [](const Args& a) { return a.t[0].scatter(a.i[0], a.t[1], a.t[2]); };
  c.inplace = [](const Args& a) { return a.t[0].scatter_(a.i[0], a.t[1], a.t[2]); };
  c.reference = [](const ArrayArgs& a) { return reference_scatter(a, assign); };
  c.gradient_samples = scatter_without_repeats;
  const Tensor x = ones({3});
  c.errors = {error<Error>("index 7 is out of bounds for dimension 0 with size 3",
                           [=] { x.scatter(0, longs({7}), ones({1})); }),
              error<Error>("to be smaller size than src [1]",
                           [=] {
                             x.scatter(0, longs({0, 1}), ones({1}));
                           }),
              error<Error>("Expected self.dtype to be equal to src.dtype",
                           [=] { x.scatter(0, longs({0}), ones({1}, kLong)); }),
              error<Error>("reduce argument must be either add or multiply.",
                           [=] { x.scatter(0, longs({0}), ones({1}), "mean"); })};
  return c;
}

OpCase scatter_value_case() {
  OpCase c = scatter_case();
  c.name = "scatter_value";
  c.samples = gather_samples;
  c.call = [](const Args& a) { return a.t[0].scatter(a.i[0], a.t[1], 5); };
  c.inplace = [](const Args& a) { return a.t[0].scatter_(a.i[0], a.t[1], 5); };
  c.reference = [](const ArrayArgs& a) {
    Array x = a.t[0];
    for_each_indexed(x, a.t[1], a.i[0], [&](const Shape& to, const Shape&) { x.at(to) = 5; });
    return x;
  };
  c.gradient_samples = {};
  c.errors = {};
  return c;
}

OpCase scatter_add_case() {
  OpCase c = scatter_case();
  c.name = "scatter_add";
  c.dtypes = {kFloat, kDouble, kLong};
  c.call = [](const Args& a) { return a.t[0].scatter_add(a.i[0], a.t[1], a.t[2]); };
  c.inplace = [](const Args& a) { return a.t[0].scatter_add_(a.i[0], a.t[1], a.t[2]); };
  c.reference = [](const ArrayArgs& a) { return reference_scatter(a, add); };
  c.gradient_samples = {};
  c.errors = {};
  return c;
}

void multiply(double& to, double from) { to *= from; }

/// Several factors to one target: none of them 0, one, two, three; and a target that is 0 itself.
std::vector<Args> scatter_with_zeros() {
  std::vector<Args> list = {with_source(indexed({4, 3}, {2, 2}, 4, 0, kDouble), {3, 3}, kDouble)};
  for (int64_t zeros = 0; zeros <= 3; ++zeros)
    for (int64_t own = 0; own < 2; ++own) {
      Args a = with_source(indexed({3}, {6}, 3, 0, kDouble), {6}, kDouble);
      a.t[1] = longs({1, 0, 1, 1, 2, 1});
      const int64_t to_one[] = {0, 2, 5};
      for (int64_t k = 0; k < zeros; ++k) set_element(a.t[2], to_one[k], 0);
      if (own) set_element(a.t[0], 1, 0);
      list.push_back(a);
    }
  return list;
}

OpCase scatter_multiply_case() {
  OpCase c = scatter_case();
  c.name = "scatter_multiply";
  c.dtypes = {kFloat, kDouble};
  c.call = [](const Args& a) { return a.t[0].scatter(a.i[0], a.t[1], a.t[2], "multiply"); };
  c.inplace = [](const Args& a) { return a.t[0].scatter_(a.i[0], a.t[1], a.t[2], "multiply"); };
  c.reference = [](const ArrayArgs& a) { return reference_scatter(a, multiply); };
  c.gradient_samples = scatter_with_zeros;
  c.errors = {};
  c.tolerance = 16;
  return c;
}

OpCase scatter_multiply_value_case() {
  OpCase c = scatter_value_case();
  c.name = "scatter_multiply_value";
  c.dtypes = {kFloat, kDouble};
  c.call = [](const Args& a) { return a.t[0].scatter(a.i[0], a.t[1], 1.25, "multiply"); };
  c.inplace = [](const Args& a) { return a.t[0].scatter_(a.i[0], a.t[1], 1.25, "multiply"); };
  c.reference = [](const ArrayArgs& a) {
    Array x = a.t[0];
    for_each_indexed(x, a.t[1], a.i[0], [&](const Shape& to, const Shape&) { x.at(to) *= 1.25; });
    return x;
  };
  c.tolerance = 16;
  return c;
}

TAPER_OP_CASES(index_scatter_cases, {
  return std::vector<OpCase>{gather_case(),           scatter_case(),
                             scatter_value_case(),    scatter_add_case(),
                             scatter_multiply_case(), scatter_multiply_value_case()};
});

TAPER_OP_CASES(positions, {
  OpCase along = moving_case(
      "take_along_dim",
      [](ScalarType t) {
        Args a = sample_of({{3, 4}}, t), b = sample_of({{2, 5}}, t);
        a.t.push_back(tensor_of({3, 2}, {3, 0, 1, 1, 0, 2}, kLong));
        b.t.push_back(tensor_of({1, 3}, {4, 4, 0}, kLong));  // for both rows
        return std::vector<Args>{a, b};
      },
      [](const Args& a) { return take_along_dim(a.t[0], a.t[1], 1); },
      [](const ArrayArgs& a) {
        Array y({a.t[0].sizes[0], a.t[1].sizes[1]});
        for_each_index(y.sizes, [&](const Sizes& index) {
          y.at(index) = a.t[0].at({index[0], int64_t(a.t[1].broadcast_at(index))});
        });
        return y;
      });
  along.errors = {
      error<Error>("torch.take_along_dim(): dtype of indices should be Long but got Float", [] {
        take_along_dim(numbers({2, 2}), numbers({2, 2}), 0);
      })};
  return std::vector<OpCase>{along};
});

const char* const kReductions[] = {"sum", "prod", "mean", "amax", "amin"};

/// {self, index, src}; i = {dim, reduction, include_self}.
Args sample(const Shape& x, const Shape& index, const Shape& src, std::vector<int64_t> i,
            ScalarType dtype) {
  Random random(5);
  const int64_t limit = x.empty() ? 1 : x[static_cast<size_t>(i[0] < 0 ? i[0] + 2 : i[0])];
  return {{random_tensor(x, dtype, {-3, 3}, random), random_index(index, 0, limit, random),
           random_tensor(src, dtype, {-3, 3}, random)},
          std::move(i),
          {}};
}

std::vector<Args> samples(ScalarType t, int64_t reduction, bool slices) {
  std::vector<Args> list;
  for (int64_t include : {0, 1}) {
    if (slices) {
      list.push_back(sample({5, 3}, {7}, {7, 3}, {0, reduction, include}, t));
      list.push_back(sample({3, 6}, {4}, {3, 4}, {-1, reduction, include}, t));
      list.push_back(sample({3, 2}, {0}, {0, 2}, {0, reduction, include}, t));
      continue;
    }
    list.push_back(sample({5}, {7}, {9}, {0, reduction, include}, t));
    list.push_back(sample({4, 6}, {3, 5}, {4, 7}, {1, reduction, include}, t));
    list.push_back(sample({2, 5}, {33, 5}, {33, 5}, {-2, reduction, include}, t));
    list.push_back(sample({}, {}, {}, {0, reduction, include}, t));
    list.push_back(sample({3, 2}, {0, 2}, {3, 2}, {0, reduction, include}, t));
  }
  return list;
}

double reduced(const std::vector<double>& values, int64_t reduction) {
  double y = values[0];
  for (size_t i = 1; i < values.size(); ++i) {
    if (reduction == 0 || reduction == 2) y += values[i];
    if (reduction == 1) y *= values[i];
    if (reduction == 3) y = std::max(y, values[i]);
    if (reduction == 4) y = std::min(y, values[i]);
  }
  return reduction == 2 ? y / static_cast<double>(values.size()) : y;
}

/// `slices`: index is a vector along dim.
Array reference(const ArrayArgs& a, bool slices) {
  Array y = a.t[0];
  const Array &index = a.t[1], &src = a.t[2];
  if (y.dim() == 0) {
    y.v[0] = reduced(a.i[2] ? std::vector<double>{y.v[0], src.v[0]} : src.v, a.i[1]);
    return y;
  }
  const auto dim = static_cast<size_t>(a.i[0] < 0 ? a.i[0] + y.dim() : a.i[0]);
  std::map<Shape, std::vector<double>> places;
  for_each_index(slices ? src.sizes : index.sizes, [&](const Shape& at) {
    Shape to = at;
    to[dim] = static_cast<int64_t>(slices ? index.v[static_cast<size_t>(at[dim])] : index.at(at));
    std::vector<double>& values = places[to];
    if (values.empty() && a.i[2]) values.push_back(y.at(to));
    values.push_back(src.at(at));
  });
  for (const auto& [at, values] : places) y.at(at) = reduced(values, a.i[1]);
  return y;
}

OpCase reduce_case(const std::string& op, int64_t reduction, bool slices) {
  OpCase c;
  c.name = op + "_" + kReductions[reduction];
  c.dtypes = {kFloat, kDouble};
  c.samples = [=](ScalarType t) { return samples(t, reduction, slices); };
  const auto function = slices ? &index_reduce : &scatter_reduce;
  c.call = [=](const Args& a) {
    return function(a.t[0], a.i[0], a.t[1], a.t[2], kReductions[a.i[1]], a.i[2] != 0);
  };
  c.inplace = [=](const Args& a) {
    const std::string by = kReductions[a.i[1]];
    return slices ? a.t[0].index_reduce_(a.i[0], a.t[1], a.t[2], by, a.i[2] != 0)
                  : a.t[0].scatter_reduce_(a.i[0], a.t[1], a.t[2], by, a.i[2] != 0);
  };
  c.reference = [=](const ArrayArgs& a) { return reference(a, slices); };
  c.inputs_without_gradient = {1};
  c.tolerance = 4;
  return c;
}

TAPER_OP_CASES(scatter_reductions, {
  std::vector<OpCase> list;
  for (int64_t r = 0; r < 5; ++r) list.push_back(reduce_case("scatter_reduce", r, false));
  for (int64_t r = 1; r < 5; ++r) list.push_back(reduce_case("index_reduce", r, true));
  const Tensor x = numbers({2, 3}), at = zeros({2, 3}, kLong);
  case_in(list, "scatter_reduce_sum").errors = {
      error<Error>("reduce argument must be either sum, prod, mean, amax or amin.",
                   [=] { scatter_reduce(x, 0, at, x, "max"); }),
      error<Error>("scatter(): Expected dtype int64 for index",
                   [=] { scatter_reduce(x, 0, at.to(kInt), x, "sum"); }),
      error<Error>("scatter(): Expected self.dtype to be equal to src.dtype",
                   [=] { scatter_reduce(x, 0, at, x.to(kDouble), "sum"); }),
      error<Error>("index 5 is out of bounds for dimension 0 with size 2",
                   [=] { scatter_reduce(x, 0, at + 5, x, "amax"); }),
      error<Error>(
          "Expected index [2, 9] to be smaller than self [2, 3] apart from dimension 0 and "
          "to be smaller size than src [2, 3]",
          [=] {
            scatter_reduce(x, 0, zeros({2, 9}, kLong), x, "sum");
          })};
  case_in(list, "index_reduce_prod").errors = {
      error<Error>("index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got "
                   "sum.",
                   [=] { index_reduce(x, 0, zeros({2}, kLong), x, "sum"); }),
      error<IndexError>("index_reduce_(): Index is supposed to be a vector",
                        [=] { index_reduce(x, 0, at, x, "amax"); })};
  return list;
});

// Expected values are PyTorch 1.13's.
TEST(ScatterReduce, GradientsOfTies) {
  Tensor x = arange(6, kFloat).view({2, 3}).requires_grad_();
  Tensor src = values({5, 1, 2, 1, 4, 2, 0, 4, 7}).view({3, 3}).requires_grad_();
  const Tensor index = values({0, 1, 1, 0, 0, 1, 1, 0, 1}, kLong).view({3, 3});
  const Tensor weights = (arange(6, kFloat) + 1).view({2, 3});
  (scatter_reduce(x, 0, index, src, "amax") * weights).sum().backward();
  expect_values(x.grad(), {2, 3}, {0, 0, 3, 4, 5, 0});
  expect_values(src.grad(), {3, 3}, {1, 0, 0, 0, 1, 0, 0, 1, 6});
  const Tensor whole = values({7, 2, 5}, kLong), to = values({0, 0, 2}, kLong);
  expect_values(index_reduce(zeros({3}, kLong), 0, to, whole, "mean", false), {3}, {4, 0, 5});
  expect_values(index_reduce(zeros({3}, kLong), 0, to, values({-7, 2, 5}, kLong), "mean"), {3},
                {-2, 0, 2});
  expect_values(scatter_reduce(zeros({3}, kLong), 0, to, whole * -1, "amax", false), {3},
                {-2, 0, -5});
}

// A NaN stays, on either side.
TEST(ScatterReduce, MaximaAndMinimaOfNaN) {
  for (ScalarType t : {kFloat, kDouble}) {
    const Tensor index = values({0, 0, 1, 2}, kLong), src = values({1, NAN, 3, 4}, t);
    const Tensor self = values({2, 2, NAN}, t);
    for (const char* how : {"amax", "amin"}) {
      const Tensor y = self.scatter_reduce(0, index, src, how);
      EXPECT_TRUE(std::isnan(y[0].item<double>()) && std::isnan(y[2].item<double>())) << how;
      EXPECT_EQ(y[1].item<double>(), how[2] == 'a' ? 3 : 2);
    }
  }
}

TEST(ScatterReduce, CountsAreExactInSmallDtypes) {
  for (const ScalarType t : {kHalf, kBFloat16, kChar}) {
    const Tensor index = zeros({3000}, kLong), src = full({3000}, t == kChar ? 0 : 0.0078125, t);
    const Tensor y = zeros({1}, t).scatter_reduce(0, index, src, "mean", false);
    EXPECT_EQ(y.scalar_type(), t);
    EXPECT_EQ(y.item<double>(), t == kChar ? 0 : 0.0078125) << toString(t);
    if (t == kChar) continue;
    const Tensor x = src.clone().requires_grad_();
    zeros({1}, t).scatter_reduce(0, index, x, "amax", false).backward();
    EXPECT_EQ(x.grad()[0].item<double>(), tensor(1. / 3000).to(t).item<double>()) << toString(t);
  }
}

}  // namespace
}  // namespace torch::taper::testing
