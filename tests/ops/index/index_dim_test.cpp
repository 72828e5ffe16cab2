// Reading and writing the slices of a dimension that an index names.
#include <taper/ops/index/index_dim.h>

#include <taper/framework/autograd/node.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/tensor/factory.h>

#include "ops/index/index_samples.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

std::vector<Args> select_samples(ScalarType t) {
  return {indexed({5}, {3}, 5, 0, t),        indexed({4, 3}, {6}, 3, 1, t),
          indexed({33, 31}, {35}, 33, 0, t), indexed({2, 5, 3}, {4}, 5, -2, t),
          indexed({3, 2}, {0}, 3, 0, t),     indexed({3, 0}, {2}, 3, 0, t),
          indexed({}, {1}, 1, 0, t),         indexed({7, 33}, {1025}, 7, 0, t)};
}

Array reference_select(const Array& x, const Array& index, int64_t dim_given) {
  if (x.dim() == 0) return x;
  const int64_t dim = wrapped(dim_given, x);
  Array y;
  y.sizes = x.sizes;
  y.sizes[dim] = index.numel();
  y = Array(y.sizes);
  for_each_index(y.sizes, [&](const Shape& at) {
    Shape from = at;
    from[dim] = static_cast<int64_t>(index.v[at[dim]]);
    y.at(at) = x.at(from);
  });
  return y;
}

/// Calls put(target, source) for every element of slices that a source goes to.
template <class Put>
Array reference_slices(Array x, const Array& index, const Array& source, int64_t dim_given,
                       const Put& put) {
  const int64_t dim = wrapped(dim_given, x);
  for_each_index(source.sizes, [&](const Shape& at) {
    Shape to = at;
    to[dim] = static_cast<int64_t>(index.v[at[dim]]);
    put(x.at(to), source.at(at));
  });
  return x;
}

std::vector<Args> slice_samples(ScalarType t) {
  return {with_source(indexed({5}, {7}, 5, 0, t), {7}, t),
          with_source(indexed({4, 3}, {6}, 3, 1, t), {4, 6}, t),
          with_source(indexed({33, 31}, {35}, 33, 0, t), {35, 31}, t),
          with_source(indexed({2, 5, 3}, {4}, 5, -2, t), {2, 4, 3}, t),
          with_source(indexed({3, 2}, {0}, 3, 0, t), {0, 2}, t)};
}

/// Sources whose repeated targets would make assignment depend on the order are kept out of the
/// gradient checks: there the last write wins, and only it has a gradient.
std::vector<Args> without_repeats() {
  Args a = with_source(indexed({5, 3}, {2}, 1, 0, kDouble), {2, 3}, kDouble);
  a.t[1] = longs({3, 1});
  return {a};
}

OpCase index_select_case() {
  OpCase c;
  c.name = "index_select";
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16, kLong, kInt, kShort, kByte};
  c.samples = select_samples;
  c.call = [](const Args& a) { return a.t[0].index_select(a.i[0], a.t[1]); };
  c.reference = [](const ArrayArgs& a) { return reference_select(a.t[0], a.t[1], a.i[0]); };
  const Tensor x = ones({3, 2});
  c.errors = {
      error<IndexError>("index out of range in self", [=] { x.index_select(0, longs({3})); }),
      error<IndexError>("index out of range in self", [=] { x.index_select(0, longs({-1})); }),
      error<IndexError>("Dimension out of range", [=] { x.index_select(2, longs({0})); }),
      error<IndexError>("Index is supposed to be a vector",
                        [=] {
                          x.index_select(0, longs({0, 1}).view({1, 2}));
                        }),
      error<Error>("Expected dtype int32 or int64 for index",
                   [=] { x.index_select(0, ones({1})); })};
  return c;
}

