// What goes wrong on a device, and how it reaches the program. Names begin with the rows shown.
#include <gtest/gtest.h>

#include <cmath>

#include <taper/framework/runtime/launch_blocking.h>
#include <taper/taper.h>

#include "harness/devices.h"
#include "test_util.h"

namespace torch::taper {
namespace {

using testing::message_of;

/// Devices that may fail, and are as good as new afterwards.
class DeviceFaults : public ::testing::Test {
 protected:
  DeviceFaults() { cuda::empty_cache(); }
  ~DeviceFaults() override {
    for (DeviceIndex i = 0; i < cuda::device_count(); ++i) {
      if (cuda::is_simulated()) cuda::end_simulated_faults(i);
      cuda::synchronize(i);
    }
    cuda::empty_cache();
    for (DeviceIndex i = 0; i < cuda::device_count(); ++i)
      EXPECT_EQ(cuda::memory_allocated(i), before_[i]) << "leaked on cuda:" << int(i);
  }
  static Tensor ones_on(DeviceIndex device, int64_t n = 10) {
    return ones({n}, TensorOptions(Device(kCUDA, device)));
  }

 private:
  std::vector<size_t> before_ = [] {
    std::vector<size_t> all;
    for (DeviceIndex i = 0; i < cuda::device_count(); ++i) all.push_back(cuda::memory_allocated(i));
    return all;
  }();
};

/// CUDA_LAUNCH_BLOCKING=1 for a scope.
class BlockingLaunches {
 public:
  BlockingLaunches() { detail::set_blocks_launches(true); }
  ~BlockingLaunches() { detail::set_blocks_launches(before_); }

