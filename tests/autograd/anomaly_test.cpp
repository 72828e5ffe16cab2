#include <taper/framework/autograd/anomaly.h>

#include "autograd/util.h"

namespace taper::testing {
namespace {

using autograd::DetectAnomalyGuard;
using ::testing::HasSubstr;

/// sqrt at 0 has an infinite derivative; times 0 that is NaN.
Tensor makes_nan(const Tensor& x) { return (x.sqrt() * scalar(0)).sum(); }

TEST(Anomaly, IsOffByDefault) {
  Tensor x = leaf({0});
  makes_nan(x).backward();
  EXPECT_TRUE(std::isnan(values_of(x.grad())[0]));
}

TEST(Anomaly, NamesTheOpThatMadeANaN) {
  DetectAnomalyGuard guard;
  Tensor x = leaf({0});
  EXPECT_THAT(message_of([&] { makes_nan(x).backward(); }),
              HasSubstr("Function 'SqrtBackward0' returned nan values in its 0th output."));
}

TEST(Anomaly, SaysWhereTheForwardOpWasCalled) {
  DetectAnomalyGuard guard;
  Tensor x = leaf({0});
  // The line where the program has debug information, else at least the function.
  EXPECT_THAT(message_of([&] { makes_nan(x).backward(); }),
              ::testing::AnyOf(HasSubstr("anomaly_test.cpp"), HasSubstr("makes_nan"),
                               HasSubstr("taper_tests")));
}

TEST(Anomaly, MayKeepOnlyTheStacks) {
  DetectAnomalyGuard guard(/*check_nan=*/false);
  Tensor x = leaf({0});
  makes_nan(x).backward();
  EXPECT_TRUE(std::isnan(values_of(x.grad())[0]));
}

TEST(Anomaly, EndsWithItsScope) {
  {
    DetectAnomalyGuard guard;
    EXPECT_TRUE(autograd::AnomalyMode::is_enabled());
  }
  EXPECT_FALSE(autograd::AnomalyMode::is_enabled());
}

}  // namespace
}  // namespace taper::testing
