// Captured steps, on the CPU and on a device alike.
#include <taper/framework/runtime/graph.h>

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <thread>

#include <taper/framework/cpu/fusion.h>
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

// ---------------------------------------------------------------------- chains
using Step = std::function<std::vector<Tensor>()>;

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.sizes() == b.sizes() && a.dtype() == b.dtype() &&
         std::memcmp(a.data_ptr(), b.data_ptr(), a.numel() * a.element_size()) == 0;
}

/// Whether replays give an eager step's bits, for inputs that change between them, in so many
/// chains, or one at least.
void expect_chains(std::optional<uint64_t> chains, const std::vector<Tensor>& inputs,
                   const Step& step) {
  const NoGradGuard values_only;
  const auto set = [&](int i) {
    manual_seed(i);
    for (const Tensor& x : inputs) x.copy_(randn(x.sizes()).mul_(3));
  };
  Graph graph{Device()};
  std::vector<Tensor> results;
  set(0);
  {
    const GraphGuard guard(graph);
    results = step();
  }
  for (int i = 1; i < 3; ++i) {
    set(i);
    std::vector<Tensor> eager, after;
    for (const Tensor& y : step()) eager.push_back(y.clone());
    for (const Tensor& x : inputs) after.push_back(x.clone());
    set(i);
    const uint64_t before = cpu::chains_run();
    graph.replay();
    const uint64_t run = cpu::chains_run() - before;
    EXPECT_TRUE(chains ? run == *chains : run > 0) << run << " chains";
    for (size_t k = 0; k < eager.size(); ++k) EXPECT_TRUE(same_bits(results[k], eager[k])) << k;
    for (size_t k = 0; k < after.size(); ++k) EXPECT_TRUE(same_bits(inputs[k], after[k])) << k;
  }
}

TEST(Chains, AreTheEagerStepBitForBit) {
  for (const ScalarType dtype : {kFloat, kDouble, kBFloat16, kHalf})
    for (const int64_t n : {16384, 20011, 300001}) {
      SCOPED_TRACE(detail::concat(toString(dtype), " ", n));
      const Tensor x = zeros({n}, dtype), y = zeros({n}, dtype);
      expect_chains(1, {x, y}, [&] {
        return std::vector<Tensor>{((((x * 1.5 + y).relu() - x) * y + 0.5).neg()).tanh()};
      });
      expect_chains(1, {x, y}, [&] {
        const Tensor a = x.exp(), b = a > y, c = where(b, a, y);
        return std::vector<Tensor>{a, b, c, c.pow(2), addcmul(a, x, c, 0.25), lerp(a, c, 0.3)};
      });
    }
}

// A step of random ops on what there is so far; half of the results are kept, the others end.
std::vector<Tensor> random_step(unsigned seed, const std::vector<Tensor>& inputs) {
  std::mt19937 random(seed);
  std::vector<Tensor> have = {inputs[0], inputs[1]}, kept;
  const auto any = [&](const auto& list) { return list[random() % list.size()]; };
  for (int i = 0; i < 20; ++i) {
    const Tensor a = any(have), b = random() % 3 ? any(have) : any(inputs);
    const unsigned op = random() % 10;
    Tensor y = op == 0   ? a + b
               : op == 1 ? a * b
               : op == 2 ? a - b
               : op == 3 ? a.tanh()
               : op == 4 ? a * 0.5
               : op == 5 ? where(a > 0, a, b.to(a.scalar_type()))
               : op == 6 ? a.sigmoid()
               : op == 7 ? silu(a)
               : op == 8 ? a.to(kBFloat16).to(a.scalar_type())
                         : lerp(a, a.neg(), 0.25);
    if (random() % 4 == 0) y.clamp_(-1, 1).sub_(0.5);
    if (random() % 2) kept.push_back(y);
    if (random() % 8 == 0) inputs[0].copy_(y);
    have.push_back(y);
    if (have.size() > 4) have.erase(have.begin());
  }
  kept.push_back(have.back());
  return kept;
}

TEST(Chains, OfRandomOpsAreTheEagerStep) {
  for (const ScalarType dtype : {kFloat, kDouble, kBFloat16})
    for (unsigned seed = 0; seed < 60; ++seed) {
      SCOPED_TRACE(detail::concat(toString(dtype), " ", seed));
      const std::vector<Tensor> inputs = {zeros({301, 64}, dtype), zeros({301, 64}, dtype),
                                          zeros({64}, dtype), zeros({301, 1}, dtype),
                                          zeros({}, dtype)};
      expect_chains(nullopt, inputs, [&] { return random_step(seed, inputs); });
    }
}

TEST(Chains, WriteInPlace) {
  const Tensor x = zeros({20000}), y = zeros({20000});
  expect_chains(1, {x, y}, [&] {
    x.mul_(y).add_(1).clamp_(-2, 2);
    y.sub_(x);
    return std::vector<Tensor>{x * y};
  });
}

TEST(Chains, BroadcastRowsAndColumns) {
  for (const int64_t cols : {7, 100, 5000}) {
    SCOPED_TRACE(cols);
    const Tensor x = zeros({1203, cols}), bias = zeros({cols}), column = zeros({1203, 1}),
                 one = zeros({});
    expect_chains(1, {x, bias, column, one}, [&] {
      return std::vector<Tensor>{((x + bias).sigmoid() * column - one) / bias};
    });
  }
}

