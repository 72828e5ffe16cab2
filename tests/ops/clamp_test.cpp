#include <taper/taper.h>

#include "test_util.h"

namespace taper::testing {
namespace {

// Expected gradients are PyTorch's: a tie belongs to x, crossed bounds to the upper one.
TEST(ClampTensor, GradientsGoToWhatWasTaken) {
  Tensor x = tensor({-2., -1., 0., 1., 2.}).set_requires_grad(true);
  Tensor low = tensor({-1., -1., -1., 3., -1.}).set_requires_grad(true);
  Tensor high = tensor({1., 1., 1., 1., 1.}).set_requires_grad(true);
  Tensor y = clamp(x, optional<Tensor>(low), optional<Tensor>(high));
  EXPECT_EQ(values_of(y), (std::vector<double>{-1, -1, 0, 1, 1}));
  y.sum().backward();
  EXPECT_EQ(values_of(x.grad()), (std::vector<double>{0, 1, 1, 0, 0}));
  EXPECT_EQ(values_of(low.grad()), (std::vector<double>{1, 0, 0, 0, 0}));
  EXPECT_EQ(values_of(high.grad()), (std::vector<double>{0, 0, 0, 1, 1}));
}

TEST(ClampTensor, BoundsBroadcastAndTheirGradientsSum) {
  Tensor x = zeros({2, 3});
  Tensor low = tensor({1., -1., 1.}).set_requires_grad(true);
  Tensor y = x.clamp_min(low);
  EXPECT_EQ(values_of(y), (std::vector<double>{1, 0, 1, 1, 0, 1}));
  y.sum().backward();
  EXPECT_EQ(values_of(low.grad()), (std::vector<double>{2, 0, 2}));
}

TEST(ClampTensor, InPlaceKeepsTheValuesItOverwrites) {
  Tensor x = tensor({-2., 0.5}).set_requires_grad(true);
  Tensor y = x * 1;
  y.clamp_(optional<Tensor>(tensor({-1., -1.})), optional<Tensor>(tensor({1., 1.})));
  y.sum().backward();
  EXPECT_EQ(values_of(x.grad()), (std::vector<double>{0, 1}));
}

TEST(ClampTensor, NeedsABound) {
  EXPECT_THROW(clamp(ones({2}), optional<Tensor>(), optional<Tensor>()), Error);
}

}  // namespace
}  // namespace taper::testing
