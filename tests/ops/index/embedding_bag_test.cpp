#include <taper/ops/index/embedding_bag.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <taper/framework/autograd/autograd.h>

#include "harness/devices.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Shape = std::vector<int64_t>;

enum Mode : int64_t { kSum, kMean, kMax };

Tensor longs(std::vector<double> v) { return values(std::move(v), kLong); }

Tensor random_table(Shape sizes, ScalarType t, Random& random) {
  return random_tensor(sizes, t, {}, random);
}

/// Offsets of `bags` bags in `length` indices; some bags are empty.
Tensor random_offsets(int64_t bags, int64_t length, Random& random) {
  Array at = to_array(random_index({bags}, 0, length + 1, random));
  std::sort(at.v.begin(), at.v.end());
  if (bags > 0) at.v[0] = 0;
  return to_tensor(at, kLong);
}

/// i: mode, padding_idx (-1: none), whether the last offset is an end.
Args bags(ScalarType t, Shape table, int64_t count, int64_t length, Mode mode, Random& random,
          int64_t padding = -1, bool last = false) {
  const int64_t rows = table[0];
  return {{random_table(std::move(table), t, random),
           random_index({length}, 0, std::max<int64_t>(rows, 1), random),
           random_offsets(count + last, length, random)},
          {mode, padding, last}};
}

std::vector<Args> samples(ScalarType t) {
  std::vector<Args> list;
  Random random(5);
  for (Mode mode : {kSum, kMean, kMax}) {
    list.push_back(bags(t, {5, 3}, 4, 9, mode, random));
    list.push_back(bags(t, {5, 3}, 4, 9, mode, random, 2));
    list.push_back(bags(t, {4, 6}, 3, 7, mode, random, 0, true));
    list.push_back(bags(t, {3, 2}, 0, 0, mode, random));
    list.push_back(bags(t, {3, 2}, 2, 0, mode, random));
    list.push_back(bags(t, {3, 0}, 2, 4, mode, random));
    list.push_back(bags(t, {1, 1}, 1, 1, mode, random));
    list.push_back(bags(t, {33, 213}, 97, 1025, mode, random, 7));
  }
  return list;
}

optional<int64_t> padding_of(int64_t i) { return i < 0 ? nullopt : optional<int64_t>(i); }

/// The places of `indices` that each bag holds, without padding.
std::vector<std::vector<size_t>> places_of(const ArrayArgs& a) {
  const std::vector<double>&index = a.t[1].v, &offsets = a.t[2].v;
  const size_t count = offsets.size() - (a.i[2] != 0);
  std::vector<std::vector<size_t>> places(count);
  for (size_t b = 0; b < count; ++b) {
    const double end = b + 1 < offsets.size() ? offsets[b + 1] : static_cast<double>(index.size());
    for (auto i = static_cast<size_t>(offsets[b]); static_cast<double>(i) < end; ++i)
      if (index[i] != static_cast<double>(a.i[1])) places[b].push_back(i);
  }
  return places;
}

/// One element: column k of a bag. Returns the value and the row it came from.
std::pair<double, double> element(const ArrayArgs& a, const std::vector<size_t>& places,
                                  int64_t k) {
  double sum = 0, most = 0, from = 0;
  for (size_t n = 0; n < places.size(); ++n) {
    const double row = a.t[1].v[places[n]];
    const double x = a.t[0].at({static_cast<int64_t>(row), k});
    sum += x * (a.t.size() > 3 ? a.t[3].v[places[n]] : 1);
    if (n == 0 || x > most) most = x, from = row;
  }
  if (a.i[0] == kMax) return {most, from};
  if (a.i[0] == kMean && !places.empty()) sum /= static_cast<double>(places.size());
  return {sum, from};
}

Arrays reference(const ArrayArgs& a) {
  const auto places = places_of(a);
  const auto count = static_cast<int64_t>(places.size()), width = a.t[0].size(1);
  const auto length = static_cast<int64_t>(a.t[1].v.size());
  Array y(Shape{count, width}), bag(Shape{length}, static_cast<double>(count)), size(Shape{count}),
      from(a.i[0] == kMax ? Shape{count, width} : Shape{0});
  for (int64_t b = 0; b < count; ++b) {
    const auto at = static_cast<size_t>(b);
    size.v[at] = static_cast<double>(places[at].size());
    const int64_t next = b + 1, all = a.t[2].size(0);
    const double end = next < all ? a.t[2].v[at + 1] : static_cast<double>(length);
    for (auto i = static_cast<size_t>(a.t[2].v[at]); static_cast<double>(i) < end; ++i)
      bag.v[i] = static_cast<double>(b);
    for (int64_t k = 0; k < width; ++k) {
      const auto [value, row] = element(a, places[at], k);
      y.at({b, k}) = value;
      if (a.i[0] == kMax) from.at({b, k}) = row;
    }
  }
  return {y, bag, size, from};
}

