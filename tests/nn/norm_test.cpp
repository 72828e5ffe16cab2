// Expected values are PyTorch 1.13's for the same inputs and seeds.
#include "nn/util.h"

#include <sstream>

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
using test::ramp;
using testing::expect_error;

TEST(RMSNormModule, HasAWeightAndNoBias) {
  const Tensor x = tensor({{3.f, 4.f}, {0.f, 2.f}});
  RMSNorm norm(RMSNormOptions({2}).eps(0));
  EXPECT_EQ(norm->parameters().size(), 1u);
  expect_values(norm(x), {0.8485281, 1.1313708, 0, 1.4142136});
  norm->weight.data().copy_(tensor({2.f, -1.f}));
  expect_values(norm(x), {1.6970563, -1.1313708, 0, -1.4142136});
  expect_values(F::rms_norm(x, F::RMSNormFuncOptions({2}).eps(0).weight(norm->weight)),
                {1.6970563, -1.1313708, 0, -1.4142136});
  norm(x).sum().backward();
  EXPECT_EQ(norm->weight.grad().sizes(), IntArrayRef({2}));
  RMSNorm plain(RMSNormOptions({2, 2}).elementwise_affine(false));
  EXPECT_TRUE(plain->parameters().empty());
  EXPECT_NEAR(plain(x).square().mean().item<float>(), 1, 1e-5);
  EXPECT_THROW(norm(ones({3})), Error);
  std::ostringstream text;
  text << norm << ' ' << plain;
  EXPECT_EQ(text.str(),
            "torch::nn::RMSNorm([2], eps=0, elementwise_affine=true) "
            "torch::nn::RMSNorm([2, 2], eps=None, elementwise_affine=false)");
}

TEST(BatchNormModule, TrainsAndEvaluates) {
  const Tensor x = tensor({{1.f, 2.f}, {3.f, 5.f}});
  BatchNorm1d bn(2);
  expect_values(bn(x),
                {-0.9999949932098389, -0.9999978542327881, 0.9999949932098389, 0.9999977350234985});
  expect_values(bn->running_mean, {0.2, 0.35});
  expect_values(bn->running_var, {1.1, 1.35});
  EXPECT_EQ(bn->num_batches_tracked.item<int64_t>(), 1);
  bn->eval();
  const Tensor y = bn(x);
  EXPECT_TRUE(y.allclose((x - bn->running_mean) / (bn->running_var + 1e-5).sqrt()));
  EXPECT_EQ(bn->num_batches_tracked.item<int64_t>(), 1);
  bn->reset_running_stats();
  expect_values(bn->running_var, {1, 1});
}

TEST(BatchNormModule, DrawsNoRandomNumbers) {
  manual_seed(3);
  Linear(2, 3);
  BatchNorm1d(3);
  Linear last(3, 1);
  expect_values(last->weight, {0.4478582739830017, -0.05654415115714073, 0.34582197666168213});
}

TEST(BatchNormModule, OptionsAndErrors) {
  const Tensor x = tensor({{1.f, 2.f}, {3.f, 5.f}});
  BatchNorm1d mean(BatchNormOptions(2).momentum(nullopt));
  mean(x);
  mean(x * 2);
  expect_values(mean->running_mean, {3.0, 5.25});
  const Tensor kept = zeros({2}), var = ones({2});  // the function does not count batches
  F::batch_norm(x, kept, var, F::BatchNormFuncOptions().training(true).momentum(nullopt));
  expect_values(kept, {0, 0});
  BatchNorm1d bare(BatchNormOptions(2).affine(false).track_running_stats(false));
  EXPECT_TRUE(bare->parameters().empty() && bare->buffers().empty());
  bare->eval();  // without running statistics those of the batch serve
  expect_values(bare(x),
                {-0.9999949932098389, -0.9999978542327881, 0.9999949932098389, 0.9999977350234985});
  expect_error("BatchNorm1d: expected 2D or 3D input (got 1D input)",
               [] { BatchNorm1d(3)(zeros({2})); });
  EXPECT_EQ(
      message_of([] {
        BatchNorm2d(3)(zeros({2, 3}));
      }),
      "BatchNorm2d: expected 4D input (got 2D input) (in torch::nn::BatchNorm2d(3, eps=1e-05, "
      "momentum=0.1, affine=true, track_running_stats=true))");
  expect_error("BatchNorm3d: expected 5D input (got 2D input)", [] {
    BatchNorm3d(3)(zeros({2, 3}));
  });
  expect_error(
      "batch_norm: running_mean should contain 4 elements not 3 (in torch::nn::BatchNorm2d(", [] {
        BatchNorm2d(3)(zeros({2, 4, 1, 1}));
      });
  expect_error(
      "batch_norm: Expected more than 1 value per channel when training, got input size [1, 2]",
      [] {
        BatchNorm1d(2)(zeros({1, 2}));
      });
}

