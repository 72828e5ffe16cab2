// Reading and writing at places that an index tensor gives along a dimension.
#include <taper/ops/index/index_scatter.h>

#include <taper/ops/index/index_advanced.h>
#include <taper/ops/tensor/factory.h>

#include "ops/index/index_samples.h"
#include "ops/shared/element_moves.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

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

}  // namespace
}  // namespace torch::taper::testing
