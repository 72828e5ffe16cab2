// What docs/devices.md promises to programs with several threads; ThreadSanitizer reads along in a
// build of its own.
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include <taper/taper.h>

#include "harness/devices.h"
#include "test_util.h"

namespace torch::taper {
namespace {

using testing::values_of;

constexpr int kThreads = 4;

/// Runs body(0) ... body(kThreads - 1) on a thread each, and waits for all.
template <class Body>
void on_threads(const Body& body) {
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back([&body, t] { body(t); });
  for (std::thread& t : threads) t.join();
}

/// The weights after ten steps of a small regression on `device`.
std::vector<double> trained_on(Device device) {
  nn::Sequential net(nn::Linear(3, 8), nn::Tanh(), nn::Linear(8, 1));
  {
    const NoGradGuard no_grad;
    for (const Tensor& p : net->parameters()) p.copy_(testing::numbers(p.sizes().vec()) * 0.2);
  }
  net->to(device);
  optim::Adam optimizer(net->parameters(), 1e-2);
  const Tensor x = testing::numbers({16, 3}).to(device), y = x.sum({1}, true);
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    mse_loss(net->forward(x), y).backward();
    optimizer.step();
  }
  return values_of(cat({net->parameters()[0].flatten(), net->parameters()[2].flatten()}).cpu());
}

TEST(DevicesG6, AThreadForEachDevice) {
  TAPER_NEEDS_DEVICES(kThreads);
  const std::vector<double> want = trained_on(Device("cuda:0"));
  std::vector<std::vector<double>> got(kThreads);
  on_threads([&](int t) { got[t] = trained_on(Device(kCUDA, static_cast<DeviceIndex>(t))); });
  for (const auto& g : got) EXPECT_EQ(g, want);
}

TEST(DevicesG6, ManyThreadsOnOneDevice) {
  const std::vector<double> want = trained_on(Device("cuda:0"));
  std::vector<std::vector<double>> got(kThreads);
  on_threads([&](int t) {
    const cuda::Stream side;
    const cuda::StreamGuard guard(t % 2 ? side : cuda::default_stream());
    got[t] = trained_on(Device("cuda:0"));
  });
  for (const auto& g : got) EXPECT_EQ(g, want);
}

TEST(DevicesG6, MemoryEventsSeedsAndFigures) {
  std::atomic<int> wrong{0};
  on_threads([&](int t) {
    for (int i = 0; i < 20; ++i) {
      const Tensor pinned = full({100 + t}, 1.0 * i, TensorOptions().pinned_memory(true));
      const Tensor there = pinned.to(kCUDA, /*non_blocking=*/true);
      cuda::Event done;
      done.record();
      done.synchronize();
      if (there.sum().item<float>() != static_cast<float>(i * (100 + t))) ++wrong;
      if (cuda::memory_allocated() > cuda::max_memory_allocated()) ++wrong;
      if (t == 0) cuda::manual_seed(static_cast<uint64_t>(i));
      if (t == 1) cuda::empty_cache();
      if (rand({10}, kCUDA).max().item<float>() >= 1) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

class Backward : public ::testing::TestWithParam<const char*> {};

TEST_P(Backward, SeveralThreadsIntoTheSameLeaves) {
  const Tensor w = ones({33}, TensorOptions(Device(GetParam())).requires_grad(true));
  on_threads([&](int t) {
    for (int i = 0; i < 25; ++i) (w * (t + 1)).sum().backward();
  });
  EXPECT_EQ(values_of(w.grad().cpu()), std::vector<double>(33, 25 * (1 + 2 + 3 + 4)));
}

TEST_P(Backward, SeveralThreadsThroughOneGraph) {
  const Tensor x = full({33}, 3.0, TensorOptions(Device(GetParam())).requires_grad(true));
  const Tensor y = (x.exp().log() * x).sum();
  std::atomic<int> wrong{0};
  on_threads([&](int) {
    for (int i = 0; i < 10; ++i) {
      const Tensor g = autograd::grad({y}, {x}, {}, /*retain_graph=*/true)[0];
      if (!g.cpu().allclose(full({33}, 6.0))) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

// ---------------------------------------------------------------------- modules, generators
nn::Sequential small_net() {
  nn::Sequential net(nn::Conv2d(1, 4, 3), nn::BatchNorm2d(4), nn::ReLU(), nn::Flatten(),
                     nn::Linear(4 * 4 * 4, 3));
  const NoGradGuard no_grad;
  for (const Tensor& p : net->parameters()) p.copy_(testing::numbers(p.sizes().vec()) * 0.2);
  return net;
}

// In evaluation nothing of a module changes.
TEST(Threads, AModuleInEvaluationIsSharedByAll) {
  nn::Sequential net = small_net();
  net->eval();
  const Tensor x = testing::numbers({5, 1, 6, 6});
  const std::vector<double> want = values_of(net->forward(x));
  std::atomic<int> wrong{0};
  on_threads([&](int t) {
    const AutoGradMode mode(t % 2 == 0);
    for (int i = 0; i < 10; ++i)
      if (values_of(net->forward(x)) != want) ++wrong;
  });
  EXPECT_EQ(wrong, 0);
}

// Without buffers that a forward pass changes, training shares it too: gradients are added.
TEST(Threads, GradientsOfASharedModuleAreAdded) {
  nn::Linear layer(3, 2);
  const Tensor x = testing::numbers({4, 3});
  layer->forward(x).sum().backward();
  const Tensor one = layer->weight.grad().clone();
  layer->zero_grad();
  on_threads([&](int) {
    for (int i = 0; i < 5; ++i) layer->forward(x).sum().backward();
  });
  EXPECT_TRUE(layer->weight.grad().allclose(one * (5 * kThreads)));
}

// Each op draws its numbers in one piece: all threads together draw those of one.
TEST(Threads, AGeneratorSharedByAllGivesEachNumberOnce) {
  constexpr int kDraws = 20, kNumbers = 64;
  Generator serial = detail::createCPUGenerator(7), shared = serial.clone();
  std::set<std::vector<double>> want, got[kThreads], all;
  for (int i = 0; i < kThreads * kDraws; ++i) want.insert(values_of(rand({kNumbers}, serial)));
  on_threads([&](int t) {
    for (int i = 0; i < kDraws; ++i) got[t].insert(values_of(rand({kNumbers}, shared)));
  });
  for (const auto& part : got) all.insert(part.begin(), part.end());
  EXPECT_EQ(all, want);
}

TEST(Threads, FilesThatSeveralWriteAreWhole) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.path("t");
  on_threads([&](int t) {
    for (int i = 0; i < 5; ++i) save(full({1000}, t), path);
  });
  Tensor back;
  load(back, path);
  EXPECT_TRUE(back.equal(back[0].expand({1000})));
  EXPECT_EQ(folder.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Threads, Backward, ::testing::Values("cpu", "cuda:0"),
                         [](const auto& info) { return info.index == 0 ? "Host" : "Device"; });

// Objects of static lifetime are destroyed behind those of the main thread.
TEST(EngineThreads, AnObjectOfStaticLifetimeMayGoBackward) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  static const auto train = [] {
    const Tensor x = ones({1, 2, 9, 9}).requires_grad_(), w = ones({3, 2, 3, 3}).requires_grad_();
    for (int i = 0; i < 3; ++i) conv2d(x, w).relu().sum().backward();
    return w.grad().sum().item<float>();
  };
  struct Late {
    ~Late() {
      if (wanted) std::_Exit(train() == 3 * 7 * 7 * 54 ? 7 : 1);
    }
    bool wanted = false;
  };
  EXPECT_EXIT(
      {
        static Late late;
        late.wanted = true;
        train();
        std::exit(1);
      },
      ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace torch::taper
