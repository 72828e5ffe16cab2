// Backward of ops that ran on side streams (row A7).
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include <taper/framework/autograd/node.h>
#include <taper/taper.h>

#include "framework/runtime/gate.h"
#include "harness/devices.h"

namespace torch::taper {
namespace {

using testing::Gate;

const Device cuda0(kCUDA, 0), cuda1(kCUDA, 1);

/// Where a gradient was seen.
struct Place {
  cuda::Stream stream = cuda::default_stream(0);
  DeviceIndex device = -1;
  bool operator==(const Place& o) const { return stream == o.stream && device == o.device; }
};
/// Notes where the backward of what made `t` runs.
void watch(const Tensor& t, Place& place) {
  t.register_hook([&](const Tensor&) { place = {cuda::current_stream(), cuda::current_device()}; });
}

TEST(BackwardStreamsA7, NodesRunOnTheStreamAndDeviceOfTheirForward) {
  TAPER_NEEDS_DEVICES(2);
  const cuda::Stream side(cuda1);
  const Tensor x = ones({3}, TensorOptions(cuda1)).requires_grad_();
  Place on_side, on_default, leaf;
  Tensor loss;
  {
    const cuda::StreamGuard guard(side);
    side.wait_stream(cuda::default_stream(1));
    const Tensor y = x * 2;
    watch(x, leaf);
    watch(y, on_side);
    loss = y;
  }
  cuda::default_stream(1).wait_stream(side);
  loss = loss.sum();
  watch(loss, on_default);
  loss.backward();
  EXPECT_EQ(on_side, (Place{side, 1}));
  EXPECT_EQ(on_default, (Place{cuda::default_stream(1), 1}));
  EXPECT_EQ(leaf, (Place{side, 1}));
  // The caller's own are as they were.
  EXPECT_EQ(cuda::current_device(), 0);
  EXPECT_EQ(cuda::current_stream(1), cuda::default_stream(1));
  EXPECT_EQ(x.grad().sum().item<float>(), 6);
}

TEST(BackwardStreamsA7, ErrorsPutTheCallersStreamBack) {
  TAPER_NEEDS_DEVICES(3);
  const cuda::Stream side(cuda1);
  const Tensor x = ones({3}, TensorOptions(cuda1)).requires_grad_();
  const cuda::DeviceGuard device(2);
  side.wait_stream(cuda::default_stream(1));
  Tensor y;
  side.wait_stream(cuda::default_stream(1));
  {
    const cuda::StreamGuard guard(side);
    y = x * 2;
  }
  cuda::default_stream(1).wait_stream(side);
  y.register_hook([](const Tensor&) { TAPER_CHECK(false, "no"); });
  EXPECT_THROW(y.sum().backward(), Error);
  EXPECT_EQ(cuda::current_device(), 2);
  EXPECT_EQ(cuda::current_stream(1), cuda::default_stream(1));
}

TEST(BackwardStreamsA7, TheCallersStreamWaitsForLeafGradients) {
  const cuda::Stream side(cuda0);
  const Tensor x = ones({3}, TensorOptions(cuda0)).requires_grad_();
  side.wait_stream(cuda::default_stream(0));
  Tensor loss;
  std::optional<Gate> gate;
  {
    const cuda::StreamGuard guard(side);
    loss = (x * x).sum();
    loss.register_hook([&](const Tensor&) { gate.emplace(); });
  }
  loss.backward();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(side.query());
  EXPECT_FALSE(cuda::default_stream(0).query());
  gate->open();
  EXPECT_EQ(x.grad().sum().item<float>(), 6);
  EXPECT_TRUE(side.query());
}

TEST(BackwardStreamsA7, TheFirstNodeWaitsForTheCallersStream) {
  const cuda::Stream side(cuda0);
  const Tensor x = ones({3}, TensorOptions(cuda0)).requires_grad_();
  side.wait_stream(cuda::default_stream(0));
  Tensor y;
  {
    const cuda::StreamGuard guard(side);
    y = x * 3;
  }
  Tensor g = zeros({3}, cuda0);
  std::optional<Gate> gate;
  gate.emplace();
  g.fill_(5);  // behind the gate, on the caller's stream
  y.backward(g);
  gate->open();
  EXPECT_EQ(x.grad().sum().item<float>(), 45);
}

// The streams of simulated devices drift apart: without the waits the sums would be wrong.
TEST(BackwardStreamsA7, GradientsCrossStreamsInOrder) {
  for (int i = 0; i < 30; ++i) {
    const cuda::Stream s1(cuda0), s2(cuda0);
    const cuda::Stream main = cuda::default_stream(0);
    const Tensor x = full({100}, i * 0.05, TensorOptions(cuda0)).requires_grad_();
    Tensor a, b;
    s1.wait_stream(main);
    {
      const cuda::StreamGuard guard(s1);
      a = (x * 2).exp().log();
    }
    s2.wait_stream(s1);
    {
      const cuda::StreamGuard guard(s2);
      b = (a * x).sin() + a;
    }
    main.wait_stream(s1);
    main.wait_stream(s2);
    const Tensor loss = (a * b).sum() + x.sum();
    const auto grads = autograd::grad({loss}, {x, a}, {}, true);
    loss.backward();
    const Tensor want = [&] {
      const Tensor w = x.detach().cpu().requires_grad_();
      const Tensor aw = (w * 2).exp().log();
      ((aw * ((aw * w).sin() + aw)).sum() + w.sum()).backward();
      return w.grad();
    }();
    ASSERT_TRUE(x.grad().cpu().allclose(want, 1e-4, 1e-4)) << i;
    ASSERT_TRUE(grads[0].cpu().allclose(want, 1e-4, 1e-4)) << i;
  }
}

TEST(BackwardStreamsA7, AGradientsMemoryIsKeptForTheStreamThatReadsIt) {
  constexpr int64_t n = 1 << 20;
  const cuda::Stream s1(cuda0), s2(cuda0);
  const Tensor x = ones({n}, TensorOptions(cuda0)).requires_grad_();
  std::optional<Gate> gate;
  Tensor a, loss;
  s1.wait_stream(cuda::default_stream(0));
  {
    const cuda::StreamGuard guard(s1);
    a = x * 2;
    a.register_hook([&](const Tensor&) { gate.emplace(); });  // holds up what reads a's gradient
  }
  s2.wait_stream(s1);
  {
    const cuda::StreamGuard guard(s2);
    loss = (a * 3).sum();
  }
  loss.backward();
  {
    // The gradient of a, made on s2, is gone for the host. Its block must not be given out.
    const cuda::StreamGuard guard(s2);
    std::vector<Tensor> others;
    for (int i = 0; i < 4; ++i) others.push_back(full({n}, -1.0, cuda0));
    s2.synchronize();
  }
  gate->open();
  EXPECT_EQ(x.grad().min().item<float>(), 6);
}

TEST(BackwardStreamsA7, SeveralDevicesHaveTheirStreams) {
  TAPER_NEEDS_DEVICES(2);
  const cuda::Stream s0(cuda0), s1(cuda1);
  for (int i = 0; i < 20; ++i) {
    const Tensor x = randn({50}).requires_grad_();
    Place at0, at1;
    Tensor y;
    {
      const cuda::StreamGuard g0(s0), g1(s1);
      const Tensor there = x.to(cuda0) * 3;
      y = there.to(cuda1).pow(2);
      watch(there, at0);
      watch(y, at1);
    }
    cuda::default_stream(1).wait_stream(s1);
    y.sum().backward();
    EXPECT_EQ(at0, (Place{s0, 0}));
    EXPECT_EQ(at1, (Place{s1, 1}));
    ASSERT_TRUE(x.grad().allclose(18 * x.detach(), 1e-4, 1e-5)) << i;
  }
}

TEST(BackwardStreamsA7, ReentrantAndSecondOrderPasses) {
  const cuda::Stream side(cuda0);
  const Tensor x = full({4}, 2.0, TensorOptions(cuda0)).requires_grad_();
  side.wait_stream(cuda::default_stream(0));
  Place inner;
  Tensor y;
  {
    const cuda::StreamGuard guard(side);
    y = autograd::checkpoint(
        [&](const autograd::variable_list& v) {
          const Tensor z = v[0].pow(3);
          if (z.requires_grad()) watch(z, inner);
          return autograd::variable_list{z};
        },
        {x})[0];
  }
  cuda::default_stream(0).wait_stream(side);
  y.sum().backward();
  EXPECT_EQ(inner, (Place{side, 0}));
  EXPECT_EQ(x.grad().sum().item<float>(), 48);
  Tensor loss;
  {
    const cuda::StreamGuard guard(side);
    loss = x.pow(3).sum();
  }
  const Tensor g = autograd::grad({loss}, {x}, {}, nullopt, true)[0];
  EXPECT_EQ(autograd::grad({g.sum()}, {x})[0].sum().item<float>(), 48);
}

TEST(BackwardStreamsA7, OpsOfTheCpuHaveNoStream) {
  TAPER_NEEDS_DEVICES(2);
  const Tensor x = ones({3}).requires_grad_();
  const cuda::StreamGuard guard{cuda::Stream(cuda1)};
  EXPECT_EQ((x * 2).grad_fn()->stream_, nullptr);
  EXPECT_NE(x.to(cuda1).grad_fn()->stream_, nullptr);
  EXPECT_EQ(x.to(cuda1).cpu().grad_fn()->stream_, nullptr);
}

}  // namespace
}  // namespace torch::taper
