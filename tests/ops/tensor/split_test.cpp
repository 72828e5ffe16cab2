// Cutting a tensor into pieces.
#include <taper/ops/tensor/split.h>

#include <algorithm>
#include <map>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/debug/timeline.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/reduce/reduce.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>

#include "harness/devices.h"
#include "ops/shared/element_moves.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

/// 0, size, 2 size, ... and at last n; for no elements 0 and 0.
Sizes steps(int64_t n, int64_t size) {
  Sizes places{0};
  do {
    places.push_back(std::min(places.back() + size, n));
  } while (places.back() < n);
  return places;
}

TAPER_OP_CASES(pieces, {
  OpCase split = view_case(
      "split",
      {{{5}, {2, 0}}, {{2, 6}, {3, 1}}, {{3, 2, 4}, {1, -3}}, {{3}, {7, 0}}, {{0, 2}, {0, 0}}},
      [](const Tensor& x, const Sizes& i) { return taper::split(x, i[0], i[1]); },
      [](const Array& x, const Sizes& i) { return parts_of(x, i[1], steps(x.size(i[1]), i[0])); });
  split.errors = {
      error<Error>("split expects at least a 1-dimensional tensor",
                   [] { taper::split(numbers({}), 1); }),
      error<Error>("split expects split_size be non-negative, but got split_size=-1",
                   [] { taper::split(numbers({3}), -1); }),
      error<Error>("split_size can only be 0 if dimension size is 0, but got dimension size of 3",
                   [] { taper::split(numbers({3}), 0); })};
  // The last number is the dimension.
  OpCase sizes = view_case(
      "split_with_sizes", {{{5}, {2, 3, 0}}, {{2, 6}, {1, 0, 5, 1}}, {{3, 2}, {3, -2}}},
      [](const Tensor& x, const Sizes& i) {
        return split_with_sizes(x, Sizes(i.begin(), i.end() - 1), i.back());
      },
      [](const Array& x, const Sizes& i) {
        Sizes places{0};
        for (size_t k = 0; k + 1 < i.size(); ++k) places.push_back(places.back() + i[k]);
        return parts_of(x, i.back(), places);
      });
  sizes.errors = {
      error<Error>("split_with_sizes expects split_sizes to sum exactly to 3 (input tensor's size "
                   "at dimension 0), but got split_sizes=[2, 2]",
                   [] {
                     split_with_sizes(numbers({3}), {2, 2});
                   }),
      error<Error>("split_with_sizes expects split_sizes have only non-negative entries", [] {
        split_with_sizes(numbers({3}), {4, -1});
      })};
  OpCase chunk = view_case(
      "chunk",
      {{{5}, {2, 0}}, {{2, 6}, {4, 1}}, {{3, 2, 4}, {3, -3}}, {{3}, {7, 0}}, {{0, 2}, {3, 0}}},
      [](const Tensor& x, const Sizes& i) { return taper::chunk(x, i[0], i[1]); },
      [](const Array& x, const Sizes& i) {
        const int64_t n = x.size(i[1]), size = (n + i[0] - 1) / i[0];
        return parts_of(x, i[1], n == 0 ? Sizes(static_cast<size_t>(i[0]) + 1, 0) : steps(n, size));
      });
  chunk.errors = {error<Error>("chunk expects `chunks` to be greater than 0, got: 0",
                               [] { taper::chunk(numbers({3}), 0); }),
                  error<Error>("chunk expects at least a 1-dimensional tensor",
                               [] { taper::chunk(numbers({}), 1); })};
  OpCase unbind = view_case(
      "unbind", {{{3}, {0}}, {{2, 3}, {1}}, {{2, 3, 2}, {-2}}, {{2, 0}, {0}}},
      [](const Tensor& x, const Sizes& i) { return taper::unbind(x, i[0]); },
      [](const Array& x, const Sizes& i) {
        Arrays parts = parts_of(x, i[0], steps(x.size(i[0]), 1));
        for (Array& y : parts) y.sizes.erase(y.sizes.begin() + wrapped(i[0], x.dim()));
        return parts;
      });
  unbind.errors = {
      error<IndexError>("Dimension specified as 0 but tensor has no dimensions",
                        [] { taper::unbind(numbers({})); }),
      error<IndexError>("Dimension out of range", [] { taper::unbind(numbers({3}), 1); })};
  return std::vector<OpCase>{split, sizes, chunk, unbind};
});

