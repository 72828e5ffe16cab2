// What the tests of nn share.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <taper/framework/tensor.h>

namespace taper::test {

/// The text of the Error that `f` throws, "no error" when it throws none.
inline std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

template <class T>
std::string text_of(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
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

}  // namespace taper::test