TEST(BatchNormModule, AFailedForwardCountsNoBatch) {
  BatchNorm1d bn(2), mean(BatchNormOptions(2).momentum(nullopt));
  EXPECT_THROW(bn(zeros({1, 2})), Error);
  EXPECT_THROW(bn(zeros({4, 3})), Error);
  EXPECT_THROW(mean(zeros({4, 3})), Error);
  EXPECT_EQ(bn->num_batches_tracked.item<int64_t>(), 0);
  EXPECT_EQ(mean->num_batches_tracked.item<int64_t>(), 0);
  expect_values(bn->running_mean, {0, 0});
}

TEST(InstanceNormModule, NormalisesEverySample) {
  const Tensor x = arange(8, kFloat).square().view({2, 2, 2});
  InstanceNorm1d in(2);
  EXPECT_TRUE(in->parameters().empty() && in->buffers().empty());
  const Tensor y = in(x);
  expect_values(y[1], {-1, 1, -1, 1}, 1e-4);
  expect_values(in(x[1]), {-1, 1, -1, 1}, 1e-4);
  InstanceNorm1d tracked(InstanceNorm1dOptions(2).track_running_stats(true).affine(true));
  tracked(x);
  expect_values(tracked->running_mean, {0.1 * 10.5, 0.1 * 24.5});
  EXPECT_EQ(tracked->parameters().size(), 2u);
  EXPECT_EQ(message_of([&] { InstanceNorm2d(2)(zeros({2})); }),
            "InstanceNorm2d: expected 3D or 4D input (got 1D input)");
}

TEST(LayerNormModule, Values) {
  LayerNorm ln(std::vector<int64_t>{3});
  expect_values(ln(ramp({1, 3}, -8, 4)), {-1.2245979309082031, 0.0, 1.2245979309082031});
  EXPECT_EQ(ln->parameters().size(), 2u);
  EXPECT_TRUE(LayerNorm(LayerNormOptions({3}).elementwise_affine(false))->parameters().empty());
}

TEST(GroupNormModule, Values) {
  GroupNorm gn(2, 4);
  expect_values(gn(arange(8, kFloat).square().view({1, 4, 2})),
                {-0.9999996423721313, -0.7142854928970337, 0.14285707473754883, 1.5714279413223267,
                 -1.2561832666397095, -0.5267865061759949, 0.3646984398365021, 1.418271541595459});
  EXPECT_THROW(GroupNorm(3, 4)(zeros({2, 4})), Error);
}

TEST(Normalize, DividesByTheNorm) {
  expect_values(F::normalize(tensor({{1.f, 2.f}, {3.f, 5.f}})),
                {0.4472135901451111, 0.8944271802902222, 0.5144957900047302, 0.857492983341217});
  expect_values(F::normalize(zeros({1, 2})), {0, 0});
  Tensor out = zeros({1, 2});
  F::normalize(tensor({{3.f, 4.f}}), F::NormalizeFuncOptions().out(out));
  expect_values(out, {0.6, 0.8});
}

TEST(NormFunctions, TakeTheirOptions) {
  const Tensor x = arange(12, kFloat).view({2, 6}), w = full({6}, 2.0), b = ones({6});
  LayerNorm layer(LayerNormOptions({6}).eps(1e-3));
  EXPECT_TRUE(F::layer_norm(x, F::LayerNormFuncOptions({6}).eps(1e-3)).allclose(layer(x)));
  EXPECT_TRUE(F::layer_norm(x, F::LayerNormFuncOptions({6}).eps(1e-3).weight(w).bias(b))
                  .allclose(layer(x) * 2 + 1));
  GroupNorm group(GroupNormOptions(2, 6).eps(1e-3));
  EXPECT_TRUE(F::group_norm(x, F::GroupNormFuncOptions(2).eps(1e-3)).allclose(group(x)));
  EXPECT_TRUE(F::group_norm(x, F::GroupNormFuncOptions(2).eps(1e-3).weight(w).bias(b))
                  .allclose(group(x) * 2 + 1));
}

}  // namespace
}  // namespace torch::taper