/// The places where n elements are cut into nearly equal parts, the first ones larger.
Sizes nearly_equal(int64_t n, int64_t sections) {
  Sizes places{0};
  for (int64_t i = 0; i < sections; ++i)
    places.push_back(places.back() + n / sections + (i < n % sections));
  return places;
}
Sizes with_ends(Sizes places, int64_t n) {
  places.insert(places.begin(), 0);
  places.push_back(n);
  return places;
}

TAPER_OP_CASES(splits, {
  OpCase even = view_case(
      "tensor_split", {{{7}, {3, 0}}, {{2, 5}, {2, 1}}, {{2, 3}, {5, -1}}, {{0}, {2, 0}}},
      [](const Tensor& x, const Sizes& i) { return tensor_split(x, i[0], i[1]); },
      [](const Array& x, const Sizes& i) {
        return parts_of(x, i[1], nearly_equal(x.size(i[1]), i[0]));
      });
  even.errors = {error<Error>("number of sections must be larger than 0, got 0",
                              [] { tensor_split(numbers({3}), 0); }),
                 error<Error>("tensor_split expected at least a 1-dimensional tensor, but got a "
                              "tensor with 0 dims",
                              [] { tensor_split(numbers({}), 1); })};
  OpCase at = view_case(
      "tensor_split_indices", {{{7}, {2, 5, 0}}, {{2, 5}, {0, 1, 3, 1}}, {{2, 3}, {-1}}},
      [](const Tensor& x, const Sizes& i) {
        return tensor_split(x, Sizes(i.begin(), i.end() - 1), i.back());
      },
      [](const Array& x, const Sizes& i) {
        return parts_of(x, i.back(), with_ends(Sizes(i.begin(), i.end() - 1), x.size(i.back())));
      });
  std::vector<OpCase> list = {even, at};
  // Numbers: one of sections, or 0 and then indices.
  struct Named {
    const char* name;
    std::vector<Tensor> (*by_number)(const Tensor&, int64_t);
    std::vector<Tensor> (*by_indices)(const Tensor&, IntArrayRef);
    int64_t dim;
    std::vector<Moving> samples;
  };
  const Named named[] = {
      {"hsplit",
       &hsplit,
       &hsplit,
       1,
       {{{2, 6}, {3}}, {{4}, {2}}, {{2, 6, 2}, {0, 1, 4}}, {{4}, {0, 3}}}},
      {"vsplit", &vsplit, &vsplit, 0, {{{6, 2}, {3}}, {{4, 1, 2}, {2}}, {{6, 2}, {0, 1, 4}}}},
      {"dsplit",
       &dsplit,
       &dsplit,
       2,
       {{{1, 2, 6}, {3}}, {{2, 1, 4, 2}, {2}}, {{1, 2, 6}, {0, 1, 4}}}}};
  for (const Named& n : named) {
    OpCase c = view_case(
        n.name, n.samples,
        [n](const Tensor& x, const Sizes& i) {
          return i[0] ? n.by_number(x, i[0]) : n.by_indices(x, Sizes(i.begin() + 1, i.end()));
        },
        [n](const Array& x, const Sizes& i) {
          const int64_t d = std::min(n.dim, x.dim() - 1);
          return parts_of(x, d,
                          i[0] ? nearly_equal(x.size(d), i[0])
                               : with_ends(Sizes(i.begin() + 1, i.end()), x.size(d)));
        });
    const auto op = n.by_number;
    const std::string words = std::string("torch.") + n.name;
    c.errors = {
        error<Error>(words + " requires a tensor with at least ", [op] { op(numbers({}), 1); }),
        error<Error>(words + " attempted to split along dimension " + std::to_string(n.dim) +
                         ", but the size of the dimension 5 is not divisible by the "
                         "split_size 2!",
                     [op] {
                       op(numbers({5, 5, 5}), 2);
                     }),
        error<Error>("is not divisible by the split_size 0!", [op] {
          op(numbers({5, 5, 5}), 0);
        })};
    list.push_back(c);
  }
  return list;
});

