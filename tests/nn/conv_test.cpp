// Expected values are PyTorch 1.13's for the same inputs and seeds.
#include "nn/util.h"

#include <taper/framework/random/random.h>
#include <taper/nn/nn.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {
namespace {

using namespace nn;
using test::expect_values;
using test::message_of;
using test::ramp;

Conv2d filled(Conv2dOptions options) {
  Conv2d c(options);
  NoGradGuard no_grad;
  const Tensor w = ramp({2, 2, 2, 2}, -7, 8);
  c->weight.copy_(options.groups() == 2 ? w.slice(1, 0, 1) : w);
  if (c->bias.defined()) c->bias.copy_(tensor({0.5f, -1.f}));
  return c;
}
Tensor image() { return ramp({1, 2, 3, 3}, -8, 4); }

TEST(ConvModule, StartsWithPyTorchsNumbers) {
  manual_seed(0);
  Conv2d c(2, 3, 2);
  const Tensor head = c->weight.flatten().slice(0, 0, 4);
  expect_values(
      head, {-0.0026469905860722065, 0.18966144323349, -0.2909903824329376, -0.26019373536109924});
  expect_values(c->bias, {-0.05698692053556442, 0.037410933524370193, 0.3201341927051544});
}

TEST(ConvModule, PaddingModes) {
  const auto padded = [](auto mode) {
    return filled(Conv2dOptions(2, 2, 2).padding(1).padding_mode(mode))(image());
  };
  const Tensor zeros = padded(kZeros), reflect = padded(kReflect), replicate = padded(kReplicate),
               circular = padded(kCircular);
  EXPECT_EQ(zeros.sizes(), IntArrayRef({1, 2, 4, 4}));
  expect_values(zeros.flatten().slice(0, 0, 8),
                {1.5, 2.59375, 2.28125, 1.34375, 2.5625, 4.5, 3.625, 1.8125});
  expect_values(reflect.flatten().slice(0, 0, 8),
                {3.625, 3.75, 2.875, 2.75, 4.375, 4.5, 3.625, 3.5});
  expect_values(replicate.flatten().slice(0, 24, 32),
                {2.75, 3.375, 4.5, 5.0, 4.0625, 4.6875, 5.8125, 6.3125});
  expect_values(circular.flatten().slice(0, 16, 24),
                {0.9375, 0.5625, 1.6875, 0.9375, 0.375, 0.0, 1.125, 0.375});
}

TEST(ConvModule, SameAndValid) {
  const Tensor same = filled(Conv2dOptions(2, 2, 2).padding(kSame))(image());
  EXPECT_EQ(same.sizes(), IntArrayRef({1, 2, 3, 3}));
  expect_values(same.flatten().slice(0, 0, 9),
                {4.5, 3.625, 1.8125, 1.875, 1.0, 0.3125, -0.03125, -0.59375, -0.34375});
  const Tensor circular =
      filled(Conv2dOptions(2, 2, 2).padding(kSame).padding_mode(kCircular))(image());
  expect_values(circular.flatten().slice(0, 9, 18),
                {0.0, 1.125, 0.375, 3.375, 4.5, 3.75, 0.5625, 1.6875, 0.9375});
  EXPECT_EQ(filled(Conv2dOptions(2, 2, 2).padding(kValid))(image()).sizes(),
            IntArrayRef({1, 2, 2, 2}));
}

TEST(ConvModule, StrideDilationGroupsAndOneDimension) {
  const Tensor y =
      filled(Conv2dOptions(2, 2, 2).stride({1, 2}).dilation({2, 1}).groups(2).bias(false))(image());
  EXPECT_EQ(y.sizes(), IntArrayRef({1, 2, 1, 1}));
  expect_values(y, {3.5, 1.8125});
  Conv1d c(2, 1, 2);
  {
    NoGradGuard no_grad;
    c->weight.copy_(ramp({2, 2, 2, 2}, -7, 8).slice(0, 0, 1).select(2, 0));
    c->bias.fill_(0.5);
  }
  expect_values(c(image().view({2, 9})),
                {3.34375, 2.78125, 2.21875, 1.65625, 1.09375, 0.53125, -0.03125, -0.59375});
}

TEST(ConvModule, TransposedIsTheAdjoint) {
  // <conv(x), y> = <x, conv_transpose(y)> for the same weight.
  manual_seed(5);
  Conv2d c(Conv2dOptions(3, 4, {2, 3}).stride({2, 1}).padding({1, 0}).bias(false));
  ConvTranspose2d t(
      ConvTranspose2dOptions(4, 3, {2, 3}).stride({2, 1}).padding({1, 0}).bias(false));
  {
    NoGradGuard no_grad;
    t->weight.copy_(c->weight);
  }
  const Tensor x = rand({2, 3, 6, 5}), y = rand({2, 4, 4, 3});
  const Tensor back = t->forward(y, IntArrayRef({6, 5}));
  EXPECT_EQ(back.sizes(), x.sizes());
  EXPECT_NEAR((c(x) * y).sum().item<double>(), (x * back).sum().item<double>(), 1e-4);
  EXPECT_EQ(message_of([&] {
              t->forward(y, IntArrayRef({9, 5}));
            }),
            "requested an output size of [9, 5], but valid sizes of dimension 0 range from 6 to 7 "
            "(for an input of [2, 4, 4, 3])");
  Sequential s(ConvTranspose1d(2, 3, 2));
  EXPECT_EQ(s->forward(zeros({1, 2, 4})).sizes(), IntArrayRef({1, 3, 5}));
  EXPECT_EQ(Conv3d(1, 2, 3)(zeros({1, 1, 4, 5, 6})).sizes(), IntArrayRef({1, 2, 2, 3, 4}));
}

TEST(ConvModule, Errors) {
  EXPECT_EQ(message_of([] { Conv2d(Conv2dOptions(3, 4, 3).groups(2)); }),
            "in_channels must be divisible by groups");
  EXPECT_EQ(message_of([] { Conv2d(Conv2dOptions(4, 3, 3).groups(2)); }),
            "out_channels must be divisible by groups");
  EXPECT_EQ(message_of([] { Conv2d(Conv2dOptions(2, 2, 3).groups(0)); }),
            "in_channels, groups and out_channels must be a positive integer.");
  EXPECT_EQ(message_of([] { Conv2d(Conv2dOptions(1, 2, 3).padding(kSame).stride(2)); }),
            "padding='same' is not supported for strided convolutions");
  EXPECT_EQ(message_of([] {
              Conv2dOptions(1, 2, {1, 2, 3});
            }),
            "Expected 2 values, but instead got 3");
}

}  // namespace
}  // namespace torch::taper
