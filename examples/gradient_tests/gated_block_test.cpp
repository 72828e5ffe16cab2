// Tests the module: the gradient of every parameter, all devices, and a training step against a
// golden file.
#include <taper/testing/gtest.h>

#include "gated_block.h"

namespace {

using taper::Device;
using taper::kCPU;
using taper::kCUDA;
using taper::Tensor;
using taper::testing::NamedTensors;

TEST(GatedBlock, GradientsOfAllParametersAreRight) {
  taper::manual_seed(0);
  EXPECT_MODULE_GRADCHECK(*GatedBlock(4, 6), {taper::randn({3, 4}).requires_grad_()});
}

TEST(GatedBlock, IsTheSameOnDevices) {
  taper::manual_seed(0);
  const GatedBlock block(4, 6);
  const auto call = [](taper::nn::Module& m, const std::vector<Tensor>& in) {
    return std::vector<Tensor>{m.as<GatedBlockImpl>()->forward(in[0])};
  };
  EXPECT_SAME_ON_DEVICES(*block, call, {taper::randn({3, 4})}, {kCPU, kCUDA});
}

TEST(GatedBlock, ItsFirstStepStaysWhatItIs) {
  taper::manual_seed(0);
  GatedBlock block(4, 6);
  const Tensor x = taper::randn({3, 4}), y = block(x), loss = y.square().mean();
  loss.backward();
  NamedTensors step = {{"output", y}, {"loss", loss}};
  taper::testing::append_gradients(step, *block);
  EXPECT_GOLDEN("gated_block_first_step", step);
}

}  // namespace
