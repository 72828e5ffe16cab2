// Reading and writing by tensors of indices.
#include <taper/ops/index/index_advanced.h>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/index/index_scatter.h>
#include <taper/ops/reduce/search.h>
#include <taper/ops/tensor/factory.h>

#include "ops/index/index_samples.h"
#include "ops/shared/element_moves.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

// Two int64 index tensors over dimensions 0 and 2 of x, or 0 and 1, by i[0].
std::vector<optional<Tensor>> two_indices(const Args& a) {
  if (a.i[0] == 0) return {a.t[1], a.t[2]};
  if (a.i[0] == 1) return {nullopt, a.t[1], a.t[2]};
  return {a.t[1], nullopt, a.t[2]};
}

std::vector<Args> advanced_samples(ScalarType t) {
  std::vector<Args> list;
  Random random(4);
  for (const int64_t where : {0, 1, 2})
    for (const auto& [first, second] : std::vector<std::pair<Shape, Shape>>{
             {{3}, {3}}, {{2, 1}, {4}}, {{}, {2}}, {{0}, {1}}, {{33}, {33}}})
      list.push_back({{random_tensor({3, 4, 5}, t, {}, random), random_index(first, -3, 3, random),
                       random_index(second, -3, 3, random)},
                      {where},
                      {}});
  return list;
}

int64_t wrap(double i, int64_t size) {
  return static_cast<int64_t>(i < 0 ? i + static_cast<double>(size) : i);
}

/// Calls visit(place in x, place in the result).
template <class Visit>
Shape for_each_read(const ArrayArgs& a, const Visit& visit) {
  const Shape index = broadcast(a.t[1].sizes, a.t[2].sizes);
  const int64_t where = a.i[0], first = where == 1 ? 1 : 0, second = where == 0 ? 1 : 2,
                kept = 3 - first - second;
  Shape shape = index;
  shape.insert(where == 1 ? shape.begin() : shape.end(), a.t[0].size(kept));
  for_each_index(shape, [&](const Shape& at) {
    Shape in_index = at;
    const auto own = where == 1 ? in_index.begin() : in_index.end() - 1;
    Shape from(3);
    from[static_cast<size_t>(kept)] = *own;
    in_index.erase(own);
    from[static_cast<size_t>(first)] = wrap(a.t[1].broadcast_at(in_index), a.t[0].size(first));
    from[static_cast<size_t>(second)] = wrap(a.t[2].broadcast_at(in_index), a.t[0].size(second));
    visit(from, at);
  });
  return shape;
}

OpCase index_case() {
  OpCase c;
  c.name = "index";
  c.dtypes = {kFloat, kDouble, kHalf, kLong, kByte};
  c.samples = advanced_samples;
  c.call = [](const Args& a) { return a.t[0].index(two_indices(a)); };
  c.reference = [](const ArrayArgs& a) {
    Array y(for_each_read(a, [](const Shape&, const Shape&) {}));
    for_each_read(a, [&](const Shape& from, const Shape& at) { y.at(at) = a.t[0].at(from); });
    return y;
  };
  return c;
}

OpCase index_put_case() {
  OpCase c;
  c.name = "index_put";
  c.dtypes = {kFloat, kDouble, kLong};
  c.samples = [](ScalarType t) {
    std::vector<Args> list = advanced_samples(t);
    Random random(6);
    for (Args& a : list)
      a.t.push_back(random_tensor(a.t[0].index(two_indices(a)).sizes().vec(), t, {}, random));
    return list;
  };
  c.call = [](const Args& a) { return a.t[0].index_put(two_indices(a), a.t[3], true); };
  c.inplace = [](const Args& a) { return a.t[0].index_put_(two_indices(a), a.t[3], true); };
  c.reference = [](const ArrayArgs& a) {
    Array y = a.t[0];
    for_each_read(a, [&](const Shape& to, const Shape& at) { y.at(to) += a.t[3].at(at); });
    return y;
  };
  return c;
}

TAPER_OP_CASES(advanced_cases, { return std::vector<OpCase>{index_case(), index_put_case()}; });

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

TAPER_OP_CASES(taken_elements, { return std::vector<OpCase>{take_case()}; });

