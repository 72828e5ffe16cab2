#include <taper/ops/tensor/repeat.h>

#include <vector>

#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/reduce/reduce.h>
#include <taper/ops/tensor/einops.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

#include "ops/shared/element_moves.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

const std::vector<ScalarType> kAllDtypes = {kFloat, kDouble, kHalf, kLong, kInt, kByte, kBool};
OpCase repeat_case() {
  OpCase c;
  c.name = "repeat";
  c.dtypes = kAllDtypes;
  c.samples = [](ScalarType t) {
    return std::vector<Args>{
        sample_of({{3}}, t, {}, {2}),
        sample_of({{2, 3}}, t, {}, {2, 3}),
        sample_of({{2, 3}}, t, {}, {3, 1, 2}),
        sample_of({{}}, t, {}, {4}),
        sample_of({{2, 3}}, t, {}, {1, 1}),
        sample_of({{2, 3}}, t, {}, {0, 2}),
        sample_of({{}}, t, {}, {}),
    };
  };
  c.call = [](const Args& a) { return repeat(a.t[0], a.i); };
  c.reference = [](const ArrayArgs& a) {
    const Array& x = a.t[0];
    const size_t missing = a.i.size() - x.sizes.size();
    Sizes sizes = a.i;
    for (size_t d = missing; d < sizes.size(); ++d) sizes[d] *= x.sizes[d - missing];
    Array y{sizes};
    for_each_index(sizes, [&](const Sizes& index) {
      Sizes from(index.begin() + missing, index.end());
      for (size_t d = 0; d < from.size(); ++d) from[d] %= x.sizes[d];
      y.at(index) = x.at(from);
    });
    return y;
  };
  c.covers = {"tile"};
  return c;
}

OpCase repeat_interleave_case() {
  OpCase c;
  c.name = "repeat_interleave";
  c.dtypes = {kFloat, kDouble, kLong};
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{3}}, t, {}, {2, 0}), sample_of({{2, 3}}, t, {}, {3, -1}),
                             sample_of({{2, 3}}, t, {}, {2, 0}),
                             sample_of({{2, 3}}, t, {}, {0, 0})};
  };
  c.call = [](const Args& a) { return repeat_interleave(a.t[0], a.i[0], a.i[1]); };
  c.reference = [](const ArrayArgs& a) {
    const Array& x = a.t[0];
    const int64_t d = wrapped(a.i[1], x.dim());
    Sizes sizes = x.sizes;
    sizes[d] *= a.i[0];
    return rearranged(x, sizes, [&](Sizes& i) {
      i[d] /= a.i[0];
      return true;
    });
  };
  return c;
}

TAPER_OP_CASES(repeated, { return std::vector<OpCase>{repeat_case(), repeat_interleave_case()}; });

TEST(Repeat, Errors) {
  expect_error("Number of dimensions of repeat dims can not be smaller", [] {
    zeros({2, 3}).repeat({2});
  });
  expect_error("negative dimension", [] { zeros({2}).repeat({-1}); });
  expect_values(arange(2).tile({2}), {4}, {0, 1, 0, 1});
  expect_values(arange(2).view({2, 1}).tile({2}), {2, 2}, {0, 0, 1, 1});
}

TEST(RepeatInterleave, Forms) {
  expect_values(repeat_interleave(tensor({2, 0, 1})), {3}, {0, 0, 2});
  const Tensor m = arange(4).view({2, 2});
  expect_values(m.repeat_interleave(2), {8}, {0, 0, 1, 1, 2, 2, 3, 3});
  expect_values(m.repeat_interleave(tensor({1, 2}), 0), {3, 2}, {0, 1, 2, 3, 2, 3});
  expect_values(m.repeat_interleave(tensor(2), 1), {2, 4}, {0, 0, 1, 1, 2, 2, 3, 3});
  expect_error("repeats must have the same size as input along dim", [] {
    zeros({3}).repeat_interleave(tensor({1, 2}));
  });
  expect_error("repeats can not be negative", [] { zeros({3}).repeat_interleave(-1); });
  expect_error("repeats can not be negative", [] {
    zeros({3}).repeat_interleave(tensor({1, -2, 1}));
  });
  expect_error("\"repeat_interleave_cpu\" not implemented for 'Float'", [] {
    zeros({3}).repeat_interleave(tensor({1., 2., 1.}));
  });
}

// ---------------------------------------------------------------- einops
Tensor numbered(IntArrayRef sizes) {
  int64_t n = 1;
  for (int64_t s : sizes) n *= s;
  return arange(n, kDouble).view(sizes);
}

