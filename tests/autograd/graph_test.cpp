// The graph itself: names and edges, depth, threads, life times.
#include <thread>

#include "autograd/util.h"

namespace taper::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Nodes, HaveNamesAndEdges) {
  Tensor x = leaf({1, 2}), y = leaf({3, 4});
  Tensor z = x * y + doubles({1, 1});
  EXPECT_EQ(z.grad_fn()->name(), "AddBackward0");
  const auto edges = z.grad_fn()->next_edges();
  ASSERT_EQ(edges.size(), 2u);
  EXPECT_FALSE(edges[1].is_valid());
  EXPECT_EQ(edges[0].function->name(), "MulBackward0");
  const auto leaves = edges[0].function->next_edges();
  EXPECT_THAT(leaves[0].function->name(), HasSubstr("AccumulateGrad"));
  EXPECT_FALSE(leaves[0].function == leaves[1].function);
  EXPECT_TRUE((x * y).grad_fn()->next_edges()[0].function == leaves[0].function);
}

TEST(Nodes, OfSeveralOutputsAreShared) {
  Tensor x = leaf({1, 2, 3, 4});
  const auto parts = x.split(2);
  EXPECT_TRUE(parts[0].grad_fn() == parts[1].grad_fn());
  EXPECT_EQ(parts[1].output_nr(), 1);
  parts[1].sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(0, 0, 1, 1));
}

// ---------------------------------------------------------------------- depth

TEST(DeepGraph, AMillionNodesInAStackOfOneMebibyte) {
  run_on_small_stack([] {
    Tensor x = leaf({1});
    Tensor y = x;
    for (int i = 0; i < 1'000'000; ++i) y = y + x;
    y.sum().backward();
    EXPECT_THAT(values_of(x.grad()), ElementsAre(1'000'001));
  });
}

TEST(DeepGraph, AMillionNodesAreFreedWithoutBackward) {
  run_on_small_stack([] {
    Tensor x = leaf({1});
    Tensor y = x;
    for (int i = 0; i < 1'000'000; ++i) y = y * x;
    y = Tensor();
    EXPECT_EQ(x.use_count(), 1u);
  });
}

TEST(DeepGraph, OfInPlaceChangesAndViews) {
  run_on_small_stack([] {
    Tensor x = leaf({1, 2});
    Tensor y = x * scalar(1);
    for (int i = 0; i < 20'000; ++i) {
      y.add_(scalar(1));
      y.narrow(0, 0, 1).add_(scalar(1));
    }
    y.sum().backward();
    EXPECT_THAT(values_of(x.grad()), ElementsAre(1, 1));
  });
}

TEST(WideGraph, ManyUsesOfOneTensor) {
  Tensor x = leaf({1});
  Tensor inner = x * scalar(1);
  std::vector<Tensor> parts;
  for (int i = 0; i < 10'000; ++i) parts.push_back(inner * scalar(2));
  Tensor sum = parts[0];
  for (size_t i = 1; i < parts.size(); ++i) sum = sum + parts[i];
  sum.sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(20'000));
}

// ---------------------------------------------------------------------- threads

TEST(Threads, AddToSharedLeaves) {
  Tensor x = leaf({1, 2, 3});
  constexpr int kThreads = 4, kTimes = 200;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < kTimes; ++i) (x * scalar(1)).sum().backward();
    });
  for (std::thread& t : threads) t.join();
  EXPECT_THAT(values_of(x.grad()), Each(kThreads * kTimes));
}

TEST(Threads, GoBackThroughOneGraph) {
  Tensor x = leaf({1, 2, 3});
  Tensor shared = x * x;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) (shared * scalar(2)).sum().backward({}, /*retain_graph=*/true);
    });
  for (std::thread& t : threads) t.join();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(4 * 200, 8 * 200, 12 * 200));
}

