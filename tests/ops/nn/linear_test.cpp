#include <gtest/gtest.h>
#include <cmath>
#include <utility>
#include <vector>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/autograd/node.h>
#include <taper/framework/random/random.h>
#include <taper/ops/nn/dropout.h>
#include <taper/ops/nn/linear.h>
#include <taper/taper.h>
#include "test_util.h"

namespace torch::taper::testing {

// ---------------------------------------------------------------------- linear_test
namespace {

TAPER_OP_CASES(linear_case, {
  OpCase c;
  c.name = "linear";
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16};
  c.samples = [](ScalarType t) {
    const std::vector<std::vector<std::vector<int64_t>>> shapes = {
        {{2, 3}, {4, 3}, {4}},       {{2, 3}, {4, 3}},
        {{3}, {4, 3}, {4}},          {{3}, {4, 3}},
        {{2, 2, 3}, {4, 3}, {4}},    {{0, 3}, {4, 3}, {4}},
        {{4, 16}, {32, 16}, {32}},   {{4, 32}, {10, 32}, {10}},
        {{65, 130}, {70, 130}, {70}}};
    std::vector<Args> list;
    for (const auto& s : shapes) list.push_back(sample_of(s, t, {-2, 2}));
    return list;
  };
  c.call = [](const Args& a) { return linear(a.t[0], a.t[1], a.t.size() > 2 ? a.t[2] : Tensor()); };
  c.reference = [](const ArrayArgs& a) {
    const Array &x = a.t[0], &w = a.t[1];
    Array y(x.sizes);
    y.sizes.back() = w.size(0);
    y = Array(y.sizes);
    for_each_index(y.sizes, [&](const std::vector<int64_t>& at) {
      std::vector<int64_t> in = at;
      double& sum = y.at(at) = a.t.size() > 2 ? a.t[2].at({at.back()}) : 0;
      for (int64_t k = 0; k < w.size(1); ++k) {
        in.back() = k;
        sum += x.at(in) * w.at({at.back(), k});
      }
    });
    return y;
  };
  c.tolerance = 40;
  c.errors = {error<Error>("mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)",
                           [] {
                             linear(numbers({2, 3}), numbers({5, 4}));
                           }),
              error<Error>("mat1 and mat2 must have the same dtype, but got Double and Float: the "
                           "input is Double, the weight Float, the bias Float",
                           [] {
                             linear(numbers({2, 3}, kDouble), numbers({5, 3}), numbers({5}));
                           }),
              error<Error>("must match the existing size (4)", [] {
                linear(numbers({2, 3}), numbers({5, 3}), numbers({4}));
              })};
  return std::vector{c};
});

}  // namespace

// ---------------------------------------------------------------------- dropout_test
namespace {

// Its numbers are compared with PyTorch's in ops/random/rand_test.cpp.
using Values = std::vector<double>;

TEST(Dropout, GradientIsTheNoise) {
  manual_seed(0);
  const Tensor x = full({50}, 2.0, requires_grad()), y = dropout(x, 0.5, true);
  EXPECT_EQ(y.grad_fn()->name(), "MulBackward0");
  y.backward(full({50}, 3.0));
  const Values out = values_of(y), grad = values_of(x.grad());
  size_t kept = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    EXPECT_TRUE(out[i] == 0 || out[i] == 4);
    EXPECT_EQ(grad[i], out[i] * 1.5);
    kept += out[i] != 0;
  }
  EXPECT_GT(kept, 10u);
  EXPECT_LT(kept, 40u);
}

TEST(Dropout, GradientIsThatOfTheProductWithTheNoise) {
  for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16}) {
    SCOPED_TRACE(toString(dtype));
    manual_seed(1);
    const Tensor x = ones({40, 30}, TensorOptions(dtype).requires_grad(true));
    const Tensor y = dropout(x, 0.3, true), noise = y.detach();
    const Tensor dense = numbers({40, 30}, dtype), infinite = full({40, 30}, INFINITY, dtype);
    for (const Tensor& gy :
         {dense, infinite, numbers({30, 40}, dtype).t(), numbers({1}, dtype).expand({40, 30}),
          numbers({40, 1}, dtype).expand({40, 30})}) {
      const Tensor gx = autograd::grad({y}, {x}, {gy}, true)[0], expected = gy.mul(noise);
      EXPECT_EQ(gx.scalar_type(), dtype);
      EXPECT_TRUE((gx.eq(expected) | (gx.ne(gx) & expected.ne(expected))).all().item<bool>());
    }
    // It is linear: the gradient of the gradient is the same product.
    const Tensor g = dense.clone().requires_grad_();
    const Tensor gx = autograd::grad({y}, {x}, {g}, true, true)[0];
    const Tensor gg = autograd::grad({gx}, {g}, {dense})[0];
    EXPECT_TRUE(gg.equal(dense.mul(noise)));
  }
}

// By way of floats; the noise is what floats have, and a dropped infinity becomes NaN.
TEST(Dropout, Of16BitsIsThatOfFloatsRounded) {
  for (const ScalarType t : {kHalf, kBFloat16})
    for (const int64_t n : {1, 255, 3001}) {
      Tensor x = arange(n, kFloat).div(7).sub(20).to(t);
      x[0].fill_(INFINITY);
      const auto dropped = [&](const Tensor& input) {
        manual_seed(5);
        const Tensor leaf = input.detach().requires_grad_(), y = dropout(leaf, 0.25, true);
        y.backward(ones_like(y));
        return std::pair{y.detach(), leaf.grad()};
      };
      const auto [y, noise] = dropped(x);
      EXPECT_TRUE(y.allclose(x.mul(noise), 0, 0, /*equal_nan=*/true)) << toString(t) << ' ' << n;
      EXPECT_TRUE(noise.ne(0).equal(dropped(x.to(kFloat)).second.ne(0)));
      manual_seed(5);
      const NoGradGuard no_grad;
      EXPECT_TRUE(dropout(x, 0.25, true).allclose(y, 0, 0, true));
    }
}

TEST(Dropout, NamesOfTheOthers) {
  const Tensor x = ones({2, 3, 2}, requires_grad());
  EXPECT_EQ(feature_dropout(x, 0.5, true).grad_fn()->name(), "MulBackward0");
  EXPECT_EQ(alpha_dropout(x, 0.5, true).grad_fn()->name(), "AddBackward0");
  EXPECT_EQ(feature_alpha_dropout(x, 0.5, true).grad_fn()->name(), "AddBackward0");
  EXPECT_EQ(dropout(x, 1, true).grad_fn()->name(), "MulBackward0");
}

TEST(Dropout, KeepsTheInputWhenNothingIsDropped) {
  const Tensor x = ones({3});
  EXPECT_TRUE(dropout(x, 0.5, false).is_same(x));
  EXPECT_TRUE(dropout(x, 0, true).is_same(x));
  EXPECT_TRUE(alpha_dropout(x, 0.5, false).is_same(x));
  EXPECT_EQ(values_of(dropout(x, 1, true)), Values({0, 0, 0}));
}

TEST(Dropout, DropsWholeChannels) {
  manual_seed(1);
  const Values v = values_of(feature_dropout(ones({4, 5, 7}), 0.5, true));
  for (size_t c = 0; c < 20; ++c)
    for (size_t i = 1; i < 7; ++i) EXPECT_EQ(v[c * 7 + i], v[c * 7]);
}

}  // namespace

}  // namespace torch::taper::testing
