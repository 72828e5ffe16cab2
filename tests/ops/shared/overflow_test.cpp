// Numbers that do not fit: sizes, strides, offsets and counts whose products or sums exceed 64
// bits, and numbers that a dtype cannot hold. Each op refuses them before anything is changed.
#include <taper/ops/elementwise/special.h>

#include <gtest/gtest.h>
#include <functional>

#include <taper/framework/core/indexing.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/index/one_hot.h>
#include <taper/ops/linalg/distance.h>
#include <taper/ops/linalg/einsum.h>
#include <taper/ops/nn/activation.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/reduce/histogram.h>
#include <taper/ops/reduce/segment_reduce.h>
#include <taper/ops/spatial/conv/conv.h>
#include <taper/ops/spatial/fold.h>
#include <taper/ops/spatial/pad.h>
#include <taper/ops/spatial/pool.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/for_blob.h>
#include <taper/ops/tensor/meshgrid.h>
#include <taper/ops/tensor/repeat.h>
#include <taper/ops/tensor/split.h>
#include <taper/ops/tensor/view.h>
#include <taper/ops/tensor/view_scatter.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

constexpr int64_t kMost = INT64_MAX, kLeast = INT64_MIN, kHuge = int64_t{1} << 62;
using InPlace = std::function<void(Tensor)>;

// One element seen n times.
Tensor seen(int64_t n) { return ones({1}).expand({n}); }

TEST(SizeOverflow, DividingTheLowestIntegerByMinusOne) {
  const auto check = [](Device device, ScalarType t, int64_t lowest) {
    const TensorOptions options = TensorOptions(t).device(device);
    const Tensor low = full({20}, lowest, options), minus = full({20}, -1, options);
    const auto first = [](const Tensor& y) { return y[0].item<int64_t>(); };
    EXPECT_EQ(first(gcd(low, minus)), 1) << t;
    EXPECT_EQ(first(gcd(minus, low)), 1) << t;
    EXPECT_EQ(first(gcd(low, low)), lowest) << t;
    EXPECT_EQ(first(gcd(low, low.sub(low))), lowest) << t;
    EXPECT_EQ(first(lcm(low, minus)), lowest) << t;
    EXPECT_EQ(first(lcm(minus, low)), lowest) << t;
    EXPECT_EQ(first(low.remainder(minus)), 0) << t;
    EXPECT_EQ(first(low.fmod(minus)), 0) << t;
    EXPECT_EQ(first(low.floor_divide(minus)), lowest) << t;
    EXPECT_EQ(first(low.div(minus, "trunc")), lowest) << t;
    EXPECT_EQ(first(low.div(minus, "floor")), lowest) << t;
  };
  for (const Device device : {Device(kCPU), Device(kCUDA)}) {
    check(device, kLong, INT64_MIN);
    check(device, kInt, INT32_MIN);
    check(device, kShort, INT16_MIN);
    check(device, kChar, INT8_MIN);
  }
  EXPECT_EQ(gcd(full({1}, 255, kByte), full({1}, 100, kByte)).item<int64_t>(), 5);
}

TEST(SizeOverflow, CountsOfValues) {
  expect_error("maximum value of input overflowed, it should be < 9223372036854775807 but got",
               [] { bincount(tensor({kMost})); });
  expect_error("Storage size calculation overflowed", [] { bincount(tensor({kMost - 5})); });
  expect_error("one_hot: integer overflow", [] { one_hot(tensor({kMost})); });
  expect_error("Storage size calculation overflowed", [] { one_hot(tensor({kMost - 1})); });
}

TEST(SizeOverflow, AsStrided) {
  const Tensor t = counting({4});
  const auto overflow = [&](IntArrayRef size, IntArrayRef stride, int64_t offset) {
    expect_error("Storage size calculation overflowed with sizes=",
                 [&] { t.as_strided(size, stride, offset); });
  };
  overflow({2}, {kMost}, 0);
  overflow({2}, {kHuge}, 0);
  overflow({3}, {kMost / 4}, 0);
  overflow({2}, {1}, kMost);
  overflow({1}, {1}, kMost);
  expect_error("numel: integer multiplication overflow", [&] { t.as_strided({kHuge, 4}, {0, 0}); });
  expect_error("Storage size calculation overflowed",
               [&] { t.set_(t.storage(), 1, {2}, {kMost}); });
  expect_values(t.as_strided({1}, {kMost}), {1}, {0});
  EXPECT_EQ(t.as_strided({0}, {kMost}, kMost).numel(), 0);
}

