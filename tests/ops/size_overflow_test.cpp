// Sizes, strides, offsets and counts so large that their products or sums do not fit 64 bits: each
// op refuses them before it computes with what is left of them.
#include <taper/ops/combine.h>
#include <taper/ops/conv.h>
#include <taper/ops/einsum.h>
#include <taper/ops/factory.h>
#include <taper/ops/fold.h>
#include <taper/ops/for_blob.h>
#include <taper/ops/index.h>
#include <taper/ops/pool.h>
#include <taper/ops/random.h>
#include <taper/ops/reduce.h>
#include <taper/ops/shape.h>
#include <taper/ops/special.h>
#include <taper/ops/statistics.h>
#include <taper/ops/view.h>
#include <taper/ops/view_scatter.h>

#include "test_util.h"

namespace taper::testing {
namespace {

constexpr int64_t kMost = INT64_MAX, kLeast = INT64_MIN, kHuge = int64_t{1} << 62;

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
}

}  // namespace
}  // namespace taper::testing
