// Views: which elements they show, that they share memory, and errors.
#include <gmock/gmock.h>

#include <taper/framework/core/tensor.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(View, TakesAnyShapeThatTheStridesAllow) {
  const Tensor t = counting({2, 6});
  expect_values(t.view({3, 4}), {3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  EXPECT_EQ(t.view({-1, 2}).size(0), 6);
  EXPECT_TRUE(t.view({12}).is_alias_of(t));
  EXPECT_THAT(message_of([&] { t.view({5}); }),
              HasSubstr("shape '[5]' is invalid for input of size 12"));
  EXPECT_THAT(message_of([&] {
                t.view({-1, -1});
              }),
              HasSubstr("only one dimension can be inferred"));
  EXPECT_THAT(message_of([&] { t.t().view({12}); }),
              ::testing::StartsWith("view: view size is not compatible"));
  EXPECT_THAT(message_of([&] { t.t().view({12}); }),
              HasSubstr("sizes [6, 2] and strides [1, 6], the view would have sizes [12]"));
  EXPECT_EQ(t.t().view({2, 3, 2}).size(1), 3);
  EXPECT_THAT(message_of([&] { counting({0}).view({-1, 0}); }), HasSubstr("-1"));
}

TEST(Unflatten, SizesMustMultiplyUpToTheDimension) {
  const Tensor t = counting({2, 6});
  expect_values(t.unflatten(1, {2, -1}), {2, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const std::string text = " don't multiply up to the size of dim 1 (6) in the input tensor";
  EXPECT_EQ(message_of([&] {
              t.unflatten(-1, {2, 2});
            }),
            "unflatten: Provided sizes [2, 2]" + text);
  EXPECT_EQ(message_of([&] {
              t.unflatten(1, {4, -1});
            }),
            "unflatten: Provided sizes [4, -1]" + text);
  EXPECT_EQ(message_of([&] {
              t.unflatten(1, {0, -1});
            }),
            "unflatten: Provided sizes [0, -1]" + text);
  EXPECT_THAT(message_of([&] { t.unflatten(1, {-1, -1}); }), HasSubstr("only one dimension"));
}

TEST(Reshape, CopiesOnlyWhenItMust) {
  const Tensor t = counting({2, 3});
  EXPECT_TRUE(t.reshape({6}).is_alias_of(t));
  expect_values(t.t().reshape({6}), {6}, {0, 3, 1, 4, 2, 5});
  EXPECT_FALSE(t.t().reshape({6}).is_alias_of(t));
}

TEST(Views, OfDimensions) {
  const Tensor t = counting({2, 3});
  expect_values(t.t(), {3, 2}, {0, 3, 1, 4, 2, 5});
  expect_values(t.permute({1, 0}), {3, 2}, {0, 3, 1, 4, 2, 5});
  expect_values(t.transpose(-1, 0), {3, 2}, {0, 3, 1, 4, 2, 5});
  expect_values(t.unsqueeze(-1), {2, 3, 1}, {0, 1, 2, 3, 4, 5});
  expect_values(counting({1, 2, 1}).squeeze(), {2}, {0, 1});
  expect_values(counting({1, 2, 1}).squeeze(0), {2, 1}, {0, 1});
  expect_values(counting({1, 2, 1}).squeeze(1), {1, 2, 1}, {0, 1});
  expect_values(counting({1, 2}).expand({2, 2}), {2, 2}, {0, 1, 0, 1});
  expect_values(counting({2}).expand({2, -1}), {2, 2}, {0, 1, 0, 1});
  expect_values(counting({2, 2, 2}).flatten(1), {2, 4}, {0, 1, 2, 3, 4, 5, 6, 7});
  expect_values(counting({2, 2}).diagonal(), {2}, {0, 3});
  expect_values(counting({2, 3}).diagonal(1), {2}, {1, 5});
  expect_values(counting({2, 2}).diagonal(-1), {1}, {2});
  expect_values(counting({5}).unfold(0, 3, 2), {2, 3}, {0, 1, 2, 2, 3, 4});
  EXPECT_THROW(t.permute({0}), Error);
  EXPECT_THROW(t.permute({0, 0}), Error);
  EXPECT_THROW(t.transpose(0, 2), IndexError);
  EXPECT_THAT(message_of([&] {
                t.expand({3, 3});
              }),
              HasSubstr("The expanded size of the tensor (3) must match the existing size (2) at "
                        "non-singleton dimension 0."));
}

TEST(Views, OfRanges) {
  const Tensor t = counting({4, 2});
  expect_values(t.narrow(0, 1, 2), {2, 2}, {2, 3, 4, 5});
  expect_values(t.select(0, -1), {2}, {6, 7});
  expect_values(t.select(1, 1), {4}, {1, 3, 5, 7});
  expect_values(t.slice(0, 1, 100, 2), {2, 2}, {2, 3, 6, 7});
  expect_values(t.slice(0, -2), {2, 2}, {4, 5, 6, 7});
  expect_values(t.slice(0, 3, 1), {0, 2}, {});
  expect_values(t[2], {2}, {4, 5});
  EXPECT_THROW(t.narrow(0, 3, 2), Error);
  EXPECT_THROW(t.narrow(0, 0, -1), Error);
  EXPECT_THAT(message_of<IndexError>([&] { t.select(0, 4); }), HasSubstr("out of range"));
  EXPECT_THROW(t.slice(0, 0, 2, 0), Error);
  EXPECT_THROW(t.slice(0, 0, 2, -1), Error);
  EXPECT_THROW(counting({})[0], IndexError);
}

TEST(Views, OfManyParts) {
  const Tensor t = counting({5});
  const auto parts = t.split(2);
  ASSERT_EQ(parts.size(), 3u);
  expect_values(parts[2], {1}, {4});
  const auto sized = t.split(IntArrayRef({1, 4}));
  expect_values(sized[1], {4}, {1, 2, 3, 4});
  EXPECT_THROW(t.split(IntArrayRef({1, 3})), Error);
  EXPECT_THROW(t.split(-1), Error);
  EXPECT_EQ(t.chunk(2)[0].size(0), 3);
  EXPECT_EQ(t.chunk(4).size(), 3u);
  EXPECT_EQ(counting({2, 3}).unbind(1).size(), 3u);
  expect_values(counting({2, 3}).unbind(1)[1], {2}, {1, 4});
}

TEST(AsStrided, ChecksTheStorage) {
  const Tensor t = counting({6});
  expect_values(t.as_strided({2, 2}, {1, 2}, 1), {2, 2}, {1, 3, 2, 4});
  expect_values(t.narrow(0, 2, 2).as_strided({2}, {1}), {2}, {2, 3});
  EXPECT_THROW(t.as_strided({7}, {1}), Error);
  EXPECT_THROW(t.as_strided({2}, {5}, 1), Error);
  EXPECT_THROW(t.as_strided({2}, {-1}, 3), Error);
  EXPECT_THROW(t.as_strided({2}, {1}, -1), Error);
  EXPECT_THROW(t.as_strided({2, 2}, {1}), Error);
  EXPECT_EQ(t.as_strided({0}, {1}, 6).numel(), 0);
}

TEST(Views, ShareWrites) {
  Tensor t = counting({2, 3});
  t.t().select(0, 1).fill_(9);
  expect_values(t, {2, 3}, {0, 9, 2, 3, 9, 5});
  t[1] = counting({3});
  expect_values(t, {2, 3}, {0, 9, 2, 0, 1, 2});
}

TEST(Views, OfEmptyAndZeroDimTensors) {
  expect_values(counting({0, 3}).t(), {3, 0}, {});
  expect_values(counting({}).view({1, 1}), {1, 1}, {0});
  expect_values(counting({1}).view(IntArrayRef()), {}, {0});
  expect_values(counting({}).unsqueeze(0), {1}, {0});
  expect_values(counting({}).expand({3}), {3}, {0, 0, 0});
  EXPECT_EQ(counting({0, 3}).split(2).size(), 1u);
  EXPECT_EQ(counting({0, 3}).unbind().size(), 0u);
}

}  // namespace
}  // namespace torch::taper::testing
