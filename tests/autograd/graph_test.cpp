// The graph itself: names and edges, depth, threads, life times.
#include <functional>
#include <thread>

#include <taper/framework/debug/run_observer.h>
#include <taper/taper.h>

#include "autograd/util.h"

namespace torch::taper::testing {
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

// Views of one tensor, of which each thread changes its own: none of the changes may be lost.
TEST(Threads, CountTheChangesOfOneStorage) {
  const Tensor x = doubles({1, 2, 3, 4});
  std::vector<std::thread> threads;
  for (int64_t t = 0; t < 4; ++t)
    threads.emplace_back([part = x.narrow(0, t, 1)] {
      for (int i = 0; i < 500; ++i) part.zero_();
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(x._version(), 4 * 500);
}

// Graphs that end while others use the leaf: its accumulator rests, is taken up, or is made anew.
TEST(Threads, DropGraphsOfOneLeaf) {
  Tensor x = leaf({1, 2});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) (x * x).exp();
      (x * scalar(2)).sum().backward();
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(x.use_count(), 1u);
  EXPECT_THAT(values_of(x.grad()), Each(8));
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

TEST(Life, OfALeafEndsWithItsGraph) {
  Tracked memory;
  Tensor x = memory.make().requires_grad_();
  x.exp();  // from now on an accumulator rests
  Tensor y = x * scalar(2);
  EXPECT_EQ(x.use_count(), 2u);  // the accumulator's
  x = Tensor();
  EXPECT_TRUE(memory.alive());
  y = Tensor();
  EXPECT_FALSE(memory.alive());
}

TEST(Life, OfAnAccumulatorsHooksEndsWithIt) {
  Tensor x = leaf({1, 2});
  int calls = 0;
  {
    const Tensor y = x * scalar(2);
    y.grad_fn()->next_edge(0).function->add_pre_hook([&](const autograd::variable_list& grads) {
      ++calls;
      return grads;
    });
    y.sum().backward();
  }
  EXPECT_EQ(calls, 1);
  (x * scalar(2)).sum().backward();
  EXPECT_EQ(calls, 1);
  EXPECT_THAT(values_of(x.grad()), Each(4));
}

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

// ---------------------------------------------------------------------- bytes
/// Bytes of tensors that the calling thread makes on the host and gives back, and their peak.
class Bytes {
 public:
  Bytes() { taper::detail::set_run_observer(&counter()); }
  ~Bytes() { taper::detail::set_run_observer(nullptr); }
  /// Since start().
  int64_t now() const { return counter().now; }
  int64_t peak() const { return counter().peak; }
  void start() { counter().now = counter().peak = 0; }

 private:
  struct Counter final : taper::detail::RunObserver {
    void begin(taper::detail::RunEvent, const char*, Device, uint64_t,
               const std::vector<taper::detail::Access>&) noexcept override {}
    void end() noexcept override {}
    void allocated(const void*, size_t n, Device device) noexcept override {
      if (device.is_cpu()) peak = std::max(peak, now += static_cast<int64_t>(n));
    }
    void freed(const void*, size_t n, Device device) noexcept override {
      if (device.is_cpu()) now -= static_cast<int64_t>(n);
    }
    int64_t now = 0, peak = 0;
  };
  static Counter& counter() {
    static Counter& one = *new Counter;  // observers are never destroyed
    return one;
  }
};

/// What the graph of `op` keeps beside its input and its output.
int64_t kept_by(const std::function<Tensor(const Tensor&)>& op, const std::vector<int64_t>& sizes) {
  const Tensor x = taper::randn(sizes).requires_grad_();
  op(x);  // made once: what libraries keep
  Bytes bytes;
  bytes.start();
  const Tensor y = op(x);
  EXPECT_TRUE(y.requires_grad());
  const bool shares = y.is_alias_of(x);
  return bytes.now() - (shares ? 0 : static_cast<int64_t>(y.nbytes()));
}

TEST(Bytes, OfWhatDerivativesKeep) {
  // 4096 floats, 64 rows of them.
  const std::vector<int64_t> rows = {64, 64};
  const auto kept = [&](const std::function<Tensor(const Tensor&)>& op) {
    return kept_by(op, rows);
  };
  const Tensor other = taper::randn(rows), weight = ones({64}), bias = zeros({64});
  // Either the input or the output.
  EXPECT_EQ(kept([](const Tensor& x) { return x.exp(); }), 0);
  EXPECT_EQ(kept([](const Tensor& x) { return x.relu(); }), 0);
  EXPECT_EQ(kept([](const Tensor& x) { return x.tanh(); }), 0);
  EXPECT_EQ(kept([](const Tensor& x) { return gelu(x); }), 0);
  EXPECT_EQ(kept([](const Tensor& x) { return silu(x); }), 0);
  EXPECT_EQ(kept([](const Tensor& x) { return softmax(x, 1); }), 0);
  EXPECT_EQ(kept([](const Tensor& x) { return log_softmax(x, 1); }), 0);
  EXPECT_EQ(kept([&](const Tensor& x) { return x * other; }), 0);
  EXPECT_EQ(kept([&](const Tensor& x) { return x / other; }), 0);
  EXPECT_EQ(kept([&](const Tensor& x) { return x.matmul(other); }), 0);
  EXPECT_EQ(kept([&](const Tensor& x) { return linear(x, other, bias); }), 0);
  EXPECT_EQ(kept([](const Tensor& x) { return x.view({2, 32, 64}).transpose(0, 1); }), 0);
  // Two numbers for each row or channel.
  EXPECT_EQ(kept([&](const Tensor& x) { return layer_norm(x, {64}, weight, bias); }), 2 * 64 * 4);
  EXPECT_EQ(
      kept([&](const Tensor& x) { return batch_norm(x, weight, bias, {}, {}, true, 0.1, 1e-5); }),
      2 * 64 * 4);
  // A byte for each element, or for each output.
  EXPECT_EQ(kept([](const Tensor& x) { return dropout(x, 0.5, true); }), 4096);
  EXPECT_EQ(kept_by([](const Tensor& x) { return max_pool2d(x, 2); }, {1, 4, 32, 32}), 1024);
  // The logarithm of the sum of each row of scores.
  EXPECT_EQ(kept_by([](const Tensor& x) { return scaled_dot_product_attention(x, x, x); },
                    {1, 2, 32, 64}),
            2 * 32 * 4);
  // Of cross entropy the gradient itself, made with the loss, and two numbers for each row and one.
  const Tensor classes = zeros({64}, TensorOptions(kLong));
  EXPECT_EQ(kept([&](const Tensor& x) { return cross_entropy_loss(x, classes); }),
            4096 * 4 + (2 * 64 + 1) * 4);
}

/// The peak of a second backward pass through ten layers, in weights: gradients are there already.
double peak_of_accumulation(bool held_by_program) {
  std::vector<Tensor> weights;
  for (int i = 0; i < 10; ++i) weights.push_back(taper::randn({128, 128}).requires_grad_());
  const auto forward = [&] {
    Tensor x = taper::randn({2, 128});
    for (const Tensor& w : weights) x = x.matmul(w);
    return x.sum();
  };
  std::vector<autograd::NodePtr> held;
  if (held_by_program)
    for (const Tensor& w : weights) held.push_back(autograd::gradient_edge(w).function);
  forward().backward();
  const Tensor loss = forward();
  Bytes bytes;
  bytes.start();
  loss.backward();
  return static_cast<double>(bytes.peak()) / (128 * 128 * 4);
}

TEST(Bytes, AGradientIsAddedWhenItIsThere) { EXPECT_LT(peak_of_accumulation(false), 1.5); }

// Accumulators that live on come behind the oldest op that ever used their leaf: last.
TEST(Bytes, GradientsOfHeldAccumulatorsWait) { EXPECT_GT(peak_of_accumulation(true), 9); }

}  // namespace
}  // namespace torch::taper::testing
