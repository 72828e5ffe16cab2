// What the tests of nn share.
#pragma once

#include <cmath>

#include <sstream>
#include <string>
#include <vector>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/tensor/factory.h>

#include "test_util.h"

namespace torch::taper::test {

using testing::message_of;

template <class T>
std::string text_of(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

/// start / divisor, (start + 1) / divisor, ... in row-major order.
inline Tensor ramp(IntArrayRef sizes, double start, double divisor) {
  int64_t count = 1;
  for (int64_t s : sizes) count *= s;
  return ((arange(count, kFloat) + start) / divisor).view(sizes);
}

/// Whether `t` holds these numbers, row-major, within a relative tolerance.
inline void expect_values(const Tensor& t, const std::vector<double>& expected,
                          double tolerance = 2e-6) {
  ASSERT_EQ(static_cast<size_t>(t.numel()), expected.size());
  const Tensor flat = t.detach().to(kDouble).contiguous();
  for (size_t i = 0; i < expected.size(); ++i) {
    const double got = flat.data_ptr<double>()[i];
    EXPECT_TRUE(std::abs(got - expected[i]) <= tolerance * (1 + std::abs(expected[i])))
        << "element " << i << ": expected " << expected[i] << ", got " << got;
  }
}

}  // namespace torch::taper::test