TEST(Chains, BroadcastChannelsOfImages) {
  for (const int64_t side : {6, 13, 40}) {
    SCOPED_TRACE(side);
    const Tensor x = zeros({8, 16, side, side}), scale = zeros({16, 1, 1}),
                 shift = zeros({1, 16, 1, 1}), sample = zeros({8, 1, 1, 1}),
                 each = zeros({8, 16, 1, 1});
    expect_chains(1, {x, scale, shift, sample, each}, [&] {
      const Tensor y = (x.tanh() * scale + shift).relu();
      return std::vector<Tensor>{(y - each) * 0.5, y * sample};
    });
  }
  // Nothing of two parts holds both; what has come before is kept.
  const Tensor x = zeros({30, 20, 40}), row = zeros({40}), column = zeros({30, 1, 1}),
               middle = zeros({20, 1});
  expect_chains(1, {x, row, column, middle},
                [&] { return std::vector<Tensor>{((x + row) * column - middle).sigmoid()}; });
}

TEST(Chains, ReadAndWriteRowsWithGaps) {
  for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{130, 140}, {3, 130, 140}}) {
    const Tensor u = zeros(sizes), next = zeros(sizes), bias = zeros({138});
    const auto part = [](const Tensor& t, int64_t i, int64_t j) {
      return t.slice(-2, i, i + 128).slice(-1, j, j + 138);
    };
    const auto around = [&] {
      return part(u, 0, 1) + part(u, 2, 1) + part(u, 1, 0) + part(u, 1, 2) - part(u, 1, 1) * 4;
    };
    expect_chains(1, {u, next, bias}, [&] {
      const Tensor change = around() + bias;
      part(next, 1, 1).copy_((change > 0).to(kFloat) * change);
      return std::vector<Tensor>{change};
    });
    // What the chain reads beside a place may not be written there before it is read.
    expect_chains(1, {u, next, bias}, [&] {
      const Tensor change = around() * 0.1;
      part(u, 1, 1).add_(change);
      return std::vector<Tensor>{change};
    });
  }
}

TEST(Chains, ConvertAndMixDtypes) {
  const Tensor x = zeros({40000}), y = zeros({40000}, kBFloat16);
  expect_chains(1, {x, y}, [&] {
    const Tensor narrow = (x * 2).to(kBFloat16) + y;
    return std::vector<Tensor>{narrow, gelu(narrow.to(kFloat)).to(kDouble) * 3, narrow.to(kInt)};
  });
}

TEST(Chains, EndWhereAnElementNeedsOthers) {
  const Tensor x = zeros({40000}), y = zeros({40000});
  const Tensor from = x.narrow(0, 0, 30000), to = x.narrow(0, 1, 30000);
  expect_chains(2, {x, y}, [&] {  // what one writes the other reads at another place
    const Tensor a = (from * 2).exp();
    to.copy_(a);
    return std::vector<Tensor>{from + 1, from * 2};
  });
  expect_chains(2, {x, y}, [&] {
    const Tensor a = (x * 2).tanh();
    return std::vector<Tensor>{(a - a.sum()).exp()};
  });
  expect_chains(0, {x, y}, [&] { return std::vector<Tensor>{x * y[0], x.flip(0).exp()}; });
}

TEST(Chains, LayTilesOverThoseThatAreReadNoMore) {
  const Tensor x = zeros({40000}), y = zeros({40000});
  // All sums of an expression live until its end, and their memory serves what comes behind it:
  // smaller elements at places where larger ones were.
  expect_chains(1, {x, y}, [&] {
    const Tensor sum = x * 1 + y * 2 + x * 3 + y * 4 + x * 5 + y * 6 + x * 7 + y * 8 + x * 9;
    const Tensor mask = (sum > 0).logical_or((x < 0).logical_and(y < sum)).logical_not();
    return std::vector<Tensor>{mask.to(kFloat) * sum, (sum.to(kDouble) * 2).to(kBFloat16)};
  });
  // More values at a time than a core's cache has tiles for.
  expect_chains(nullopt, {x, y}, [&] {
    std::vector<Tensor> all;
    for (int i = 0; i < 20; ++i) all.push_back(x * (i + 1));
    Tensor sum = y;
    for (const Tensor& t : all) sum = sum * 0.5 + t;
    for (const Tensor& t : all) sum = sum - t;
    return std::vector<Tensor>{sum};
  });
}

TEST(Chains, AreSharedByThreads) {
  const int before = get_num_threads();
  for (const int threads : {1, 4}) {
    set_num_threads(threads);
    const Tensor x = zeros({1000003}), y = zeros({1000003});
    expect_chains(1, {x, y}, [&] { return std::vector<Tensor>{(x * y).sin() + y, x - y}; });
  }
  set_num_threads(before);
}

INSTANTIATE_TEST_SUITE_P(Devices, Graphs, ::testing::Values(kCPU, kCUDA),
                         [](const auto& info) { return info.param == kCPU ? "CPU" : "CUDA"; });

}  // namespace
}  // namespace torch::taper
