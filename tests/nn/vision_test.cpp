// Images of other sizes and shapes. Expected values are PyTorch 1.13's.
#include <taper/framework/autograd/autograd.h>
#include <taper/nn/nn.h>
#include <taper/ops/nn/loss.h>
#include <taper/ops/nn/loss_margin.h>
#include <taper/ops/nn/softmax.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/sequence/loss_ctc.h>
#include <taper/ops/spatial/pool_unpool.h>
#include <taper/ops/tensor/factory.h>

#include "harness/devices.h"
#include "nn/util.h"
#include "test_util.h"

namespace torch::taper {
namespace {

using namespace nn;
using test::expect_values;
using testing::expect_error;
namespace F = functional;
using test::text_of;
using testing::tensor_of;
using testing::values;

Tensor image() { return arange(4, kFloat).view({1, 1, 2, 2}); }

TEST(Interpolate, ByModeAndScale) {
  const auto with = [](F::InterpolateFuncOptions o) { return F::interpolate(image(), o); };
  using O = F::InterpolateFuncOptions;
  const std::vector<int64_t> size = {1, 3};
  expect_values(with(O().size(size)), {0, 0, 1});
  expect_values(with(O().size(size).mode(kNearestExact)), {2, 3, 3});
  expect_values(with(O().size(size).mode(kBilinear).align_corners(true)), {0, 0.5, 1});
  expect_values(with(O().size(size).mode(kBilinear)), {1, 1.5, 2});
  expect_values(with(O().size(size).mode(kArea)), {1, 1.5, 2});
  expect_values(with(O().scale_factor(std::vector<double>{0.5, 1}).mode(kBilinear).antialias(true)),
                {1, 2});
  EXPECT_EQ(with(O().scale_factor(std::vector<double>{2, 2.6}).mode(kBicubic)).sizes().vec(),
            (std::vector<int64_t>{1, 1, 4, 5}));
}

TEST(Interpolate, RefusesWhatDoesNotFit) {
  using O = F::InterpolateFuncOptions;
  const std::vector<int64_t> size = {4, 4};
  expect_error("either size or scale_factor should be defined",
               [&] { F::interpolate(image(), O()); });
  expect_error("only one of size or scale_factor should be defined", [&] {
    F::interpolate(image(), O().size(size).scale_factor(std::vector<double>{2, 2}));
  });
  expect_error("Got 4D input, but linear mode needs 3D input",
               [&] { F::interpolate(image(), O().size(size).mode(kLinear)); });
  expect_error("align_corners option can only be set with the interpolating modes",
               [&] { F::interpolate(image(), O().size(size).align_corners(true)); });
  expect_error("Anti-alias option is only supported for bilinear and bicubic modes",
               [&] { F::interpolate(image(), O().size(size).antialias(true)); });
  expect_error("scale_factor shape must match input shape. Input is 2D, scale_factor size is [2]",
               [&] { F::interpolate(image(), O().scale_factor(std::vector<double>{2})); });
}

TEST(Interpolate, RecomputesTheFactor) {
  using O = F::InterpolateFuncOptions;
  const Tensor line = arange(3, kFloat).view({1, 1, 3});
  const O o = O().scale_factor(std::vector<double>{1.5}).mode(kLinear);
  expect_values(F::interpolate(line, o), {0, 0.5, 1.1666667461395264, 1.8333333730697632});
  expect_values(F::interpolate(line, O(o).recompute_scale_factor(true)), {0, 0.625, 1.375, 2});
}

TEST(VisionModules, ComputeAndPrint) {
  const Upsample up(UpsampleOptions().scale_factor(std::vector<double>{1, 2}).mode(kNearest));
  Upsample mutable_up = up;
  expect_values(mutable_up(image()), {0, 0, 1, 1, 2, 2, 3, 3});
  EXPECT_EQ(test::text_of(up), "torch::nn::Upsample(scale_factor=[1, 2], mode=kNearest)");
  PixelShuffle shuffle(2);
  expect_values(shuffle(arange(4, kFloat).view({1, 4, 1, 1})), {0, 1, 2, 3});
  EXPECT_EQ(test::text_of(shuffle), "torch::nn::PixelShuffle(upscale_factor=2)");
  PixelUnshuffle unshuffle(2);
  EXPECT_EQ(unshuffle(image()).sizes().vec(), (std::vector<int64_t>{1, 4, 1, 1}));
  Unfold unfold(UnfoldOptions({2, 1}));
  expect_values(unfold(image()), {0, 1, 2, 3});
  EXPECT_EQ(test::text_of(unfold),
            "torch::nn::Unfold(kernel_size=[2, 1], dilation=[1, 1], padding=[0, 0], stride=[1, "
            "1])");
  Fold fold(FoldOptions({2, 2}, {1, 1}));
  expect_values(fold(arange(4, kFloat).view({1, 1, 4})), {0, 1, 2, 3});
}

TEST(GridSample, IdentityGridGivesTheImage) {
  const Tensor theta = eye(2, 3, TensorOptions(kFloat)).unsqueeze(0);
  const Tensor grid = F::affine_grid(theta, {1, 1, 2, 2}, true);
  const auto options = F::GridSampleFuncOptions().align_corners(true);
  expect_values(F::grid_sample(image(), grid, options), {0, 1, 2, 3});
  expect_values(
      F::grid_sample(image(), grid * 3, F::GridSampleFuncOptions(options).padding_mode(kBorder)),
      {0, 1, 2, 3});
  expect_error("Expected a batch of 2D affine matrices of shape Nx2x3", [&] {
    F::affine_grid(eye(2, 3), {1, 1, 2, 2});
  });
}

TEST(Interpolate, WarnsOfDefaultsThatChanged) {
  using O = F::InterpolateFuncOptions;
  const auto with = [](const O& o) { return [o] { F::interpolate(image(), o); }; };
  const O by_size = O().size(std::vector<int64_t>{3, 3});
  testing::expect_warning(
      "Default upsampling behavior when mode=kBilinear is changed to align_corners=False",
      with(O(by_size).mode(kBilinear)));
  testing::expect_warning("The default behavior for interpolate/upsample with float scale_factor",
                          with(O().scale_factor(std::vector<double>{1.5, 2}).mode(kNearest)));
  EXPECT_EQ(testing::warnings_of([&] {
              with(by_size)();
              with(O(by_size).mode(kBilinear).align_corners(false))();
              with(O().scale_factor(std::vector<double>{3, 2}))();
              with(O().scale_factor(std::vector<double>{1.5, 2}).recompute_scale_factor(true))();
            }),
            std::vector<std::string>());
  testing::expect_warning("Default grid_sample and affine_grid behavior has changed", [] {
    F::grid_sample(image(), zeros({1, 1, 1, 2}));
  });
}

// Layers and losses that are made of other ops. Expected values are PyTorch 1.13's.

TEST(Unpool, PutsMaximaBack) {
  const Tensor x = arange(16, kFloat).view({1, 1, 4, 4});
  const auto [y, i] = MaxPool2d(2)->forward_with_indices(x);
  expect_values(MaxUnpool2d(2)->forward(y, i), {0, 0, 0, 0, 0, 5, 0, 7, 0, 0, 0, 0, 0, 13, 0, 15});
  const auto [line, at] =
      MaxPool1d(MaxPool1dOptions(5).stride(3))->forward_with_indices(x.view({1, 1, 16}));
  MaxUnpool1d unpool(MaxUnpool1dOptions(5).stride(3));
  expect_values(unpool(line, at), {0, 0, 0, 0, 4, 0, 0, 7, 0, 0, 10, 0, 0, 13});
  EXPECT_EQ(unpool->forward(line, at, std::vector<int64_t>{16}).size(2), 16);
  EXPECT_EQ(text_of(unpool), "torch::nn::MaxUnpool1d(kernel_size=5, stride=3, padding=0)");
  expect_error("invalid output_size [18] (dim 0 must be between 11 and 17)",
               [&] { unpool->forward(line, at, std::vector<int64_t>{18}); });
  expect_error("Expected shape of indices to be same as that of the input tensor", [&] {
    max_unpool2d(y, i.narrow(3, 0, 1), {4, 4});
  });
  const Tensor volume = arange(8, kFloat).view({1, 1, 2, 2, 2});
  const auto [top, corner] = MaxPool3d(2)->forward_with_indices(volume);
  expect_values(MaxUnpool3d(2)->forward(top, corner), {0, 0, 0, 0, 0, 0, 0, 7});
}

TEST(FractionalPool, FollowsTheSamples) {
  const Tensor x = arange(16, kFloat).view({1, 1, 4, 4});
  const Tensor samples = tensor_of({1, 1, 2}, {0.3, 0.7});
  FractionalMaxPool2d pool(FractionalMaxPool2dOptions(2)
                               .output_size(ExpandingArray<2>({2, 3}))
                               ._random_samples(samples));
  const auto [y, i] = pool->forward_with_indices(x);
  expect_values(y, {5, 6, 7, 13, 14, 15});
  expect_values(i, {5, 6, 7, 13, 14, 15});
  const Tensor volume = arange(80, kFloat).view({1, 1, 4, 4, 5});
  FractionalMaxPool3d pool3(FractionalMaxPool3dOptions(2)
                                .output_size(ExpandingArray<3>({2, 2, 3}))
                                ._random_samples(tensor_of({1, 1, 3}, {0.1, 0.5, 0.9})));
  expect_values(pool3(volume), {26, 27, 29, 36, 37, 39, 66, 67, 69, 76, 77, 79});
  FractionalMaxPool2d half(
      FractionalMaxPool2dOptions(2).output_ratio(ExpandingArray<2, double>({0.5, 0.5})));
  EXPECT_EQ(half(x).sizes().vec(), (std::vector<int64_t>{1, 1, 2, 2}));
  expect_error("fractional_max_pool2d requires specifying either an output_size or an output_ratio",
               [&] { F::fractional_max_pool2d(x, FractionalMaxPool2dOptions(2)); });
}

TEST(FractionalPool, KeepsItsSamplesAndChecksItsOptions) {
  const Tensor samples = tensor_of({1, 1, 2}, {0.3, 0.7});
  FractionalMaxPool2d pool(FractionalMaxPool2dOptions(2).output_size(3)._random_samples(samples));
  EXPECT_EQ(pool->named_buffers().keys(), std::vector<std::string>{"_random_samples"});
  const auto copy = std::dynamic_pointer_cast<FractionalMaxPool2dImpl>(pool->clone());
  copy->_random_samples.zero_();
  expect_values(pool->_random_samples, {0.3f, 0.7f});
  pool->to(kDouble);
  EXPECT_EQ(pool->_random_samples.scalar_type(), kDouble);
  EXPECT_EQ(pool(ones({1, 1, 5, 5}, kDouble)).size(3), 3);
  EXPECT_TRUE(FractionalMaxPool3d(FractionalMaxPool3dOptions(2).output_size(2))->buffers().empty());
  expect_error("FractionalMaxPool2d requires specifying either an output size, or a pooling ratio",
               [] { FractionalMaxPool2d wrong(2); });
  const auto options =
      FractionalMaxPool3dOptions(2).output_ratio(ExpandingArray<3, double>({0.5, 1, 0.5}));
  expect_error("output_ratio must be between 0 and 1 (got [0.5, 1, 0.5])",
               [&] { FractionalMaxPool3d wrong(options); });
  const auto both = FractionalMaxPool3dOptions(options).output_size(2);
  expect_error("only one of output_size and output_ratio may be specified",
               [&] { FractionalMaxPool3d wrong(both); });
}

TEST(LPPool, Values) {
  expect_values(LPPool1d(2, 3)->forward(arange(1, 7, kFloat).view({1, 1, 6})),
                {3.7416575, 8.7749643});
  LPPool2d pool(3, 2);
  expect_values(pool(arange(16, kFloat).view({1, 1, 4, 4})),
                {5.7488971, 8.4061184, 17.2869396, 20.3681812});
  EXPECT_EQ(text_of(pool),
            "torch::nn::LPPool2d(norm_type=3, kernel_size=[2, 2], stride=[2, 2], ceil_mode=false)");
}

TEST(LPPool, OfVolumes) {
  const Tensor x = arange(16, kFloat).view({1, 2, 2, 2, 2});
  // (0 + 1 + 8 + ... + 343)^(1/3) and (512 + ... + 3375)^(1/3)
  const std::vector<double> expected = {9.2208726, 23.8790208};
  expect_values(LPPool3d(3, 2)(x), expected);
  expect_values(F::lp_pool3d(x, F::LPPool3dFuncOptions(3, 2)), expected);
  EXPECT_EQ(
      text_of(LPPool3d(LPPool3dOptions(1, {1, 2, 2}).stride(1))),
      "torch::nn::LPPool3d(norm_type=1, kernel_size=[1, 2, 2], stride=[1, 1, 1], ceil_mode=false)");
}

TEST(LocalResponseNorm, Values) {
  const Tensor x = arange(12, kFloat).view({1, 4, 3}) / 4;
  LocalResponseNorm norm(LocalResponseNormOptions(3).alpha(0.5));
  expect_values(norm(x), {0, 0.2212252, 0.4101955, 0.5621476, 0.6754095, 0.7520853, 0.7998894,
                          0.8265347, 0.8383828, 1.2376597, 1.2381375, 1.2288712});
  expect_values(CrossMapLRN2d(CrossMapLRN2dOptions(2).alpha(0.5))->forward(x.unsqueeze(3)),
                {0, 0.2471098, 0.4777749, 0.6795229, 0.8380525, 0.9444583, 1.0733126, 1.1349962,
                 1.162076, 1.2184044, 1.2287457, 1.2207348});
  expect_values(CrossMapLRN2d(CrossMapLRN2dOptions(3).alpha(0.5))->forward(x.unsqueeze(3)),
                {0, 0.2212252, 0.4101955, 0.5621476, 0.6754095, 0.7520853, 0.7998894, 0.8241675,
                 0.8302562, 1.2376596, 1.2343608, 1.2159129});
  EXPECT_EQ(text_of(norm), "torch::nn::LocalResponseNorm(3, alpha=0.5, beta=0.75, k=1)");
}

TEST(MarginLosses, Values) {
  const Tensor a = tensor_of({2, 3}, {0.1, 0.5, 0.3, 0.9, 0.2, 0.4});
  const Tensor t = values({1, 2}, kLong);
  expect_values(F::multi_margin_loss(a, t, F::MultiMarginLossFuncOptions().reduction(kNone)),
                {0.4666667, 0.7666667});
  MultiMarginLoss weighted(MultiMarginLossOptions().p(2).margin(0.5).weight(values({1, 2, 3})));
  expect_values(weighted(a, t), {0.5783334});
  expect_values(
      F::multilabel_margin_loss(a, tensor_of({2, 3}, {1, -1, 0, 0, 2, -1}, kLong), {kNone}),
      {0.4666667, 0.3666667});
  TripletMarginWithDistanceLoss triplet(TripletMarginWithDistanceLossOptions().swap(true));
  expect_values(triplet(a, a + 1, a - 1), {0.9999966}, 1e-5);
  expect_error("only p == 1 and p == 2 supported",
               [&] { F::multi_margin_loss(a, t, F::MultiMarginLossFuncOptions().p(3)); });
}

TEST(CTCLoss, Values) {
  Tensor x = (arange(30, kFloat).remainder(7)).view({5, 2, 3}).requires_grad_();
  const Tensor lp = log_softmax(x, 2), targets = tensor_of({2, 2}, {1, 2, 2, 2}, kLong);
  const Tensor full = values({5, 5}, kLong), two = values({2, 2}, kLong);
  expect_values(F::ctc_loss(lp, targets, full, two, F::CTCLossFuncOptions().reduction(kNone)),
                {2.4247541, 2.7516091}, 1e-5);
  CTCLoss loss;
  const Tensor y = loss(lp, targets, values({5, 4}, kLong), values({2, 1}, kLong));
  expect_values(y, {1.2767353}, 1e-5);
  y.backward();
  EXPECT_LT(x.grad().sum(2).abs().max().item<double>(), 1e-5);
  expect_values(
      F::ctc_loss(lp, values({1, 2, 2}, kLong), values({5, 4}, kLong), values({2, 1}, kLong)),
      {1.2767353}, 1e-5);
  const auto short_input = [&](bool zero) {
    return F::ctc_loss(lp, targets, values({1, 5}, kLong), two,
                       F::CTCLossFuncOptions().reduction(kSum).zero_infinity(zero));
  };
  EXPECT_EQ(short_input(false).item<float>(), INFINITY);
  expect_values(short_input(true), {2.7516091}, 1e-5);
  expect_error("blank must be in label range",
               [&] { F::ctc_loss(lp, targets, full, two, F::CTCLossFuncOptions().blank(3)); });
  const auto refuses = [&](const std::string& text, const Tensor& labels, const Tensor& inputs,
                           const Tensor& lengths) {
    expect_error(text, [&] { F::ctc_loss(lp, labels, inputs, lengths); });
  };
  const auto n = lp.size(0);
  refuses("Expected input_lengths to have value at most " + std::to_string(n), targets,
          full_like(full, n + 1), two);
  refuses("Expected input_lengths to have value at least 0, but got value -1", targets,
          full_like(full, -1), two);
  refuses("Expected target_lengths to have value at least 0, but got value -2", targets, full,
          -two);
  refuses(
      "Expected tensor to have size at least 2 at dimension 1, but got size 1 for argument #2 "
      "'targets'",
      ones({2, 1}, kLong), full, two);
  refuses("Expected tensor to have size 4 at dimension 0, but got size 3 for argument #2 'targets'",
          ones({3}, kLong), full, two);
  refuses("Expected tensor to have size 2 at dimension 0, but got size 3 for argument #2 'targets'",
          ones({3, 2}, kLong), full, two);
  refuses("Expected 1 to 2 dimensions, but got 3-dimensional tensor for argument #2 'targets'",
          ones({2, 2, 1}, kLong), full, two);
  expect_error("log_probs tensor must not be empty", [&] {
    F::ctc_loss(zeros({0, 2, 3}), targets, full, two);
  });
}

// The probability of every path that collapses to the target, added up.
double ctc_by_paths(const Tensor& lp, const std::vector<int64_t>& target, int64_t steps) {
  const int64_t classes = lp.size(1);
  int64_t paths = 1;
  for (int64_t t = 0; t < steps; ++t) paths *= classes;
  double sum = 0;
  for (int64_t path = 0; path < paths; ++path) {
    std::vector<int64_t> found;
    double logarithm = 0;
    for (int64_t t = 0, rest = path, last = 0; t < steps; ++t, rest /= classes) {
      const int64_t label = rest % classes;
      logarithm += lp[t][label].item<double>();
      if (label != 0 && label != last) found.push_back(label);
      last = label;
    }
    if (found == target) sum += std::exp(logarithm);
  }
  return -std::log(sum);
}

// Inputs and targets of several lengths, one of them empty and one with a repeated label.
TEST(CTCLoss, IsTheSumOverAllPaths) {
  const Tensor targets = tensor_of({4, 3}, {1, 2, 1, 2, 2, 0, 0, 0, 0, 1, 0, 0}, kLong);
  const std::vector<int64_t> inputs = {5, 4, 5, 1}, lengths = {3, 2, 0, 1};
  for (ScalarType dtype : {kFloat, kDouble, kBFloat16}) {
    const Tensor x = randn({4, 5, 3}, kDouble).log_softmax(2).to(dtype).transpose(0, 1);
    const Tensor y = ctc_loss(x, targets, inputs, lengths, 0, Reduction::None);
    EXPECT_EQ(y.scalar_type(), dtype);
    for (int64_t n = 0; n < 4; ++n) {
      const auto i = static_cast<size_t>(n);
      std::vector<int64_t> target;
      for (int64_t s = 0; s < lengths[i]; ++s) target.push_back(targets[n][s].item<int64_t>());
      const double want = ctc_by_paths(x.select(1, n).to(kDouble), target, inputs[i]);
      EXPECT_NEAR(y[n].item<double>(), want, (dtype == kBFloat16 ? 1e-2 : 1e-5) * (1 + want));
    }
  }
}

// The kernels' gradient is that of the definition in public ops, which create_graph goes through.
TEST(CTCLoss, GradientsByKernelsAndByDefinition) {
  for (const Device& devices : {Device(kCPU), testing::device_at(0)}) {
    const Tensor x = randn({30, 3, 6}, kDouble).log_softmax(2).to(devices).requires_grad_();
    const Tensor targets = randint(1, 6, {3, 9}, kLong).to(devices);
    const std::vector<int64_t> inputs = {30, 21, 5}, lengths = {9, 4, 8};  // the last: impossible
    const Tensor y = ctc_loss(x, targets, inputs, lengths, 0, Reduction::None, true);
    EXPECT_EQ(y[2].item<double>(), 0);
    const Tensor weights = tensor({1.0, -2.0, 3.0}, TensorOptions(kDouble)).to(devices);
    const Tensor fused = autograd::grad({y}, {x}, {weights}, true)[0];
    const Tensor defined = autograd::grad({y}, {x}, {weights}, true, true)[0];
    EXPECT_TRUE(fused.allclose(defined, 1e-9, 1e-10));
    EXPECT_TRUE(defined.requires_grad());
    EXPECT_GT(fused.abs().max().item<double>(), 0.1);
    EXPECT_EQ(fused.select(1, 2).abs().max().item<double>(), 0);
    EXPECT_EQ(fused.select(1, 1).slice(0, 21).abs().max().item<double>(), 0);
  }
}

}  // namespace
}  // namespace torch::taper
