// Expected values are PyTorch 1.13's for the same inputs and seeds.
#include "nn/util.h"

#include <taper/framework/random/random.h>
#include <taper/nn/nn.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {
namespace {

using namespace nn;
using test::expect_values;

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
