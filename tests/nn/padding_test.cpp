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

TEST(PadModules, Values) {
  const Tensor x = tensor({{1.f, 2.f}, {3.f, 5.f}});
  expect_values(F::pad(x, F::PadFuncOptions({1, 2}).value(9)), {9, 1, 2, 9, 9, 9, 3, 5, 9, 9});
  expect_values(F::pad(x, F::PadFuncOptions({0, -1, 1, 0})), {0, 1, 3});
  const Tensor row = x.view({1, 2, 2});
  expect_values(ReflectionPad1d(1)(row), {2, 1, 2, 1, 5, 3, 5, 3});
  expect_values(ReplicationPad1d(ReplicationPad1dOptions({2, 1}))(row),
                {1, 1, 1, 2, 2, 3, 3, 3, 5, 5});
  expect_values(F::pad(row, F::PadFuncOptions({1, 2}).mode(kCircular)),
                {2, 1, 2, 1, 2, 5, 3, 5, 3, 5});
  EXPECT_EQ(ZeroPad2d(1)(zeros({1, 2, 3})).sizes(), IntArrayRef({1, 4, 5}));
  expect_values(ZeroPad1d(ZeroPad1dOptions({1, 2}))(ones({1, 1, 2})), {0, 1, 1, 0, 0});
  const Tensor box = ZeroPad3d(ZeroPad3dOptions({1, 0, 0, 1, 1, 1}))(ones({1, 1, 1, 1}));
  EXPECT_EQ(box.sizes(), IntArrayRef({1, 3, 2, 2}));
  EXPECT_EQ(box[0][1][0][1].item<float>(), 1);
  EXPECT_EQ(box.sum().item<float>(), 1);
  expect_values(ConstantPad1d(1, 7)(ones({1, 1, 1})), {7, 1, 7});
  EXPECT_EQ(ConstantPad2d(ConstantPad2dOptions({1, 2, 3, 4}, 0.5))(zeros({1, 1, 1})).sizes(),
            IntArrayRef({1, 8, 4}));
  EXPECT_THROW(ReflectionPad1d(2)(row), Error);
  EXPECT_THROW(ReflectionPad2d(1)(zeros({2})), Error);
}

TEST(PadModules, Gradients) {
  Tensor x = ones({1, 1, 3}).requires_grad_();
  for (auto options :
       {F::PadFuncOptions({1, 1}).mode(kReflect), F::PadFuncOptions({1, 1}).mode(kReplicate),
        F::PadFuncOptions({1, 1}).mode(kCircular), F::PadFuncOptions({1, 1})})
    (F::pad(x, options) * arange(5, kFloat)).sum().backward();
  // reflect: 1, 0 + 2 + 4, 3; replicate: 0 + 1, 2, 3 + 4; circular: 1 + 4, 2, 3 + 0; zeros: 1,
  // 2, 3.
  expect_values(x.grad(), {8, 12, 16});
}

TEST(PadModules, OnlyConstantPaddingTakesAValue) {
  const Tensor row = ones({1, 2, 3});
  for (const auto& options :
       {F::PadFuncOptions({1, 1}).mode(kReflect), F::PadFuncOptions({1, 1}).mode(kReplicate),
        F::PadFuncOptions({1, 1}).mode(kCircular)}) {
    EXPECT_EQ(F::pad(row, options).size(2), 5);
    EXPECT_NE(test::message_of([&] {
                F::pad(row, F::PadFuncOptions(options).value(2));
              }).find("doesn't take in value argument"),
              std::string::npos);
  }
}

TEST(PadModules, CircularPaddingRepeatsWhatNegativePaddingLeaves) {
  const Tensor x = arange(5, kFloat).view({1, 1, 5});
  const auto padded = [&](int64_t before, int64_t after) {
    return F::pad(x, F::PadFuncOptions({before, after}).mode(kCircular));
  };
  expect_values(padded(2, -1), {2, 3, 0, 1, 2, 3});
  expect_values(padded(-1, 2), {1, 2, 3, 4, 1, 2});
  expect_values(padded(-1, -1), {1, 2, 3});
  expect_values(padded(4, -1), {0, 1, 2, 3, 0, 1, 2, 3});
  expect_values(padded(5, -1), {3, 0, 1, 2, 3, 0, 1, 2, 3});
  expect_values(padded(-3, 4), {3, 4, 3, 4, 3, 4});
  const auto message = [&](int64_t before, int64_t after) {
    return test::message_of([&] { padded(before, after); });
  };
  EXPECT_NE(message(6, -1).find("more than once"), std::string::npos);
  EXPECT_NE(message(-5, 4).find("resulting in an empty dimension"), std::string::npos);
}

}  // namespace
}  // namespace torch::taper
