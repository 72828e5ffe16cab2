// Cases for the harness: reading and writing by index tensors.
#include <taper/ops/index/index_advanced.h>

#include <gtest/gtest.h>

#include <taper/ops/tensor/factory.h>

#include "harness/samples.h"

namespace taper::testing {
namespace {

using Shape = std::vector<int64_t>;

/// x of a shape and an index of another, with values below `limit`.
Args indexed(const Shape& x, const Shape& index, int64_t limit, int64_t dim, ScalarType dtype,
             uint64_t seed = 7) {
  Random random(seed);
  return {{random_tensor(x, dtype, {}, random), random_index(index, 0, limit, random)}, {dim}, {}};
}

/// The same with a source of a third shape.
Args with_source(Args a, const Shape& source, ScalarType dtype) {
  Random random(11);
  a.t.push_back(random_tensor(source, dtype, {}, random));
  return a;
}

std::vector<Args> select_samples(ScalarType t) {
  return {indexed({5}, {3}, 5, 0, t),        indexed({4, 3}, {6}, 3, 1, t),
          indexed({33, 31}, {35}, 33, 0, t), indexed({2, 5, 3}, {4}, 5, -2, t),
          indexed({3, 2}, {0}, 3, 0, t),     indexed({3, 0}, {2}, 3, 0, t),
          indexed({}, {1}, 1, 0, t),         indexed({7, 33}, {1025}, 7, 0, t)};
}

int64_t wrapped(int64_t dim, const Array& x) { return dim < 0 ? dim + x.dim() : dim; }

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

void assign(double& to, double from) { to = from; }
void add(double& to, double from) { to += from; }

Tensor longs(std::vector<int64_t> v) {
  const Tensor t = detail::make_tensor({static_cast<int64_t>(v.size())}, kLong, kCPU);
  std::copy(v.begin(), v.end(), t.data_ptr<int64_t>());
  return t;
}
Tensor ones(Shape shape, ScalarType dtype = kFloat) { return to_tensor(Array(shape, 1), dtype); }

/// Sources whose repeated targets would make assignment depend on the order are kept out of the
/// gradient checks: there the last write wins, and only it has a gradient.
std::vector<Args> without_repeats() {
  Args a = with_source(indexed({5, 3}, {2}, 1, 0, kDouble), {2, 3}, kDouble);
  a.t[1] = longs({3, 1});
  return {a};
}
std::vector<Args> scatter_without_repeats() {
  Args a = with_source(indexed({3, 5}, {2, 2}, 1, 1, kDouble), {2, 3}, kDouble);
  a.t[1] = longs({3, 1, 0, 4}).view({2, 2});
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

OpCase take_case() {
  OpCase c;
  c.name = "take";
  c.dtypes = {kFloat, kDouble, kLong};
  c.samples = [](ScalarType t) {
    return std::vector<Args>{indexed({5}, {3}, 5, 0, t), indexed({4, 3}, {2, 6}, 12, 0, t),
                             indexed({}, {2}, 1, 0, t), indexed({4}, {0}, 4, 0, t)};
  };
  c.call = [](const Args& a) { return a.t[0].take(a.t[1]); };
  c.reference = [](const ArrayArgs& a) {
    Array y(a.t[1].sizes);
    for (size_t i = 0; i < y.v.size(); ++i) y.v[i] = a.t[0].v[static_cast<size_t>(a.t[1].v[i])];
    return y;
  };
  c.errors = {error<IndexError>("out of range: tried to access index -7 on a tensor of 6 elements.",
                                [] { ones({6}).take(longs({-7})); }),
              error<Error>("Expected a long tensor for index", [] { ones({6}).take(ones({1})); })};
  return c;
}

TAPER_OP_CASES(index_cases, {
  return std::vector<OpCase>{index_select_case(),
                             index_add_case(),
                             index_copy_case(),
                             index_fill_case(),
                             gather_case(),
                             scatter_case(),
                             scatter_value_case(),
                             scatter_add_case(),
                             scatter_multiply_case(),
                             scatter_multiply_value_case(),
                             take_case()};
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

}  // namespace
}  // namespace taper::testing
