// Images of other sizes and shapes. Expected values are PyTorch 1.13's.
#include "nn/util.h"

#include <taper/nn/nn.h>
#include <taper/ops/tensor/factory.h>

#include "test_util.h"

namespace torch::taper {
namespace {

using namespace nn;
using test::expect_values;
using testing::expect_error;
namespace F = functional;

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

}  // namespace
}  // namespace torch::taper
