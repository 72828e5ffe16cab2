#include <taper/ops/reduce/reduce_median.h>

#include <cmath>
#include <limits>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/tensor/factory.h>

#include "ops/reduce/reduction_cases.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

TAPER_OP_CASES(medians, {
  const Domain domain{{}, false, true, false};
  OpCase median = reduction(
      "median", [](const Tensor& x) { return taper::median(x); },
      [](const Tensor& x, IntArrayRef d, bool k) { return std::get<0>(taper::median(x, d[0], k)); },
      median_of, domain);
  median.gradient_samples = [domain] { return distinct_samples(domain); };
  return std::vector<OpCase>{median};
});

TEST(Reduce, MedianOfNothing) {
  EXPECT_TRUE(std::isnan(median(empty({0})).item<double>()));
  EXPECT_EQ(median(empty({0}, kByte)).item<int>(), 0);
  EXPECT_EQ(median(empty({0}, kInt)).item<int>(), std::numeric_limits<int>::min());
}

TEST(Reduce, MedianOfEqualsIsTheOneThatSortingPutsThere) {
  for (int64_t n : {1, 2, 100, 101}) {
    const Tensor x = arange(20 * n).mul(7919).remainder(5).to(kFloat).view({20, n});
    const auto [v, i] = x.median(1);
    const auto [dv, di] = x.to(kDouble).add(arange(n).to(kDouble).mul(1e-6)).median(1);
    EXPECT_TRUE(i.equal(di)) << n;
    EXPECT_TRUE(v.eq(dv.round()).all().item<bool>()) << n;
  }
}

}  // namespace
}  // namespace torch::taper::testing