TEST(Threads, MayEndWhileTheirTensorsLive) {
  Tensor x = leaf({1, 2}), y;
  std::thread([&] { y = (x * x).exp(); }).join();
  y.sum().backward();
  EXPECT_EQ(x.grad().numel(), 2);
  std::thread([&] { y = Tensor(); }).join();
}

// ---------------------------------------------------------------------- life times

TEST(Life, OfSavedTensorsEndsWithBackward) {
  Tracked memory;
  Tensor x = memory.make().requires_grad_();
  Tensor y = (x * x).sum();
  x = Tensor();
  EXPECT_TRUE(memory.alive());
  y.backward();
  y = Tensor();
  EXPECT_FALSE(memory.alive());
}

TEST(Life, OfAGraphEndsWithItsLastTensor) {
  Tracked memory;
  {
    Tensor x = memory.make().requires_grad_();
    Tensor y = x.exp();
    Tensor z = (y * y).sin();
    z.add_(y);
    z.view({4}).mul_(x);
    EXPECT_TRUE(memory.alive());
  }
  EXPECT_FALSE(memory.alive());
}

TEST(Life, NoCycleThroughHooksAndRetainedGradients) {
  Tracked memory;
  {
    Tensor x = memory.make().requires_grad_();
    Tensor y = x * scalar(2);
    y.retain_grad();
    y.register_hook([](Tensor g) { return g * scalar(2); });
    y.sum().backward();
    EXPECT_TRUE(y.grad().defined());
  }
  EXPECT_FALSE(memory.alive());
}

TEST(Life, NothingLeaksWhenAHookThrows) {
  Tracked memory;
  {
    Tensor x = memory.make().requires_grad_();
    Tensor y = x * x;
    Tensor z = y.exp() * y;
    y.register_hook([](const Tensor&) { throw std::runtime_error("stop"); });
    EXPECT_THROW(z.sum().backward(), std::runtime_error);
    // What did not run is still there: a second pass meets the same hook.
    EXPECT_FALSE(x.grad().defined());
  }
  EXPECT_FALSE(memory.alive());
}

TEST(Life, NothingLeaksWhenAnOpThrows) {
  Tracked memory;
  {
    Tensor x = memory.make().requires_grad_();
    EXPECT_THROW(x * leaf({1, 2, 3}), Error);
    EXPECT_THROW(x.view({3}), Error);
    EXPECT_THROW(x.narrow(0, 3, 5), Error);
    EXPECT_THROW(x.exp().backward(doubles({1, 2})), Error);
    EXPECT_EQ(x.use_count(), 1u);
  }
  EXPECT_FALSE(memory.alive());
}

TEST(Life, NothingLeaksWhenBackwardIsRefused) {
  Tracked memory;
  {
    Tensor x = memory.make().requires_grad_();
    Tensor inner = x * scalar(2);
    Tensor y = (inner * inner).sum();
    inner.add_(scalar(1));
    EXPECT_THROW(y.backward(), Error);
    EXPECT_THROW(autograd::grad({inner.sum()}, {leaf({1})}), Error);
  }
  EXPECT_FALSE(memory.alive());
}

TEST(Life, CreateGraphLeavesNoCycleInGrad) {
  Tracked memory;
  {
    Tensor x = memory.make().requires_grad_();
    const Tensor g = autograd::grad({(x * x * x).sum()}, {x}, {}, true, true)[0];
    EXPECT_TRUE(g.requires_grad());
  }
  EXPECT_FALSE(memory.alive());
}

TEST(Life, ABaseLivesAsLongAsItsViews) {
  Tracked memory;
  Tensor v;
  {
    Tensor x = memory.make();
    v = x.narrow(0, 1, 2);
  }
  EXPECT_TRUE(memory.alive());
  EXPECT_THAT(values_of(v), ElementsAre(1, 1));
  v = Tensor();
  EXPECT_FALSE(memory.alive());
}

}  // namespace
}  // namespace taper::testing