TEST(SizeOverflow, GivenMemory) {
  float memory[4] = {};
  const auto complex = TensorOptions(kComplexDouble);
  expect_error("Storage size calculation overflowed",
               [&] { from_blob(memory, {2}, {(int64_t{1} << 60) - 2}, complex); });
  expect_error("numel: integer multiplication overflow", [&] {
    from_blob(memory, {kHuge, 4}, {0, 0});
  });
  expect_error("numel: integer multiplication overflow", [&] { from_blob(memory, {kHuge, 4}); });
  expect_error("for_blob: integer overflow",
               [&] { for_blob(memory, {4}).storage_offset(kMost).make_tensor(); });
}

TEST(SizeOverflow, Views) {
  expect_error("numel: integer multiplication overflow", [] {
    ones({1, 1, 1}).expand({int64_t{1} << 60, 3, 4});
  });
  expect_error("numel: integer multiplication overflow",
               [] { seen(int64_t{1} << 40).unfold(0, int64_t{1} << 39, 1); });
  expect_error("numel: integer multiplication overflow", [] {
    broadcast_tensors({seen(kHuge), seen(kHuge).unsqueeze(1)});
  });
  expect_error("numel: integer multiplication overflow", [] {
    meshgrid({seen(int64_t{1} << 40), seen(int64_t{1} << 40)});
  });
  const Tensor none = empty({0}), four = ones({4});
  expect_error("is invalid for input of size 0", [&] { none.view({kHuge, 4}); });
  expect_error("is invalid for input of size 0", [&] { none.reshape({kHuge, 4}); });
  expect_error("is invalid for input of size 4", [&] { four.view({kHuge, 4, -1}); });
  expect_error("don't multiply up to the size of dim 0", [&] { none.unflatten(0, {kHuge, 4}); });
  expect_error("flatten: integer overflow", [&] { empty({0, kHuge, 4}).flatten(1); });
  expect_values(four.unfold(0, 2, kMost), {1, 2}, {1, 1});
  expect_values(four.slice(0, 1, kMost, kMost), {1}, {1});
}

TEST(SizeOverflow, MorePartsThanMemoryHolds) {
  const Tensor x = ones({4});
  expect_error(
      "tensor_split: expected a number of parts that memory can hold, got 9223372036854775807",
      [&] { tensor_split(x, kMost); });
  expect_error("chunk: expected a number of parts", [] { empty({0}).chunk(kMost); });
  expect_error("expected a number of parts", [] { seen(kMost).unbind(); });
  expect_error("combinations: expected at most 12 elements", [&] { combinations(x, kMost); });
  expect_values(x.chunk(kMost)[3], {1}, {1});
  expect_values(x.split(kMost)[0], {4}, {1, 1, 1, 1});
}

TEST(SizeOverflow, DiagonalsFarOff) {
  const Tensor x = ones({2, 2});
  expect_values(x.triu(kMost), {2, 2}, {0, 0, 0, 0});
  expect_values(x.tril(kMost), {2, 2}, {1, 1, 1, 1});
  expect_values(x.triu(kLeast), {2, 2}, {1, 1, 1, 1});
  expect_values(x.tril(kLeast), {2, 2}, {0, 0, 0, 0});
  EXPECT_EQ(x.diagonal(kMost).numel(), 0);
  EXPECT_EQ(x.diagonal(kLeast).numel(), 0);
  EXPECT_EQ(x.diag(kLeast).numel(), 0);
  for (const int64_t offset : {kMost, kLeast}) {
    expect_error("diag: integer overflow", [&] { ones({2}).diag(offset); });
    expect_error("diag_embed: integer overflow", [&] { diag_embed(ones({2}), offset); });
  }
}

