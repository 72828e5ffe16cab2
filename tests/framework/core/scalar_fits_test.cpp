#include <taper/framework/core/scalar_fits.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

bool fits(const Scalar& value, ScalarType dtype) {
  return message_of([&] { detail::check_fits(value, dtype); }) == "no error";
}

TEST(ScalarFits, Integers) {
  EXPECT_TRUE(fits(255, kByte));
  EXPECT_TRUE(fits(-255, kByte));  // wraps
  EXPECT_TRUE(fits(126.9, kChar));
  EXPECT_FALSE(fits(256, kByte));
  EXPECT_FALSE(fits(-256, kByte));
  EXPECT_FALSE(fits(-0.5, kByte));
  EXPECT_FALSE(fits(127.5, kChar));
  EXPECT_FALSE(fits(1e10, kInt));
  EXPECT_FALSE(fits(1e19, kLong));
  EXPECT_FALSE(fits(std::nan(""), kLong));
}

TEST(ScalarFits, Floats) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const ScalarType t : {kHalf, kBFloat16, kFloat, kDouble}) {
    EXPECT_TRUE(fits(inf, t));
    EXPECT_TRUE(fits(std::nan(""), t));
  }
  EXPECT_TRUE(fits(65504, kHalf));
  EXPECT_FALSE(fits(65505, kHalf));
  EXPECT_FALSE(fits(-1e9, kHalf));
  EXPECT_TRUE(fits(3.3e38, kBFloat16));
  EXPECT_FALSE(fits(3.4e38, kBFloat16));
  EXPECT_FALSE(fits(1e300, kFloat));
  EXPECT_TRUE(fits(1e300, kDouble));
  for (const ScalarType t : {kFloat8_e4m3fn, kFloat8_e5m2}) EXPECT_FALSE(fits(1e6, t));
}

TEST(ScalarFits, ComplexAndBool) {
  const Scalar z(numbers::complex<double>(1, 2));
  for (const ScalarType t : {kByte, kLong, kHalf, kFloat, kDouble}) EXPECT_FALSE(fits(z, t));
  EXPECT_TRUE(fits(z, kComplexFloat));
  EXPECT_FALSE(fits(numbers::complex<double>(0, 1e39), kComplexFloat));
  EXPECT_FALSE(fits(1e39, kComplexFloat));
  EXPECT_TRUE(fits(numbers::complex<double>(0, 1e39), kComplexDouble));
  EXPECT_TRUE(fits(300, kBool));
}

}  // namespace
}  // namespace torch::taper::testing
