#include <taper/ops/nn/dropout.h>

#include <gtest/gtest.h>

#include <vector>

#include <taper/framework/autograd/node.h>
#include <taper/framework/random.h>
#include <taper/ops/tensor/factory.h>

#include "test_util.h"

namespace taper::testing {
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
}  // namespace taper::testing