TEST(SizeOverflow, TriangleIndices) {
  const int64_t n = int64_t{1} << 40;
  expect_error("tril_indices: integer overflow", [&] { tril_indices(n, n); });
  expect_error("triu_indices: integer overflow", [&] { triu_indices(n, n); });
  expect_error("overflow", [&] { tril_indices(kMost, 1); });
  expect_values(triu_indices(n, n, n - 1), {2, 1}, {0, static_cast<double>(n - 1)});
  expect_values(tril_indices(n, n, 1 - n), {2, 1}, {static_cast<double>(n - 1), 0});
  EXPECT_EQ(tril_indices(3, 3, kMost).size(1), 9);
  EXPECT_EQ(tril_indices(3, 3, kLeast).size(1), 0);
  EXPECT_EQ(triu_indices(3, 3, kMost).size(1), 0);
  EXPECT_EQ(triu_indices(3, 3, kLeast).size(1), 9);
  EXPECT_EQ(tril_indices(kMost, 0).size(1), 0);
  // Against the matrix itself.
  for (int64_t rows : {1, 3, 4})
    for (int64_t cols : {1, 2, 5})
      for (int64_t offset = -5; offset <= 6; ++offset) {
        EXPECT_TRUE(
            tril_indices(rows, cols, offset).equal(ones({rows, cols}).tril(offset).nonzero().t()));
        EXPECT_TRUE(
            triu_indices(rows, cols, offset).equal(ones({rows, cols}).triu(offset).nonzero().t()));
      }
}

TEST(SizeOverflow, Repetition) {
  const Tensor x = ones({3});
  expect_error("repeat: integer overflow in 3 * 9223372036854775807", [&] { x.repeat({kMost}); });
  expect_error("repeat: integer overflow", [&] { x.repeat({kMost / 2}); });
  expect_error("overflow", [&] { x.repeat({kHuge, 4}); });
  expect_error("repeat_interleave: integer overflow", [&] { x.repeat_interleave(kMost); });
  expect_error("repeat_interleave: integer overflow in the sum of repeats", [&] {
    repeat_interleave(tensor({kMost, kMost, int64_t{2}}));
  });
  expect_error("cat: integer overflow", [] { cat({seen(kMost), seen(kMost)}); });
  expect_error("kron: integer overflow", [] { kron(seen(kHuge), seen(kHuge)); });
  expect_error("overflow", [&] { vander(x, kMost); });
  expect_error("pad: integer overflow", [&] { constant_pad_nd(x, {kMost, 0}); });
}

TEST(SizeOverflow, Shifts) {
  const Tensor x = counting({4}).requires_grad_();
  expect_values(x.roll(kMost), {4}, {1, 2, 3, 0});
  expect_values(x.roll(kLeast), {4}, {0, 1, 2, 3});
  expect_values(counting({3}).roll({kMost, kMost}, {0, 0}), {3}, {1, 2, 0});
  x.roll(kLeast + 1).backward(counting({4}));
  expect_values(x.grad(), {4}, {1, 2, 3, 0});
}

TEST(SizeOverflow, Pairs) {
  expect_error("pdist: integer overflow", [] { pdist(ones({1, 1}).expand({kHuge, 1})); });
}

TEST(SizeOverflow, LengthsOfSegments) {
  expect_error("Expected all rows of lengths along axis to sum to", [] {
    segment_reduce(ones({4}), "sum", tensor({kMost, kMost, int64_t{6}}));
  });
}

TEST(SizeOverflow, Sequences) {
  expect_error("invalid size, possible overflow?", [] { arange(kLeast, kMost); });
  expect_error("invalid size, possible overflow?", [] { arange(-1, kMost); });
  expect_error("invalid size, possible overflow?", [] { arange(kMost, kLeast, -1); });
  expect_error("overflow", [] { arange(0, kMost, 2); });
  expect_error("overflow", [] { linspace(0, 1, kMost); });
  expect_values(arange(kLeast, kMost, kMost), {3}, {-0x1p63, -1, 0x1p63});
  expect_values(arange(kMost, kLeast, kLeast), {2}, {0x1p63, -1});
  expect_error("empty_permuted: integer overflow", [] {
    empty_permuted({kHuge, 4, 1}, {2, 1, 0}).sizes();
  });
}

