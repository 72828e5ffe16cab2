// Expected values are PyTorch 1.13's for the same inputs and seeds.
#include <taper/framework/random/random.h>
#include <taper/nn/nn.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>

#include "nn/util.h"

namespace torch::taper {
namespace {

using namespace nn;
using test::expect_values;
using test::message_of;
using test::ramp;
using testing::expect_error;
namespace F = nn::functional;

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
  expect_error(
      "requested an output size of [9, 5], but valid sizes of dimension 0 range from 6 to 7 (for "
      "an "
      "input of [2, 4, 4, 3]) (in torch::nn::ConvTranspose2d(4, 3, ",
      [&] {
        t->forward(y, IntArrayRef({9, 5}));
      });
  Sequential s(ConvTranspose1d(2, 3, 2));
  EXPECT_EQ(s->forward(zeros({1, 2, 4})).sizes(), IntArrayRef({1, 3, 5}));
  EXPECT_EQ(Conv3d(1, 2, 3)(zeros({1, 1, 4, 5, 6})).sizes(), IntArrayRef({1, 2, 2, 3, 4}));
}

TEST(ConvModule, Errors) {
  EXPECT_EQ(message_of([] { Conv2d(Conv2dOptions(3, 4, 3).groups(2)); }),
            "Conv2d: in_channels must be divisible by groups, got 3 and 2");
  EXPECT_EQ(message_of([] { Conv2d(Conv2dOptions(4, 3, 3).groups(2)); }),
            "Conv2d: out_channels must be divisible by groups, got 3 and 2");
  EXPECT_EQ(
      message_of([] { Conv2d(Conv2dOptions(2, 2, 3).groups(0)); }),
      "Conv2d: in_channels, groups and out_channels must be a positive integer. Got 2, 0 and 2");
  EXPECT_EQ(message_of([] { Conv2d(Conv2dOptions(1, 2, 3).padding(kSame).stride(2)); }),
            "Conv2d: padding='same' is not supported for strided convolutions, got stride [2, 2]");
  EXPECT_EQ(message_of([] {
              Conv2dOptions(1, 2, {1, 2, 3});
            }),
            "Expected 2 values, but instead got 3");
}

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

TEST(PoolModules, Values) {
  const Tensor x = arange(16, kFloat).view({1, 1, 4, 4});
  expect_values(MaxPool2d(2)(x), {5, 7, 13, 15});
  expect_values(MaxPool2d(MaxPool2dOptions(3).stride(2).ceil_mode(true))(x), {10, 11, 14, 15});
  expect_values(AvgPool2d(AvgPool2dOptions(3).stride(2).padding(1).count_include_pad(false))(x),
                {2.5, 4.0, 8.5, 10.0});
  expect_values(AvgPool2d(AvgPool2dOptions(2).divisor_override(3))(x),
                {3.3333332538604736, 6.0, 14.0, 16.66666603088379});
  expect_values(AdaptiveAvgPool2d(AdaptiveAvgPool2dOptions({2, nullopt}))(x),
                {2, 3, 4, 5, 10, 11, 12, 13});
  expect_values(AdaptiveMaxPool2d(3)(x), {5, 6, 7, 9, 10, 11, 13, 14, 15});
  const auto [values, indices] = MaxPool2d(2)->forward_with_indices(x);
  EXPECT_TRUE(values.equal(indices.to(kFloat)));  // here every value is its own position
  const Tensor line = x.view({1, 1, 16});
  expect_values(MaxPool1d(8)(line), {7, 15});
  expect_values(AvgPool1d(8)(line), {3.5, 11.5});
  expect_values(AdaptiveAvgPool1d(2)(line), {3.5, 11.5});
  expect_values(AdaptiveMaxPool1d(2)(line), {7, 15});
}

TEST(PoolModules, FractionalPoolingChecksItsOptionsAtOnce) {
  using Options = FractionalMaxPool2dOptions;
  const auto refuses = [](const Options& o, const char* text) {
    EXPECT_NE(test::message_of([&] { FractionalMaxPool2d{o}; }).find(text), std::string::npos);
  };
  refuses(Options(2), "requires specifying");
  refuses(Options(2).output_size(1).output_ratio(0.5), "only one of");
  refuses(Options(2).output_ratio(1.5), "between 0 and 1");
  refuses(Options(2).output_ratio(0.), "between 0 and 1");
  EXPECT_EQ(FractionalMaxPool2d(Options(2).output_ratio(0.5))(ones({1, 4, 6})).sizes(),
            IntArrayRef({1, 2, 3}));
}

TEST(PoolFunctions, OfVolumes) {
  namespace F = functional;
  const Tensor x = arange(64, kFloat).view({1, 1, 4, 4, 4});
  expect_values(F::max_pool3d(x, F::MaxPool3dFuncOptions(2)), {21, 23, 29, 31, 53, 55, 61, 63});
  expect_values(F::avg_pool3d(x, F::AvgPool3dFuncOptions(2)),
                {10.5, 12.5, 18.5, 20.5, 42.5, 44.5, 50.5, 52.5});
  expect_values(F::adaptive_avg_pool3d(x, F::AdaptiveAvgPool3dFuncOptions(1)), {31.5});
  expect_values(F::adaptive_max_pool3d(x, F::AdaptiveMaxPool3dFuncOptions({1, 1, 2})), {61, 63});
  const auto [y, at] =
      F::adaptive_max_pool3d_with_indices(x, F::AdaptiveMaxPool3dFuncOptions({1, 1, 2}));
  EXPECT_TRUE(y.equal(at.to(kFloat)));
  const Tensor half = full({1, 1, 3}, 0.5);
  expect_values(F::fractional_max_pool3d(
                    x, F::FractionalMaxPool3dFuncOptions(2).output_size(2)._random_samples(half)),
                {21, 23, 29, 31, 53, 55, 61, 63}, 1);
}

TEST(PoolModules, AdaptiveOnesGiveIndices) {
  const Tensor x = arange(8, kFloat);
  const auto same = [](const std::tuple<Tensor, Tensor>& result) {
    return std::get<0>(result).equal(std::get<1>(result).to(kFloat));
  };
  EXPECT_TRUE(same(AdaptiveMaxPool1d(2)->forward_with_indices(x.view({1, 1, 8}))));
  EXPECT_TRUE(same(AdaptiveMaxPool2d(2)->forward_with_indices(x.view({1, 1, 2, 4}))));
  EXPECT_TRUE(same(AdaptiveMaxPool3d(2)->forward_with_indices(x.view({1, 1, 2, 2, 2}))));
  expect_values(AdaptiveMaxPool3d(1)(x.view({1, 1, 2, 2, 2})), {7});
}

}  // namespace
}  // namespace torch::taper
