// Expected values are PyTorch 1.13's for the same inputs and seeds.
#include "nn/util.h"

#include <taper/framework/random/random.h>
#include <taper/nn/nn.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {
namespace {

using namespace nn;
namespace F = nn::functional;
using test::expect_values;
using test::message_of;

TEST(DropoutModules, Values) {
  manual_seed(0);
  Dropout d(0.3);
  const double kept = 1.4285714626312256;
  expect_values(d(ones({10})), {0, 0, kept, 0, kept, 0, kept, kept, kept, kept});
  d->eval();
  expect_values(d(ones({3})), {1, 1, 1});
}

TEST(DropoutModules, DropWholeChannels) {
  manual_seed(1);
  const Tensor y = Dropout2d()(ones({8, 8, 3, 3}));
  const Tensor sums = y.sum(IntArrayRef({2, 3}));
  EXPECT_TRUE(sums.eq(0).logical_or(sums.eq(18)).all().item<bool>());
  EXPECT_TRUE(sums.eq(0).any().item<bool>() && sums.eq(18).any().item<bool>());
}

// As LibTorch has it: what has not the rank of a batch is one sample.
TEST(DropoutModules, DropWholeChannelsOfOneSample) {
  manual_seed(1);
  for (const Tensor& y : {Dropout2d()(ones({64, 3, 3})), Dropout3d()(ones({64, 3, 3, 1}))}) {
    const Tensor sums = y.flatten(1).sum(1);
    EXPECT_TRUE(sums.eq(0).logical_or(sums.eq(18)).all().item<bool>());
    EXPECT_TRUE(sums.eq(0).any().item<bool>() && sums.eq(18).any().item<bool>());
  }
  Tensor x = ones({64, 3, 3});
  const Tensor y = F::dropout2d(x, F::DropoutFuncOptions().inplace(true));
  EXPECT_TRUE(y.is_same(x));
  EXPECT_EQ(x.sizes(), IntArrayRef({64, 3, 3}));
  EXPECT_TRUE(x.eq(0).any().item<bool>());
  Tensor leaf = ones({8, 2, 2}).requires_grad_();
  const Tensor z = leaf * 1;
  F::dropout2d(z, F::DropoutFuncOptions().inplace(true)).sum().backward();
  EXPECT_TRUE(leaf.grad().equal(z.detach()));
}

TEST(DropoutModules, Errors) {
  const std::string text = "dropout probability has to be between 0 and 1, but got ";
  EXPECT_EQ(message_of([] { Dropout(1.5); }), "Dropout: " + text + "1.5");
  EXPECT_EQ(message_of([] { AlphaDropout(-0.1); }), "AlphaDropout: " + text + "-0.1");
  const Tensor x = ones({1});
  EXPECT_EQ(message_of([&] { F::dropout(x, F::DropoutFuncOptions().p(2)); }),
            "dropout: " + text + "2");
  EXPECT_EQ(message_of([&] { F::dropout2d(x, F::DropoutFuncOptions().p(2)); }),
            "feature_dropout: " + text + "2");
  EXPECT_THROW(FeatureAlphaDropout()(x), Error);
  EXPECT_EQ(message_of([&] { F::alpha_dropout(x, F::AlphaDropoutFuncOptions().p(2)); }),
            "alpha_dropout: " + text + "2");
}

}  // namespace
}  // namespace torch::taper