TEST(SizeOverflow, Windows) {
  const Tensor image = ones({1, 1, 4, 4}), line = ones({1, 1, 4}), two = ones({1, 1, 2});
  expect_error("im2col: integer overflow", [&] { im2col(image, {2, 2}, {1}, {kHuge, 1}, {1}); });
  expect_error("im2col: integer overflow", [&] { im2col(image, {3, 2}, {kMost}, {0}, {1}); });
  expect_error("conv1d: integer overflow", [&] { conv1d(line, two, {}, 1, kMost); });
  expect_error("conv1d: integer overflow", [&] { conv1d(line, ones({1, 1, 3}), {}, 1, 0, kMost); });
  expect_error("conv_transpose1d: integer overflow",
               [&] { conv_transpose1d(line, two, {}, kMost); });
  expect_error("max_pool1d: integer overflow", [&] { max_pool1d(line, 3, 1, 0, kMost); });
  expect_values(max_pool1d(line, 1, 1, 0, kMost), {1, 1, 4}, {1, 1, 1, 1});
}

TEST(SizeOverflow, NoCategoriesToDrawFrom) {
  for (const bool replacement : {true, false})
    for (const Tensor& p : {zeros({2, 0}), zeros({0})})
      expect_error(replacement ? "multinomial: expected at least one category"
                               : "cannot sample n_sample > prob_dist.size(-1)",
                   [&] { multinomial(p, 1, replacement); });
  EXPECT_EQ(multinomial(zeros({0, 3}), 1, true).sizes(), IntArrayRef({0, 1}));
}

TEST(NumberFits, IsCheckedBeforeAnythingChanges) {
  const Tensor index = values({0, 1}, kLong);
  const std::vector<InPlace> ops = {
      [](Tensor x) { x.fill_(300); },
      [](Tensor x) { x.masked_fill_(x.gt(0), 300); },
      [&](Tensor x) { x.index_fill_(0, index, 300); },
      [&](Tensor x) { x.scatter_(0, index, 300); },
      [](Tensor x) { x.index_put_({x.gt(0)}, 300); },
      [](Tensor x) { x.pow_(300); },
      [](Tensor x) { threshold_(x, 1, 300); },
      [](Tensor x) { threshold_(x, 300, 1); },
      [](Tensor x) { x.add_(x, 300); },
      [](Tensor x) { x.addcmul_(x, x, 300); },
      [](Tensor x) { x.copy_(where(x.gt(0), x, 300)); },
      [&](Tensor x) { x.index_add_(0, index, x.slice(0, 0, 2), 300); },
      [](Tensor x) { x.addmv_(eye(3, x.options()), x, 300, 1); },
      [](Tensor x) { x.addmv_(eye(3, x.options()), x, 1, 300); },
      [](Tensor x) {
        x.view({3, 1}).addmm_(eye(3, x.options()), x.view({3, 1}), 300);
      },
      [](Tensor x) {
        x.view({3, 1}).addr_(x, x.slice(0, 0, 1), 1, 300);
      },
      [](Tensor x) {
        const Tensor column = x.view({1, 3, 1}), unit = eye(3, x.options()).unsqueeze(0);
        column.baddbmm_(unit, column, 1, 300);
      },
      [](Tensor x) {
        const Tensor column = x.view({3, 1}), unit = eye(3, x.options()).unsqueeze(0);
        column.addbmm_(unit, column.unsqueeze(0), 300);
      },
  };
  for (const ScalarType t : {kByte, kChar})
    for (const InPlace& op : ops) {
      const Tensor x = values({1, 2, 3}, t);
      expect_error("value cannot be converted to type", [&] { op(x); });
      expect_values(x, {3}, {1, 2, 3});
    }
}

TEST(NumberFits, FactoriesAndOtherDtypes) {
  expect_error("without overflow", [] { full({2}, 1e10, kInt); });
  expect_error("without overflow", [] { full({2}, numbers::complex<double>(1, 2), kFloat); });
  expect_error("without overflow", [] { linspace(-2.5, 7, 4, kByte); });
  expect_error("without overflow", [] { ones({2}, kHalf).masked_fill(ones({2}, kBool), -1e9); });
  expect_values(full({1}, -1, kByte), {1}, {255});
  // What is computed with a number wraps instead.
  expect_values(values({1}, kByte) + 300, {1}, {45});
}

TEST(NumberFits, BytesHaveNoNegativeLimits) {
  const Tensor x = values({1, 5}, kByte);
  expect_error("cannot do hardtanh on an unsigned type with negative limits",
               [&] { hardtanh(x, -1, 1); });
  expect_values(hardtanh(x, 0, 3), {2}, {1, 3});
}

}  // namespace
}  // namespace torch::taper::testing