 private:
  bool before_ = detail::blocks_launches();
};

// ---------------------------------------------------------------------- kernels
TEST_F(DeviceFaults, A1_FailedKernelSurfacesAtTheNextSynchronisationOnce) {
  TAPER_NEEDS_SIMULATION("faults on demand");
  TAPER_NEEDS_DEVICES(2);
  const Tensor x = ones_on(1), y = ones_on(0);
  cuda::synchronize(1);
  cuda::simulate_kernel_fault(1, 2);
  const Tensor a = x + 1, b = a + 1, c = b + 1;  // the second one fails; the host goes on
  const std::string text = message_of([] { cuda::synchronize(1); });
  EXPECT_NE(text.find("CUDA error: "), std::string::npos) << text;
  EXPECT_NE(text.find("kernel 'add' on cuda:1"), std::string::npos) << text;
  EXPECT_NE(text.find("CUDA_LAUNCH_BLOCKING=1"), std::string::npos) << text;
  EXPECT_EQ((y + 1).sum().item<float>(), 20);
  EXPECT_EQ((x + 1).sum().item<float>(), 20);
}

TEST_F(DeviceFaults, A1_KernelsFailByName) {
  TAPER_NEEDS_SIMULATION("faults on demand");
  const Tensor x = ones_on(0);
  cuda::simulate_kernel_fault(0, 2, "exp");
  const Tensor a = x.exp(), b = x + a;
  EXPECT_NO_THROW(cuda::synchronize(0));
  const Tensor c = b.exp();
  EXPECT_NE(message_of([&] { c.sum().item<float>(); }).find("'exp'"), std::string::npos);
  EXPECT_NO_THROW(x.exp().sum().item<float>());
}

TEST_F(DeviceFaults, A1_FailureInBackwardLeavesAGraphThatCanBeDropped) {
  TAPER_NEEDS_SIMULATION("faults on demand");
  TAPER_NEEDS_DEVICES(3);
  const Tensor w = ones_on(2).requires_grad_();
  {
    const Tensor loss = (w.exp() * w).sum();
    cuda::simulate_kernel_fault(2, 2);
    EXPECT_THROW(
        {
          loss.backward({}, /*keep_graph=*/true);
          cuda::synchronize(2);
        },
        Error);
    w.mutable_grad() = Tensor();
    loss.backward();
  }
  EXPECT_NEAR(w.grad().sum().item<float>(), 20 * std::exp(1.f), 1e-3);
}

// ---------------------------------------------------------------------- memory
TEST_F(DeviceFaults, P3_OneRefusalIsMadeGoodByEmptyingTheCache) {
  TAPER_NEEDS_SIMULATION("faults on demand");
  TAPER_NEEDS_DEVICES(4);
  const uint64_t retries = cuda::memory_stats(3).num_retries;
  cuda::simulate_full_memory(3, /*n=*/1, /*times=*/1);
  EXPECT_EQ(ones_on(3, 1 << 20).sum().item<float>(), 1 << 20);
  EXPECT_EQ(cuda::memory_stats(3).num_retries, retries + 1);
}

TEST_F(DeviceFaults, P3_FullMemoryInTheMiddleOfAStepLosesNothing) {
  TAPER_NEEDS_SIMULATION("faults on demand");
  TAPER_NEEDS_DEVICES(4);
  const int64_t n = 3 << 20;  // blocks with segments of their own
  const Tensor w = ones_on(3, n).requires_grad_();
  for (int request = 1; request <= 4; ++request) {
    cuda::empty_cache();
    cuda::simulate_full_memory(3, request);
    EXPECT_THROW((w.exp() * w.sin() * 2).sum().backward(), OutOfMemoryError) << request;
    cuda::end_simulated_faults(3);
    w.mutable_grad() = Tensor();
  }
  (w * 3).sum().backward();
  EXPECT_EQ(w.grad().sum().item<float>(), 3 * n);
}

// ---------------------------------------------------------------------- lost devices
TEST_F(DeviceFaults, A1_LostDeviceThrowsAtEveryUseAndOthersGoOn) {
  TAPER_NEEDS_SIMULATION("faults on demand");
  TAPER_NEEDS_DEVICES(3);
  const Tensor x = ones_on(1), y = ones_on(0);
  const cuda::Stream side(Device("cuda:1"));
  cuda::simulate_device_loss(1);
  const std::string lost = "cuda:1 is lost";
  const auto expect_lost = [&](const std::function<void()>& use) {
    EXPECT_NE(message_of(use).find(lost), std::string::npos) << message_of(use);
  };
  for (int i = 0; i < 2; ++i) {  // each time
    expect_lost([&] { x + 1; });
    expect_lost([&] { x.add_(1); });
    expect_lost([&] { x.cpu(); });
    expect_lost([&] { x.to(Device("cuda:0")); });
    expect_lost([&] { y.to(Device("cuda:1")); });
    expect_lost([&] { ones_on(1); });
    expect_lost([&] { cuda::synchronize(1); });
    expect_lost([&] { side.synchronize(); });
    expect_lost([&] { side.query(); });
    expect_lost([&] { cuda::default_stream(0).wait_stream(side); });
    expect_lost([&] { cuda::mem_get_info(1); });
  }
  EXPECT_EQ((y + 1).to(Device("cuda:2")).sum().item<float>(), 20);
}

TEST_F(DeviceFaults, A1_LossWhileWorkIsQueuedHangsNothing) {
  TAPER_NEEDS_SIMULATION("faults on demand");
  TAPER_NEEDS_DEVICES(2);
  const cuda::Stream side(Device("cuda:1"));
  cuda::Event event;
  {
    const Tensor x = ones_on(1, 1000);
    const cuda::StreamGuard guard(side);
    side.wait_stream(cuda::default_stream(1));
    for (int i = 0; i < 50; ++i) x.add_(1);
    x.record_stream(side);
    event.record(side);
    cuda::simulate_device_loss(1);
  }                                     // x is freed, the guard ends: neither throws
  event.wait(cuda::default_stream(0));  // what waits for lost work goes on
  EXPECT_EQ(ones_on(0).sum().item<float>(), 10);
  EXPECT_THROW(event.synchronize(), Error);
  EXPECT_THROW(cuda::empty_cache(), Error);
}

TEST_F(DeviceFaults, A1_LossInTrainingReachesTheCaller) {
  TAPER_NEEDS_SIMULATION("faults on demand");
  TAPER_NEEDS_DEVICES(2);
  nn::Sequential net(nn::Linear(4, 8), nn::ReLU(), nn::Linear(8, 1));
  net->to(Device("cuda:1"));
  optim::Adam adam(net->parameters(), optim::AdamOptions(0.01));
  const Tensor x = randn({16, 4});
  const auto step = [&] {
    adam.zero_grad();
    net->forward(x.to(Device("cuda:1"))).pow(2).mean().backward();
    adam.step();
  };
  step();
  cuda::simulate_device_loss(1);
  EXPECT_NE(message_of(step).find("cuda:1 is lost"), std::string::npos);
}

// ---------------------------------------------------------------------- blocking launches
TEST_F(DeviceFaults, A2_BlockingLaunchesNameTheLineOfTheOp) {
  const Tensor x = ones_on(0), index = tensor({99}, TensorOptions(kCUDA).dtype(kLong));
  const BlockingLaunches blocking;
  const int line = __LINE__ + 1;
  const std::string text = message_of([&] { x.index_select(0, index); });
  EXPECT_NE(text.find("out of range"), std::string::npos) << text;
  if (cuda::is_simulated())
    EXPECT_NE(text.find("'check_index' on cuda:0"), std::string::npos) << text;
  if (testing::has_source_lines())
    EXPECT_NE(text.find("fault_test.cpp:" + std::to_string(line)), std::string::npos) << text;
  EXPECT_EQ(text.find("CUDA_LAUNCH_BLOCKING"), std::string::npos) << text;
  EXPECT_NO_THROW(cuda::synchronize());  // reported already
}

TEST_F(DeviceFaults, A2_BlockingLaunchesWait) {
  const BlockingLaunches blocking;
  const Tensor x = ones_on(0);
  for (int i = 0; i < 10; ++i) {
    x.add_(1);
    EXPECT_TRUE(cuda::current_stream().query());
  }
  EXPECT_EQ(x.sum().item<float>(), 110);
}

// ---------------------------------------------------------------------- peers
TEST(Peers, M6_CopiesGoThroughTheHostWhereThereIsNoAccess) {
  TAPER_NEEDS_SIMULATION("pairs without peer access");
  TAPER_NEEDS_DEVICES(4);
  EXPECT_TRUE(cuda::can_device_access_peer(0, 1));
  EXPECT_FALSE(cuda::can_device_access_peer(2, 3));  // as tests/harness/devices.cpp says
  EXPECT_FALSE(cuda::can_device_access_peer(3, 2));
  cuda::Stream side(Device("cuda:3"));
  for (int i = 0; i < 20; ++i) {
    Tensor x = full({1000}, i, TensorOptions(Device("cuda:2")).dtype(kFloat));
    const cuda::StreamGuard guard(side);
    const Tensor y = x.to(Device("cuda:3"));
    x.fill_(-1);
    EXPECT_EQ(y.sum().item<float>(), 1000 * i);
    x = y.t().to(Device("cuda:2"));
    EXPECT_EQ(x.mean().item<float>(), i);
  }
}

TEST(Peers, M6_StagedCopiesRaceAsOthersDo) {
  TAPER_NEEDS_SIMULATION("pairs without peer access");
  TAPER_NEEDS_DEVICES(4);
  const cuda::RaceDetectorGuard guard(/*throws=*/true);
  const Tensor x = zeros({100}, Device("cuda:2"));
  cuda::synchronize(2);
  const cuda::Stream side(Device("cuda:2"));
  {
    const cuda::StreamGuard on_side(side);
    x.fill_(1);
  }
  EXPECT_THROW(x.to(Device("cuda:3")), Error);
  cuda::default_stream(2).wait_stream(side);
  EXPECT_EQ(x.to(Device("cuda:3")).sum().item<float>(), 100);
}

}  // namespace
}  // namespace torch::taper
