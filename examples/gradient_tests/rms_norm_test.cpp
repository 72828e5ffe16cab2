// Tests the op: first and second derivatives, all devices, and random shapes.
#include <taper/testing/gtest.h>

#include "rms_norm.h"

namespace {

using taper::kCPU;
using taper::kCUDA;
using taper::kDouble;
using taper::Tensor;
using taper::testing::FuzzInput;
using taper::testing::FuzzOptions;

Tensor norm(const Tensor& x, const Tensor& weight) { return rms_norm(x, weight); }
/// RMS norm in Taper's ops, whose derivatives are known to be right.
Tensor reference(const Tensor& x, const Tensor& weight) {
  return x / (x * x).mean(-1, true).add(1e-6).sqrt() * weight;
}
Tensor random_leaf(std::vector<int64_t> sizes) {
  return taper::randn(sizes, kDouble).requires_grad_();
}

TEST(RmsNorm, GradientsAreRight) {
  taper::manual_seed(0);
  EXPECT_GRADCHECK(norm, {random_leaf({3, 4}), random_leaf({4})});
  EXPECT_GRADGRADCHECK(norm, {random_leaf({3, 4}), random_leaf({4})});
}

TEST(RmsNorm, EqualsPlainOps) {
  const Tensor x = taper::randn({5, 7}), weight = taper::randn({7});
  EXPECT_TENSOR_CLOSE(rms_norm(x, weight), reference(x, weight));
}

TEST(RmsNorm, IsTheSameOnDevices) {
  EXPECT_SAME_ON_DEVICES(norm, {random_leaf({3, 4}), random_leaf({4})}, {kCPU, kCUDA});
}

TEST(RmsNorm, HoldsForRandomShapesLayoutsAndDtypes) {
  EXPECT_FUZZ("rms_norm", norm, {FuzzInput("... D").sizes(1, 9), FuzzInput("D")},
              FuzzOptions().second_gradients(true).reference({reference}));
}

}  // namespace