TAPER_OP_CASES(put_by_position, {
  OpCase put_values = moving_case(
      "put",
      [](ScalarType t) {
        Args a = sample_of({{3, 4}, {3}}, t);
        a.t.push_back(values({11, 0, 5}, kLong));
        return std::vector<Args>{a};
      },
      [](const Args& a) { return put(a.t[0], a.t[2], a.t[1]); },
      [](const ArrayArgs& a) {
        Array y = a.t[0];
        for (size_t i = 0; i < 3; ++i) y.v[size_t(a.t[2].v[i])] = a.t[1].v[i];
        return y;
      });
  put_values.inplace = [](const Args& a) { return a.t[0].put_(a.t[2], a.t[1]); };
  put_values.errors = {
      error<Error>("put_(): self and source expected to have the same dtype, but got self.dtype = "
                   "Float and source.dtype = Double",
                   [] { put(numbers({2}), values({0}, kLong), values({1}, kDouble)); }),
      error<IndexError>(
          "put_(): Expected source and index to have the same number of elements, but "
          "got source.numel() = 2, index.numel() = 1",
          [] {
            put(numbers({2}), values({0}, kLong), values({1, 2}));
          })};
  return std::vector<OpCase>{put_values};
});

TEST(PutAndTake, Elements) {
  const Tensor x = counting({2, 3});
  expect_values(put(x, values({0, 4}, kLong), values({9, 8})), {2, 3}, {9, 1, 2, 3, 8, 5});
  expect_values(put(x, values({1, 1}, kLong), values({9, 8}), true), {2, 3}, {0, 18, 2, 3, 4, 5});
  expect_values(take_along_dim(x, tensor_of({2, 1}, {2, 0}, kLong), 1), {2, 1}, {2, 3});
  expect_values(isin(x, values({1, 5, 7})), {2, 3}, {0, 1, 0, 0, 0, 1});
  const Tensor all = counting({2000}), some = all.slice(0, 5, 2000, 40);  // few tests, many tests
  for (const int64_t n : {1, 7, 50})
    EXPECT_TRUE(isin(all, some.slice(0, 0, n)).equal(all.remainder(40).eq(5) & all.lt(40 * n)));
  expect_values(isin(x, values({}), false, true), {2, 3}, {1, 1, 1, 1, 1, 1});
  expect_error<IndexError>("but got source.numel() = 1, index.numel() = 2", [&] {
    put(x, values({1, 2}, kLong), values({1}));
  });
}

TEST(Index, MasksOfBytesWarn) {
  const Tensor x = counting({2, 3}), mask = values({1, 0}, kByte);
  const std::string text =
      "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.";
  expect_warning(text, [&] { expect_values(index(x, {mask}), {1, 3}, {0, 1, 2}); });
  expect_warning(text, [&] { x.clone().index_put_({mask}, zeros({})); });
  expect_warning(text, [&] { x.index({mask}); });
  EXPECT_TRUE(warnings_of([&] { x.index({mask.to(kBool)}); }).empty());
}

// One number may go where several elements share memory; other values would depend on the order.
TEST(IndexPut, OfOneNumberToExpandedTensors) {
  const auto wide = [] { return counting({3}).unsqueeze(0).expand({2, 3}); };
  const Tensor corners = tensor_of({2, 3}, {1, 0, 0, 0, 0, 1}, kBool);
  Tensor x = wide();
  expect_values(index_put_(x, {corners}, values({7})), {2, 3}, {7, 1, 7, 7, 1, 7});
  x = wide();
  expect_values(index_put_(x, {nullopt, values({1}, kLong)}, tensor_of({}, {7})), {2, 3},
                {0, 7, 2, 0, 7, 2});
  x = wide();
  expect_error("index_put_: unsupported operation: more than one element",
               [&] { index_put_(x, {values({1}, kLong)}, counting({3})); });
  expect_error("index_put_: unsupported operation: more than one element",
               [&] { index_put_(x, {values({1}, kLong)}, values({1}), true); });
  expect_values(x, {2, 3}, {0, 1, 2, 0, 1, 2});
}

// As in PyTorch 2.15.
TEST(Index, TakesIndicesOf32Bits) {
  const Tensor x = arange(12, kFloat).view({3, 4}).requires_grad_(), i = tensor({2, -1}, kInt);
  EXPECT_TRUE(x.index({i}).equal(x.index({i.to(kLong)})));
  EXPECT_TRUE(x.index({i, tensor({0, 1})}).equal(tensor({8., 9.}, kFloat)));
  x.index({i}).sum().backward();
  EXPECT_EQ(values_of(x.grad().sum(1)), (std::vector<double>{0, 0, 8}));
  const Tensor y = zeros({3});
  y.index_put_({i}, ones({2}), true);
  EXPECT_EQ(values_of(y), (std::vector<double>{0, 0, 2}));
  y.index_put_({tensor({0}, kInt)}, scalar_tensor(5.));
  EXPECT_EQ(y[0].item<float>(), 5);
}

}  // namespace
}  // namespace torch::taper::testing
