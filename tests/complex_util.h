// What the tests of complex tensors share.
#pragma once

#include <taper/ops/elementwise/complex.h>
#include <taper/testing/gradcheck.h>

#include <functional>

#include "test_util.h"

namespace torch::taper::testing {

/// A complex vector of these parts: re, im, re, im, ...
inline Tensor complex_values(std::vector<double> parts, ScalarType dtype = kComplexDouble) {
  const auto n = static_cast<int64_t>(parts.size()) / 2;
  return view_as_complex(tensor_of({n, 2}, std::move(parts), toRealValueType(dtype)));
}
/// Random complex numbers, the same in every call.
inline Tensor complex_numbers(std::vector<int64_t> sizes, ScalarType dtype = kComplexDouble) {
  sizes.push_back(2);
  return view_as_complex(numbers(sizes, toRealValueType(dtype)));
}

/// Expects these values, of a complex tensor the parts in turns.
inline void expect_close(const Tensor& t, const std::vector<double>& expected,
                         double tolerance = 1e-8) {
  const std::vector<double> got = values_of(t.is_complex() ? view_as_real(t) : t);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_TRUE(std::abs(got[i] - expected[i]) <= tolerance * (1 + std::abs(expected[i])))
        << i << ": got " << got[i] << ", expected " << expected[i];
}

/// gradcheck and gradgradcheck of f at a copy of x, real or complex.
inline void check_gradient_at(const std::function<Tensor(const Tensor&)>& f, const Tensor& x,
                              bool second = true) {
  const Tensor leaf = x.detach().clone().set_requires_grad(true);
  EXPECT_TRUE(autograd::gradcheck(f, {leaf}));
  if (second) EXPECT_TRUE(autograd::gradgradcheck(f, {leaf}));
}

}  // namespace torch::taper::testing
