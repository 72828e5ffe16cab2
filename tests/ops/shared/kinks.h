// Gradients at points where a slope jumps or a formula divides by zero. The harness keeps the
// samples of its cases away from these points.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <taper/ops/tensor/repeat.h>

#include "harness/check.h"
#include "test_util.h"

namespace torch::taper::testing {

/// A function, points, and PyTorch's gradient there of the sum of the results.
struct Kink {
  const char* name;
  std::function<Tensor(const Tensor& x)> call;
  std::vector<double> x, gradient;
  std::vector<int64_t> sizes = {};  ///< of x; one dimension if empty
};

/// The text and the function of a row: an expression of x.
#define OF_X(...) #__VA_ARGS__, [](const Tensor& x) -> Tensor { return __VA_ARGS__; }

/// The result of an in-place form on a copy of x.
template <class F>
Tensor changed(const Tensor& x, const F& change) {
  Tensor y = x.clone();
  change(y);
  return y;
}

inline std::string gradient_difference(const Kink& k, const Tensor& points,
                                       const std::vector<double>& gradient, double tolerance) {
  const Tensor x = points.clone().requires_grad_();
  k.call(x).sum().backward();
  Array want(x.sizes().vec());
  want.v = gradient;
  return x.grad().defined() ? difference(to_array(x.grad()), want, tolerance, tolerance)
                            : "no gradient";
}

inline Tensor points_of(const Kink& k, ScalarType dtype) {
  return tensor_of(
      k.sizes.empty() ? std::vector<int64_t>{static_cast<int64_t>(k.x.size())} : k.sizes, k.x,
      dtype);
}

inline void expect_kinks(const std::vector<Kink>& list) {
  for (const Kink& k : list)
    for (const ScalarType t : {kFloat, kDouble})
      EXPECT_EQ(gradient_difference(k, points_of(k, t), k.gradient, t == kFloat ? 1e-6 : 1e-12), "")
          << k.name << " of " << t;
}

/// Of functions that take each element alone, also in rows that fill vectors.
inline void expect_pointwise_kinks(const std::vector<Kink>& list) {
  expect_kinks(list);
  for (const Kink& k : list) {
    std::vector<double> gradient;
    for (int i = 0; i < 40; ++i)
      gradient.insert(gradient.end(), k.gradient.begin(), k.gradient.end());
    for (const ScalarType t : {kFloat, kDouble})
      EXPECT_EQ(gradient_difference(k, points_of(k, t).repeat({40}), gradient,
                                    t == kFloat ? 1e-6 : 1e-12),
                "")
          << k.name << " of a row of " << t;
  }
}

}  // namespace torch::taper::testing
