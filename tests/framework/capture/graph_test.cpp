// Captured steps, on the CPU and on a device alike.
#include <taper/framework/capture/graph.h>

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <thread>

#include <taper/framework/fusion/cpu/fusion.h>
#include <taper/framework/kernel/op_lists.h>
#include <taper/taper.h>

#include "test_util.h"

namespace torch::taper {
namespace {

using testing::expect_error;
using testing::values_of;

class Graphs : public ::testing::TestWithParam<DeviceType> {
 protected:
  void SetUp() override {
    if (GetParam() == kCUDA && !cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  }
  Device device() const { return GetParam() == kCUDA ? Device(kCUDA, 0) : Device(); }
  Tensor full_of(double v, int64_t n = 3) const { return full({n}, v, TensorOptions(device())); }
  /// Nothing may be left over of a capture.
  void expect_usable() const {
    EXPECT_FALSE(GetParam() == kCUDA && cuda::is_current_stream_capturing());
    EXPECT_EQ(values_of((full_of(2) * 3).cpu()), (std::vector<double>{6, 6, 6}));
  }
};

using Values = std::vector<double>;

TEST_P(Graphs, CaptureRunsNothingAndReplayRunsItAll) {
  const Tensor x = full_of(1), y = full_of(0);
  Graph graph(device());
  {
    const GraphGuard guard(graph);
    y.copy_(x * 2 + 1);
  }
  EXPECT_EQ(values_of(y.cpu()), (Values{0, 0, 0}));
  graph.replay();
  EXPECT_EQ(values_of(y.cpu()), (Values{3, 3, 3}));
  x.fill_(5);
  graph.replay();
  EXPECT_EQ(values_of(y.cpu()), (Values{11, 11, 11}));
}

TEST_P(Graphs, ResultsOfTheCaptureStayWhereTheyAre) {
  const Tensor x = full_of(1);
  Graph graph(device());
  Tensor y;
  {
    const GraphGuard guard(graph);
    const Tensor a = x + 1, b = a * 2;  // a and b are gone behind it, and their memory is reused
    y = b - a;
  }
  const void* place = y.data_ptr();
  for (int i = 0; i < 3; ++i) {
    x.fill_(i);
    graph.replay();
    EXPECT_EQ(values_of(y.cpu()), Values(3, i + 1.0));
    EXPECT_EQ(y.data_ptr(), place);
  }
  graph.reset();
  EXPECT_EQ(values_of(y.cpu()), Values(3, 3.0));
}

TEST_P(Graphs, MemoryOfAGraphIsGivenToNobodyElse) {
  const Tensor x = full_of(1, 1000);
  Graph graph(device());
  Tensor y;
  {
    const GraphGuard guard(graph);
    y = (x + 1) * 2;  // x + 1 is free memory of the graph
  }
  std::vector<Tensor> others;
  for (int i = 0; i < 50; ++i) others.push_back(full_of(7, 1000));
  graph.replay();
  for (const Tensor& o : others) EXPECT_EQ(o.sum().item<double>(), 7000);
  EXPECT_EQ(y.sum().item<double>(), 4000);
}

TEST_P(Graphs, BackwardIsCaptured) {
  const Tensor x = full_of(2), w = full_of(3).requires_grad_();
  Graph graph(device());
  Tensor loss;
  {
    const GraphGuard guard(graph);
    loss = (w * x).square().sum();
    loss.backward();
  }
  graph.replay();
  EXPECT_EQ(loss.item<double>(), 108);
  EXPECT_EQ(values_of(w.grad().cpu()), Values(3, 24.0));
  x.fill_(1);
  graph.replay();
  EXPECT_EQ(values_of(w.grad().cpu()), Values(3, 6.0));
}

TEST_P(Graphs, GraphsMayShareAPool) {
  const Tensor x = full_of(1);
  Graph one(device()), two(device());
  const MempoolId_t pool = cuda::graph_pool_handle();
  Tensor y, z;
  {
    const GraphGuard guard(one, pool);
    y = x + 1;
  }
  {
    const GraphGuard guard(two, one.pool());
    z = y * 10;
  }
  EXPECT_EQ(one.pool(), pool);
  EXPECT_EQ(two.pool(), pool);
  one.reset();  // the pool is still there
  const Tensor other = full_of(7);
  y.fill_(4);
  two.replay();
  EXPECT_EQ(values_of(z.cpu()), Values(3, 40.0));
  EXPECT_EQ(values_of(other.cpu()), Values(3, 7.0));
}

// ---------------------------------------------------------------------- random numbers
TEST_P(Graphs, ReplaysDrawTheNumbersThatEagerStepsDraw) {
  const Tensor x = full_of(1, 100);
  const auto step = [&] { return std::vector<Tensor>{dropout(x, 0.5, true), rand_like(x)}; };
  manual_seed(5);
  std::vector<Values> eager;
  for (int i = 0; i < 3; ++i)
    for (const Tensor& t : step()) eager.push_back(values_of(t.cpu()));
  Graph graph(device());
  std::vector<Tensor> results;
  {
    const GraphGuard guard(graph);
    results = step();
  }
  manual_seed(5);
  for (size_t i = 0; i < eager.size(); ++i) {
    if (i % 2 == 0) graph.replay();
    EXPECT_EQ(values_of(results[i % 2].cpu()), eager[i]) << i;
  }
}

TEST_P(Graphs, AGraphKeepsTheGeneratorsItDrawsFrom) {
  Graph graph(device());
  const Tensor y = full_of(0, 10);
  {
    Generator own =
        (GetParam() == kCUDA ? cuda::default_generator(0) : default_generator()).clone();
    own.set_current_seed(3);
    const GraphGuard guard(graph);
    y.uniform_(0, 1, own);
  }
  graph.replay();
  const Values first = values_of(y.cpu());
  graph.replay();
  EXPECT_NE(values_of(y.cpu()), first);
}

// ---------------------------------------------------------------------- what is refused
TEST_P(Graphs, TheHostMayNotLookAtValues) {
  const Tensor x = full_of(1);
  for (const auto& look : std::vector<std::function<void()>>{
           [&] { x.sum().item(); },
           [&] { (void)nonzero(x); },
           [&] { (void)equal(x, x); },
           [&] { std::ostringstream() << x; },
           [&] { (void)repr(x); },
           [&] { manual_seed(1); },
       }) {
    Graph graph(device());
    expect_error("operation not permitted when", [&] {
      const GraphGuard guard(graph);
      look();
    });
    expect_error("without a preceding successful capture", [&] { graph.replay(); });
    expect_usable();
  }
}

TEST_P(Graphs, AStepThatThrowsLeavesGradientsAsTheyWere) {
  const Tensor w = full_of(2).requires_grad_(), v = full_of(3).requires_grad_();
  v.mul(1).sum().backward();
  const Tensor before = v.grad();
  Graph graph(device());
  expect_error("operation not permitted when", [&] {
    const GraphGuard guard(graph);
    (w * v).sum().backward();
    v.mutable_grad() = Tensor();
    w.sum().item();
  });
  EXPECT_FALSE(w.grad().defined());
  EXPECT_TRUE(v.grad().is_same(before));
}

TEST_P(Graphs, MistakesAreTold) {
  Graph graph(device());
  expect_error("Called CUDAGraph::replay without a preceding successful capture.",
               [&] { graph.replay(); });
  expect_error("Called CUDAGraph::pool() without a preceding successful capture.",
               [&] { graph.pool(); });
  expect_error("without a preceding capture_begin", [&] { graph.capture_end(); });
  const Tensor x = full_of(1);
  Tensor y;
  {
    const GraphGuard guard(graph);
    y = x + 1;
    Graph inner(device());
    expect_error("", [&] { inner.capture_begin(); });
    expect_error("already owns a captured graph", [&] { graph.capture_begin(); });
  }
  expect_error("already owns a captured graph", [&] { graph.capture_begin(); });
  graph.replay();
  EXPECT_EQ(values_of(y.cpu()), Values(3, 2.0));
  graph.reset();
  expect_error("without a preceding successful capture", [&] { graph.replay(); });
  {
    const GraphGuard again(graph);
    y = x + 2;
  }
  graph.replay();
  EXPECT_EQ(values_of(y.cpu()), Values(3, 3.0));
}

TEST_P(Graphs, AGraphIsNoPartOfAnother) {
  const Tensor x = full_of(1);
  Graph inner(device()), outer(device());
  {
    const GraphGuard guard(inner);
    x.add_(1);
  }
  expect_error("a graph is no part of another graph", [&] {
    const GraphGuard guard(outer);
    inner.replay();
  });
  expect_usable();
}

TEST_P(Graphs, OtherThreadsGoOn) {
  Graph graph(device());
  const Tensor x = full_of(1);
  const GraphGuard guard(graph);
  double sum = 0;
  std::thread([&] { sum = (full_of(1) + 1).sum().item<double>(); }).join();
  EXPECT_EQ(sum, 6);
  x.add_(1);
}

// ---------------------------------------------------------------------- training
/// A small model with dropout, and the batches that it learns from.
struct Training {
  explicit Training(Device device)
      : net(nn::Linear(4, 16), nn::ReLU(), nn::Dropout(0.3), nn::BatchNorm1d(16),
            nn::Linear(16, 3)) {
    net->to(device);
    x = zeros({8, 4}, TensorOptions(device));
    y = zeros({8}, TensorOptions(kLong).device(device));
  }
  void set_batch(int i) const {
    const NoGradGuard no_grad;
    x.copy_(testing::numbers({8, 4}) * (i + 1));
    y.copy_(testing::counting({8}, kLong, i) % 3);
  }
  void step(optim::Optimizer& optimizer) {
    optimizer.zero_grad();
    const Tensor loss = nll_loss(log_softmax(net->forward(x), 1), y);
    loss.backward();
    optimizer.step();
  }
  std::vector<Values> state() const {
    std::vector<Values> all;
    for (const Tensor& t : net->parameters()) all.push_back(values_of(t.cpu()));
    for (const Tensor& t : net->buffers()) all.push_back(values_of(t.cpu()));
    return all;
  }
  nn::Sequential net;
  Tensor x, y;
};

constexpr int kSteps = 6;

template <class Make>
std::vector<Values> train_eagerly(Device device, const Make& make) {
  manual_seed(11);
  Training t(device);
  const auto optimizer = make(t.net->parameters());
  for (int i = 0; i < kSteps; ++i) {
    t.set_batch(i);
    t.step(*optimizer);
  }
  return t.state();
}

template <class Make>
std::vector<Values> train_by_replays(Device device, const Make& make) {
  manual_seed(11);
  Training t(device);
  const auto optimizer = make(t.net->parameters());
  t.set_batch(0);
  t.step(*optimizer);
  Graph graph(device);
  {
    const GraphGuard guard(graph);
    t.step(*optimizer);
  }
  for (int i = 1; i < kSteps; ++i) {
    t.set_batch(i);
    graph.replay();
  }
  return t.state();
}

template <class Optimizer, class Options>
auto maker(const Options& options) {
  return
      [options](const std::vector<Tensor>& p) { return std::make_unique<Optimizer>(p, options); };
}

TEST_P(Graphs, ReplaysTrainAsEagerSteps) {
  const auto expect_same = [&](const auto& eager, const auto& captured) {
    EXPECT_EQ(train_by_replays(device(), captured), train_eagerly(device(), eager));
  };
  const auto sgd = maker<optim::SGD>(optim::SGDOptions(0.1));
  const auto momentum = maker<optim::SGD>(optim::SGDOptions(0.1).momentum(0.9).dampening(0.5));
  const auto adam = maker<optim::Adam>(optim::AdamOptions(0.01));
  const auto capturable = maker<optim::Adam>(optim::AdamOptions(0.01).capturable(true));
  const auto adamw = maker<optim::AdamW>(optim::AdamWOptions(0.01).amsgrad(true));
  const auto capturable_w =
      maker<optim::AdamW>(optim::AdamWOptions(0.01).amsgrad(true).capturable(true));
  expect_same(sgd, sgd);
  expect_same(momentum, momentum);
  expect_same(adam, capturable);
  expect_same(adamw, capturable_w);
  expect_same(maker<optim::RMSprop>(optim::RMSpropOptions(0.01)),
              maker<optim::RMSprop>(optim::RMSpropOptions(0.01)));
}

TEST_P(Graphs, ACapturableAdamKnowsItsSteps) {
  const Tensor w = full_of(1).requires_grad_();
  optim::Adam adam({w}, optim::AdamOptions(0.1).capturable(true));
  w.mutable_grad() = full_of(1);
  adam.step();
  Graph graph(device());
  {
    const GraphGuard guard(graph);
    adam.step();
  }
  graph.replay();
  graph.replay();
  const auto& state = static_cast<const optim::AdamParamState&>(*adam.state().begin()->second);
  EXPECT_EQ(state.step(), 3);
}

TEST_P(Graphs, OptimizersThatAReplayWouldGetWrongAreRefused) {
  const Tensor w = full_of(1).requires_grad_();
  w.mutable_grad() = full_of(1);
  optim::Adam adam({w}, optim::AdamOptions(0.1));
  adam.step();
  Graph one(device()), two(device());
  expect_error(
      "Attempting CUDA graph capture of step() for an instance of Adam but this instance was "
      "constructed with capturable=False.",
      [&] {
        const GraphGuard guard(one);
        adam.step();
      });
  optim::NAdam nadam({w});
  nadam.step();
  Graph three(device());
  expect_error("NAdam: each step has numbers of its own", [&] {
    const GraphGuard guard(three);
    nadam.step();
  });
  optim::SGD sgd({w}, optim::SGDOptions(0.1).momentum(0.9));
  expect_error("SGD: the first step makes the state of a parameter", [&] {
    const GraphGuard guard(two);
    sgd.step();
  });
  expect_usable();
}

TEST_P(Graphs, NumbersOfTheProgramAreConstantsOfTheGraph) {
  const Tensor x = full_of(1);
  Graph graph(device());
  const Tensor y = full_of(0);
  if (GetParam() == kCUDA)  // they would be copied from pageable memory
    return expect_error("pageable host memory", [&] {
      const GraphGuard guard(graph);
      y.copy_(x + tensor({1.0f, 2.0f, 3.0f}, TensorOptions(device())));
    });
  {
    const GraphGuard guard(graph);
    y.copy_(x + tensor({1, 2, 3}, TensorOptions(kFloat)));
  }
  const Tensor other = full_of(9);
  graph.replay();
  EXPECT_EQ(values_of(y), (Values{2, 3, 4}));
}

#include "framework/capture/chains_test.inc"

INSTANTIATE_TEST_SUITE_P(Devices, Graphs, ::testing::Values(kCPU, kCUDA),
                         [](const auto& info) { return info.param == kCPU ? "CPU" : "CUDA"; });

}  // namespace
}  // namespace torch::taper
