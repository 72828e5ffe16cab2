// What tests of devices' kernels compute with, and how they compare: the CPU's results are the
// measure.
#pragma once

#include <functional>
#include <vector>

#include <taper/taper.h>

#include <gtest/gtest.h>

namespace torch::taper::testing {

using Op = std::function<std::vector<Tensor>(Device)>;

/// `op` makes its inputs on the CPU, moves them, and returns results.
inline void expect_same_on_device(const Op& op, double tolerance = 0) {
  const std::vector<Tensor> want = op(Device(kCPU)), got = op(Device(kCUDA));
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(got[i].is_cuda());
    EXPECT_EQ(got[i].sizes().vec(), want[i].sizes().vec());
    EXPECT_EQ(got[i].scalar_type(), want[i].scalar_type());
    EXPECT_TRUE(got[i].cpu().allclose(want[i], tolerance, tolerance, /*equal_nan=*/true)) << i;
  }
}

/// n numbers below `limit`, in an order that is not theirs.
inline Tensor places(int64_t n, int64_t limit) { return arange(n).mul(7919).remainder(limit); }

/// Numbers of about -3 to 3, of which each is another.
inline Tensor spread_numbers(IntArrayRef sizes, ScalarType dtype) {
  int64_t n = 1;
  for (int64_t size : sizes) n *= size;
  return places(n, 10007).to(kDouble).mul(6.0 / 10007).sub(3).view(sizes).to(dtype);
}
}  // namespace torch::taper::testing