TEST(TensorSplit, TakesIndicesAndSectionsInATensor) {
  const Tensor x = counting({3, 4});
  const auto rows = tensor_split(x, values({1, 2}, kLong));
  ASSERT_EQ(rows.size(), 3u);
  expect_values(rows[1], {1, 4}, {4, 5, 6, 7});
  const auto halves = x.tensor_split(tensor_of({}, {2}, kLong), 1);
  ASSERT_EQ(halves.size(), 2u);
  expect_values(halves[1], {3, 2}, {2, 3, 6, 7, 10, 11});
  EXPECT_TRUE(halves[1].is_alias_of(x));
  expect_error("to have dtype of long, but got Float", [&] { x.tensor_split(values({1})); });
  expect_error("but got a tensor with 2 dims", [&] { x.tensor_split(counting({1, 2}, kLong)); });
}

TEST(Split, SplitsAndStacks) {
  const Tensor x = counting({7});
  const auto parts = tensor_split(x, 3);
  ASSERT_EQ(parts.size(), 3u);
  expect_values(parts[0], {3}, {0, 1, 2});
  expect_values(parts[2], {2}, {5, 6});
  expect_values(tensor_split(x, IntArrayRef{2, 5})[1], {3}, {2, 3, 4});
  expect_values(hsplit(counting({2, 4}), 2)[1], {2, 2}, {2, 3, 6, 7});
  expect_error(
      "torch.hsplit attempted to split along dimension 0, but the size of the dimension 7 "
      "is not divisible by the split_size 3!",
      [&] { hsplit(x, 3); });
  expect_values(column_stack({values({1, 2}), values({3, 4})}), {2, 2}, {1, 3, 2, 4});
}

// The parts are all that there is: only those without a gradient are filled with zeros.
TEST(Split, GradientsAreCopiedWithoutZerosBelow) {
  TAPER_NEEDS_DEVICES(1);
  const Tensor g = full({2, 2}, 3.0, kCUDA);
  const auto kernels_of = [&](size_t first, size_t end, const Sizes& wanted) {
    const Tensor x = counting({2, 6}).to(kCUDA).requires_grad_();
    const auto parts = x.split(2, 1);
    const std::vector<Tensor> used(parts.begin() + static_cast<ptrdiff_t>(first),
                                   parts.begin() + static_cast<ptrdiff_t>(end));
    std::map<std::string, int> count;
    synchronize_all();
    cuda::Timeline timeline;
    const Tensor gx = autograd::grad(used, {x}, std::vector<Tensor>(used.size(), g))[0];
    timeline.stop();
    for (const auto& e : timeline.events()) ++count[e.name];
    for (size_t i = 0; i < wanted.size(); ++i)
      EXPECT_EQ(gx.cpu()[1][static_cast<int64_t>(i)].item<double>(), static_cast<double>(wanted[i]))
          << i;
    return count;
  };
  using Count = std::map<std::string, int>;
  EXPECT_EQ(kernels_of(0, 3, {3, 3, 3, 3, 3, 3}), (Count{{"copy", 3}}));
  EXPECT_EQ(kernels_of(1, 2, {0, 0, 3, 3, 0, 0}), (Count{{"copy", 1}, {"zero", 2}}));
}

TEST(Rows, AreViewsOfTheFirstDimension) {
  const Tensor x = tensor_of({2, 3}, {1, 2, 3, 4, 5, 6}).requires_grad_();
  std::vector<Tensor> rows;
  for (Tensor row : x) rows.push_back(row);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(rows[1].is_alias_of(x));
  expect_values(rows[1].detach(), {3}, {4, 5, 6});
  EXPECT_EQ(rows[1].output_nr(), 1);  // one node collects all gradients
  (rows[0] * rows[1]).sum().backward();
  expect_values(x.grad(), {2, 3}, {4, 5, 6, 1, 2, 3});
  for (Tensor row : zeros({0, 3})) FAIL() << row;
  expect_error<TypeError>("iteration over a 0-d tensor", [] {
    for (Tensor row : ones({})) FAIL() << row;
  });
}

}  // namespace
}  // namespace torch::taper::testing
