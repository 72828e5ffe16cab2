// Devices that LibTorch knows and Taper never has.
#include <torch/mps.h>
#include <torch/xpu.h>

#include <gtest/gtest.h>

namespace {

TEST(CompatNames, DevicesThatAreNeverThereCanBeAskedFor) {
  EXPECT_FALSE(torch::mps::is_available());
  EXPECT_FALSE(torch::xpu::is_available());
  EXPECT_EQ(torch::xpu::device_count(), 0u);
  torch::mps::manual_seed(1);
  torch::xpu::manual_seed(1);
  torch::xpu::manual_seed_all(1);
  EXPECT_THROW(torch::mps::synchronize(), c10::Error);
  EXPECT_THROW(torch::xpu::synchronize(0), c10::Error);
  const torch::Device device = torch::mps::is_available() ? torch::kMPS : torch::kCPU;
  EXPECT_TRUE(torch::ones(1, device).is_cpu());
}

}  // namespace
