// Norms of lists of tensors by CUDA's kernels.
#include <taper/ops/shared/foreach_norm.h>

#include <gtest/gtest.h>

#include <limits>

#include <taper/taper.h>

#include "on_device.h"

namespace torch::taper::testing {
namespace {

// Squares of some leave the range of f32. What begins anywhere has the bits of what is aligned.
TEST(CudaKernelsOfWarps, NormsOfLists) {
  for (ScalarType dtype : {kFloat, kHalf, kBFloat16, kDouble})
    for (double size : {1e25, 1.0, 1e-25}) {
      if (dtype == kHalf && size != 1) continue;
      const Tensor all = spread_numbers({3000}, kDouble).mul(size).to(dtype);
      const Tensor there = all.to(kCUDA);
      for (double order : {1.0, 2.0, std::numeric_limits<double>::infinity()})
        for (int64_t n : {1, 7, 2999}) {
          const Tensor part = there.narrow(0, 1, n), copy = part.clone();
          const double got = detail::norm_of_all({part}, order).item<double>();
          EXPECT_EQ(got, detail::norm_of_all({copy}, order).item<double>());
          const Tensor host = all.narrow(0, 1, n).to(kDouble);
          const double want = host.norm(order).item<double>();
          EXPECT_NEAR(got, want, 5e-7 * want) << toString(dtype) << " " << size << " " << n;
        }
    }
}

}  // namespace
}  // namespace torch::taper::testing