TEST(Einops, Rearranges) {
  const Tensor x = numbered({2, 4, 6});
  EXPECT_TRUE(einops::rearrange(x, "a b c -> c a b").equal(x.permute({2, 0, 1})));
  EXPECT_TRUE(einops::rearrange(x, "a b c->a b c").is_alias_of(x));
  EXPECT_TRUE(
      einops::rearrange(x, "a b c -> (c a) b").equal(x.permute({2, 0, 1}).reshape({12, 4})));
  EXPECT_TRUE(einops::rearrange(x, "a (b d) c -> d a 1 (c b)", {{"d", 2}})
                  .equal(x.view({2, 2, 2, 6}).permute({2, 0, 3, 1}).reshape({2, 2, 1, 12})));
  EXPECT_TRUE(einops::rearrange(x, "a ... -> ... a").equal(x.permute({1, 2, 0})));
  EXPECT_TRUE(einops::rearrange(x, "a ... -> a (...)").equal(x.view({2, 24})));
  EXPECT_TRUE(einops::rearrange(x, "... -> (...) ()").equal(x.view({48, 1})));
  EXPECT_EQ(einops::rearrange(ones({1, 3}), "1 a -> a").dim(), 1);
  EXPECT_EQ(einops::rearrange(ones({0, 4}), "a (b c) -> (a b) 1 c", {{"c", 2}}).sizes(),
            IntArrayRef({0, 1, 2}));
}

TEST(Einops, Reduces) {
  const Tensor x = numbered({2, 4, 6});
  EXPECT_TRUE(einops::reduce(x, "a b c -> c", "sum").equal(x.sum({0, 1})));
  EXPECT_TRUE(einops::reduce(x, "a b c -> b a", "mean").equal(x.mean({2}).t()));
  const Tensor cells = x.view({2, 2, 2, 3, 2});
  EXPECT_TRUE(einops::reduce(x, "a (b 2) (c 2) -> a b c", "max").equal(cells.amax({2, 4})));
  EXPECT_TRUE(
      einops::reduce(x, "a (b h) (c 2) -> a b c", "min", {{"h", 2}}).equal(cells.amin({2, 4})));
  EXPECT_TRUE(einops::reduce(x, "a b c -> a", "prod").equal(x.prod(2).prod(1)));
  EXPECT_TRUE(einops::reduce(x.gt(40), "a b c -> a", "any").equal(tensor({0, 1}).to(kBool)));
  EXPECT_TRUE(einops::reduce(x.gt(-1), "a b c ->", "all").item<bool>());
}

TEST(Einops, Repeats) {
  const Tensor x = numbered({2, 3});
  EXPECT_TRUE(einops::repeat(x, "a b -> 4 a b").equal(x.expand({4, 2, 3})));
  EXPECT_TRUE(einops::repeat(x, "a b -> a (b n)", {{"n", 2}}).equal(x.repeat_interleave(2, 1)));
  EXPECT_TRUE(einops::repeat(x, "a b -> (n a) b", {{"n", 2}}).equal(x.repeat({2, 1})));
}

TEST(Einops, HasGradients) {
  Tensor x = numbered({2, 4}).requires_grad_();
  einops::reduce(x, "a (b 2) -> b a", "max").pow(2).sum().backward();
  expect_values(x.grad(), {2, 4}, {0, 2, 0, 6, 0, 10, 0, 14});
}

TEST(Einops, RefusesWrongPatterns) {
  const auto refuses = [](const char* text, const char* pattern, const einops::Sizes& sizes = {}) {
    expect_error(text, [&] { einops::rearrange(ones({2, 6}), pattern, sizes); });
  };
  refuses("rearrange: expected -> between the sides, got none (pattern 'a b')", "a b");
  refuses("expected a tensor of 3 dimensions, got 2", "a b c -> a");
  refuses("expected a tensor of 3 or more dimensions, got 2", "a b c ... -> a");
  refuses("expected ... on both sides", "a b -> a b ...");
  refuses("no parentheses around ... on the left", "a (... b) -> a b ...");
  refuses("each name once per side, got 'a' twice", "a a -> a");
  refuses("the names of the left side on the right", "a b -> a");
  refuses("names of the left side on the right, got 'c'", "a b -> a b c");
  refuses("pairs of parentheses that are not nested", "a (b -> a b");
  refuses("pairs of parentheses that are not nested", "a ((b)) -> a b");
  refuses("names, numbers, parentheses and ..., got '-'", "a - -> a");
  refuses("a name or a positive number, got '2b'", "a 2b -> a");
  refuses("a size of a multiple of 4 in dimension 1, got 6", "a (b c) -> a b c", {{"c", 4}});
  refuses("a size of 5 in dimension 1, got 6", "a b -> a b", {{"b", 5}});
  refuses("the size of 'b' or 'c', got neither", "a (b c) -> a b c");
  refuses("positive sizes, got 0 for 'b'", "a b -> a b", {{"b", 0}});
  refuses("sizes of names in the pattern, got one for 'd'", "a b -> a b", {{"d", 2}});
  expect_error("sum, mean, max, min, prod, any or all, got 'median'",
               [] { einops::reduce(ones({2}), "a ->", "median"); });
  expect_error("a size of the new dimension 'n'", [] { einops::repeat(ones({2}), "a -> a n"); });
  expect_error("rearrange: expected a defined tensor", [] { einops::rearrange({}, "a -> a"); });
}

}  // namespace
}  // namespace torch::taper::testing