Results call(const Args& a) {
  const auto [y, bag, size, from] =
      embedding_bag(a.t[0], a.t[1], a.t[2], false, a.i[0], false,
                    a.t.size() > 3 ? a.t[3] : Tensor(), a.i[2] != 0, padding_of(a.i[1]));
  return {y, bag, size, from};
}

OpCase plain_case() {
  OpCase c;
  c.name = "embedding_bag";
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16};
  c.samples = samples;
  c.call = call;
  c.reference = reference;
  c.tolerance = 8;  // sums of some tens of numbers of both signs cancel
  const auto table = [] { return numbers({3, 2}); };
  const auto refused = [=](const char* what, Tensor indices, Tensor offsets, int64_t mode = 0) {
    return error<Error>(what, [=] { embedding_bag(table(), indices, offsets, false, mode); });
  };
  c.errors = {
      refused(
          "'indices' to have one of the following scalar types: Long, Int; but got CPUFloatType",
          values({0}), longs({0})),
      refused(
          "'offsets' to have one of the following scalar types: Long, Int; but got CPUFloatType",
          longs({0}), values({0})),
      refused(
          "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
          "position 0. However, got 1",
          longs({0, 1}), longs({1})),
      refused("offsets[-1] can not be greater than input's length 2 but got offsets[-1] of 3",
              longs({0, 1}), longs({0, 3})),
      refused("expected offsets that do not fall, got 1 after 2", longs({0, 1, 2}),
              longs({0, 2, 1})),
      refused("input has to be a 1D Tensor, but got Tensor of dimension 2",
              tensor_of({1, 1}, {0}, kLong), longs({0})),
      refused("offsets has to be a 1D Tensor, but got Tensor of dimension 2", longs({0}),
              tensor_of({1, 1}, {0}, kLong)),
      refused("expected mode 0, 1 or 2, got 3", longs({0}), longs({0}), 3),
      error<IndexError>("index out of range in self",
                        [=] { embedding_bag(table(), longs({3}), longs({0})); }),
      error<Error>("weight has to be a 2D Tensor, but got Tensor of dimension 1",
                   [] { embedding_bag(numbers({3}), longs({0}), longs({0})); }),
      error<Error>("Half, BFloat16, Float, Double; but got CPULongType",
                   [] {
                     embedding_bag(numbers({3, 2}, kLong), longs({0}), longs({0}));
                   }),
      error<Error>(
          "include_last_offset: number of offset should be at least 1",
          [=] { embedding_bag(table(), longs({}), longs({}), false, 0, false, {}, true); }),
      error<Error>(
          "padding_idx must be within the number of embeddings, -3 through 2, but got 3",
          [=] { embedding_bag(table(), longs({0}), longs({0}), false, 0, false, {}, false, 3); })};
  return c;
}

OpCase weighted_case() {
  OpCase c = plain_case();
  c.name = "embedding_bag_per_sample_weights";
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    Random random(6);
    for (const Args& a :
         {bags(t, {5, 3}, 4, 9, kSum, random), bags(t, {5, 2}, 3, 7, kSum, random, 1),
          bags(t, {4, 6}, 3, 8, kSum, random, 0, true), bags(t, {3, 2}, 2, 0, kSum, random),
          bags(t, {33, 213}, 97, 1025, kSum, random, 7)}) {
      list.push_back(a);
      list.back().t.push_back(random_tensor({a.t[1].size(0)}, t, {}, random));
    }
    return list;
  };
  const auto refused = [](const char* what, Tensor factors, int64_t mode = 0) {
    return error<Error>(what, [=] {
      embedding_bag(numbers({3, 2}), longs({0}), longs({0}), false, mode, false, factors);
    });
  };
  c.errors = {
      refused("per_sample_weights only supported with mode='sum'", numbers({1}), kMean),
      refused("expected per_sample_weights of the shape of indices, [1], got [2]", numbers({2})),
      refused("but type CPUFloatType does not equal CPUDoubleType", numbers({1}, kDouble))};
  return c;
}

TAPER_OP_CASES(embedding_bag_cases, { return std::vector<OpCase>{plain_case(), weighted_case()}; });

/// Gradients of the table for gradients 1, 10, 100 of bags {1, 0}, {}, {2, 3, 1}.
std::vector<double> gradient(int64_t mode, bool by_frequency, optional<int64_t> padding) {
  const Tensor w = tensor_of({4, 1}, {4, 3, 2, 1}, kDouble).requires_grad_();
  std::get<0>(embedding_bag(w, longs({1, 0, 2, 3, 1}), longs({0, 2, 2}), by_frequency, mode, false,
                            {}, false, padding))
      .backward(tensor_of({3, 1}, {1, 10, 90}, kDouble));
  return to_array(w.grad()).v;
}

