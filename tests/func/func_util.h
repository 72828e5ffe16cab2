// What the tests of func share: small tensors, and functions with known derivatives.
#pragma once

#include <gtest/gtest.h>

#include <torch/func.h>

#include "test_util.h"

namespace torch::taper {

using testing::expect_error;
using testing::expect_values;
using testing::values;
using testing::values_of;

inline Tensor doubles(std::vector<double> v) { return values(std::move(v), kDouble); }
inline void expect_close(const Tensor& got, const Tensor& want, double tolerance = 1e-10) {
  ASSERT_EQ(got.sizes(), want.sizes());
  EXPECT_LT(got.sub(want).abs().max().item<double>(), tolerance) << got << want;
}
inline Tensor cube(const Tensor& x) { return x.mul(x).mul(x); }
inline Tensor sum_of_cubes(const Tensor& x) { return cube(x).sum(); }

}  // namespace torch::taper