OpCase index_add_case() {
  OpCase c;
  c.name = "index_add";
  c.dtypes = {kFloat, kDouble, kLong, kInt};
  c.samples = slice_samples;
  c.call = [](const Args& a) { return a.t[0].index_add(a.i[0], a.t[1], a.t[2], 2); };
  c.inplace = [](const Args& a) { return a.t[0].index_add_(a.i[0], a.t[1], a.t[2], 2); };
  c.reference = [](const ArrayArgs& a) {
    return reference_slices(a.t[0], a.t[1], a.t[2], a.i[0],
                            [](double& to, double from) { to += 2 * from; });
  };
  const Tensor x = ones({3});
  c.errors = {error<IndexError>("index out of range in self",
                                [=] { x.index_add(0, longs({5}), ones({1})); }),
              error<Error>("Number of indices (2) should be equal to source.size(dim): (1)",
                           [=] {
                             x.index_add(0, longs({0, 1}), ones({1}));
                           }),
              error<Error>("must have the same scalar type",
                           [=] { x.index_add(0, longs({0}), ones({1}, kLong)); })};
  return c;
}

OpCase index_copy_case() {
  OpCase c = index_add_case();
  c.name = "index_copy";
  c.call = [](const Args& a) { return a.t[0].index_copy(a.i[0], a.t[1], a.t[2]); };
  c.inplace = [](const Args& a) { return a.t[0].index_copy_(a.i[0], a.t[1], a.t[2]); };
  c.reference = [](const ArrayArgs& a) {
    return reference_slices(a.t[0], a.t[1], a.t[2], a.i[0], assign);
  };
  c.gradient_samples = without_repeats;
  c.errors = {
      error<IndexError>("index_copy_(): index 9 is out of bounds for dimension 0 with size 3",
                        [] { ones({3}).index_copy(0, longs({9}), ones({1})); })};
  return c;
}

OpCase index_fill_case() {
  OpCase c;
  c.name = "index_fill";
  c.dtypes = {kFloat, kDouble, kLong};
  c.samples = select_samples;
  c.call = [](const Args& a) { return a.t[0].index_fill(a.i[0], a.t[1], 5); };
  c.inplace = [](const Args& a) { return a.t[0].index_fill_(a.i[0], a.t[1], 5); };
  c.fills = true;
  c.reference = [](const ArrayArgs& a) {
    if (a.t[0].dim() == 0) return Arrays(Array({}, 5));
    const Array source = reference_select(a.t[0], a.t[1], a.i[0]);
    return Arrays(
        reference_slices(a.t[0], a.t[1], source, a.i[0], [](double& to, double) { to = 5; }));
  };
  c.errors = {error<IndexError>("index 9 is out of bounds for dimension 0 with size 3",
                                [] { ones({3}).index_fill(0, longs({9}), 1); })};
  return c;
}

TAPER_OP_CASES(index_dim_cases, {
  return std::vector<OpCase>{index_select_case(), index_add_case(), index_copy_case(),
                             index_fill_case()};
});

TEST(IndexAdd, NumbersOfAnyKindTimesIntegers) {
  const Tensor index = to_tensor(Array({2}), kLong);
  for (const ScalarType t : {kByte, kShort, kInt, kLong}) {
    const Tensor y = zeros({2}, t).index_add(0, index, full({2}, 3, t), 2.5);
    EXPECT_EQ(y.scalar_type(), t);
    EXPECT_EQ(y.to(kLong)[0].item<int64_t>(), 12) << toString(t);
  }
  const Tensor y = zeros({2}, kBool).index_add(0, index.slice(0, 0, 1), ones({1}, kBool), 2);
  EXPECT_TRUE(y[0].item<bool>());
  EXPECT_FALSE(y[1].item<bool>());
}

TEST(IndexFill, AnIndexThatComesTwiceCountsOnce) {
  const Tensor v = values({7}, kDouble).reshape({}).requires_grad_();
  counting({2, 3}, kDouble).index_fill(1, values({0, 2, 0}, kLong), v).sum().backward();
  expect_values(v.grad(), {}, {4});
}