TEST(EmbeddingBagOp, GradientsByHand) {
  EXPECT_EQ(gradient(kSum, false, nullopt), (std::vector<double>{1, 91, 90, 90}));
  EXPECT_EQ(gradient(kSum, true, nullopt), (std::vector<double>{1, 45.5, 90, 90}));
  EXPECT_EQ(gradient(kSum, false, -3), (std::vector<double>{1, 0, 90, 90}));
  EXPECT_EQ(gradient(kMean, false, nullopt), (std::vector<double>{0.5, 30.5, 30, 30}));
  EXPECT_EQ(gradient(kMean, true, 3), (std::vector<double>{0.5, 22.75, 45, 0}));
  EXPECT_EQ(gradient(kMax, false, nullopt), (std::vector<double>{1, 90, 0, 0}));
  EXPECT_EQ(gradient(kMax, false, 1), (std::vector<double>{1, 0, 90, 0}));
}

// The derivative of a gradient that was divided by frequencies.
TEST(EmbeddingBagOp, DoubleBackwardByFrequency) {
  const Tensor w = numbers({4, 2}, kDouble).requires_grad_();
  const Tensor gy = numbers({2, 2}, kDouble).requires_grad_();
  const Tensor y = std::get<0>(embedding_bag(w, longs({1, 0, 1, 3, 1}), longs({0, 2}), true));
  const Tensor g = autograd::grad({y}, {w}, {gy}, {}, true)[0];
  const Tensor gg = autograd::grad({g}, {gy}, {Tensor(w.detach())})[0];
  for (int64_t k = 0; k < 2; ++k) {
    const auto at = [&](int64_t row) { return get_element(w, 2 * row + k); };
    EXPECT_NEAR(get_element(gg, k), at(1) / 3 + at(0), 1e-12);
    EXPECT_NEAR(get_element(gg, 2 + k), at(1) / 3 + at(3) + at(1) / 3, 1e-12);
  }
}

TEST(EmbeddingBagOp, ResultsHaveTheDtypeOfTheIndices) {
  const auto [y, bag, size, from] =
      embedding_bag(numbers({3, 2}), values({0, 2}, kInt), values({0, 1}, kInt), false, kMax);
  EXPECT_EQ(bag.scalar_type(), kInt);
  EXPECT_EQ(size.scalar_type(), kInt);
  EXPECT_EQ(from.scalar_type(), kInt);
  EXPECT_EQ(to_array(from).v, (std::vector<double>{0, 0, 2, 2}));
  const auto mixed = embedding_bag(numbers({3, 2}), values({0, 2}, kInt), longs({0, 1}));
  EXPECT_EQ(std::get<1>(mixed).scalar_type(), kLong);
}

// 16-bit sums: 4096 additions of 0.25 would stop at 512 (half) or 64 (bfloat16).
TEST(EmbeddingBagOp, HalfIsSummedInFloat) {
  const Tensor w = to_tensor(Array({1, 1}, 0.25), kBFloat16).requires_grad_();
  const Tensor y = std::get<0>(embedding_bag(w, longs(std::vector<double>(4096)), longs({0})));
  EXPECT_EQ(get_element(y, 0), 1024);
  y.backward(to_tensor(Array({1, 1}, 0.25), kBFloat16));
  EXPECT_EQ(get_element(w.grad(), 0), 1024);
}

// As LibTorch: a NaN that is first stays, a later one is passed by.
TEST(EmbeddingBagOp, MaximumOfNaN) {
  const Tensor w = tensor_of({3, 1}, {NAN, 1, 2});
  const auto most = [&](std::vector<double> order) {
    return get_element(
        std::get<0>(embedding_bag(w, longs(std::move(order)), longs({0}), false, kMax)), 0);
  };
  EXPECT_EQ(most({1, 0, 2}), 2);
  EXPECT_TRUE(std::isnan(most({0, 1, 2})));
}

// What a device would find out of range by the values that are given: it stays inside, and tells.
TEST(EmbeddingBagOp, ADeviceTellsOfWrongOffsets) {
  TAPER_NEEDS_DEVICES(1);
  const Device device = device_at(0);
  expect_error("offsets[0] has to be 0", [&] {
    embedding_bag(numbers({3, 2}).to(device), longs({0, 1}).to(device), longs({1}).to(device));
    cuda::synchronize();
  });
}

}  // namespace
}  // namespace torch::taper::testing