TEST(IndexFill, OfExpandedTensors) {
  const auto wide = [] { return counting({3}).unsqueeze(0).expand({2, 3}); };
  expect_values(wide().index_fill_(0, values({1}, kLong), 4), {2, 3}, {4, 4, 4, 4, 4, 4});
  expect_values(wide().index_fill_(1, values({-1}, kLong), 4), {2, 3}, {0, 1, 4, 0, 1, 4});
  expect_values(wide().index_fill_(1, values({0, 0}, kLong), tensor_of({}, {4})), {2, 3},
                {4, 1, 2, 4, 1, 2});
  expect_values(wide().index_fill_(0, values({}, kLong), 4), {2, 3}, {0, 1, 2, 0, 1, 2});
  const Tensor recorded = counting({3}).requires_grad_().clone();
  expect_error("index_fill_: unsupported operation: more than one element", [&] {
    recorded.unsqueeze(0).expand({2, 3}).index_fill_(0, values({1}, kLong), 4);
  });
  expect_error("index 2 is out of", [&] { wide().index_fill_(0, values({2}, kLong), 4); });
}

TEST(IndexFill, TakesTheValueFromATensor) {
  const Tensor x = counting({2, 3}), at = values({0, 2}, kLong);
  expect_values(x.index_fill(1, at, tensor_of({}, {7}, kLong)), {2, 3}, {7, 1, 7, 7, 4, 7});
  Tensor a = x.clone().requires_grad_(), v = tensor_of({}, {9}, kDouble).requires_grad_();
  const Tensor y = index_fill(a, 1, at, v);
  EXPECT_EQ(y.grad_fn()->name(), "IndexFillBackward1");
  (y * y).sum().backward();
  expect_values(v.grad(), {}, {72});
  EXPECT_EQ(v.grad().scalar_type(), kDouble);
  expect_values(a.grad(), {2, 3}, {0, 2, 0, 0, 8, 0});
  Tensor z = x.clone();
  EXPECT_TRUE(z.index_fill_(1, at, v.detach()).equal(y) && z.equal(y));
  expect_error("only supports a 0-dimensional value tensor, but got tensor with 1 dimension(s).",
               [&] { z.index_fill_(0, at, values({7})); });
}

TEST(IndexAdd, TakesIndicesOf32Bits) {
  for (ScalarType t : {kFloat, kDouble, kLong, kHalf}) {
    const Tensor x = zeros({3, 20}, t), source = counting({2, 20}, t);
    const Tensor want = x.index_add(0, values({2, 0}, kLong), source);
    EXPECT_TRUE(x.index_add(0, values({2, 0}, kInt), source).equal(want)) << toString(t);
    EXPECT_TRUE(want[2].equal(source[0]) && want[0].equal(source[1])) << toString(t);
  }
}

// Long rows go by vectors, single elements do not; each sum is rounded.
TEST(IndexAdd, LongRowsOf16BitsAreTheirElements) {
  const int64_t width = 1100;
  const Tensor at = values({2, 0, 2, 2, 1}, kLong);
  for (const ScalarType t : {kHalf, kBFloat16}) {
    const Tensor x = randn({3, width}).to(t), source = randn({5, width}).to(t);
    const Tensor y = x.index_add(0, at, source);
    for (const int64_t c : {0, 15, 16, 511, 512, 1099})
      EXPECT_TRUE(y.select(1, c).equal(x.select(1, c).index_add(0, at, source.select(1, c))))
          << toString(t) << ' ' << c;
  }
}

// Threads share the columns of long rows, and the places of others.
TEST(IndexAdd, RowsOfAnyLengthDoNotDependOnThreads) {
  const Tensor at = randint(50, {700}, kLong);
  const int before = get_num_threads();
  for (const ScalarType t : {kFloat, kDouble, kBFloat16})
    for (const int64_t width : {2, 63, 128, 300, 1000, 2500}) {
      const Tensor x = randn({50, width}).to(t), source = randn({700, width}).to(t);
      set_num_threads(1);
      const Tensor added = x.index_add(0, at, source), put = x.index_copy(0, at, source);
      set_num_threads(3);
      EXPECT_TRUE(x.index_add(0, at, source).equal(added)) << toString(t) << ' ' << width;
      EXPECT_TRUE(x.index_copy(0, at, source).equal(put)) << toString(t) << ' ' << width;
      EXPECT_TRUE(added.select(1, width - 1)
                      .equal(x.select(1, width - 1).index_add(0, at, source.select(1, width - 1))));
    }
  set_num_threads(before);
}

}  // namespace
}  // namespace torch::taper::testing
