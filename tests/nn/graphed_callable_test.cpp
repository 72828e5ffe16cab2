#include <taper/nn/graphed_callable.h>

#include <gtest/gtest.h>

#include <taper/framework/autograd/saved_hooks.h>
#include <taper/framework/runtime/launch_host.h>
#include <taper/nn/compile.h>
#include <taper/taper.h>

#include "harness/devices.h"
#include "test_util.h"

namespace torch::taper {
namespace {

using testing::expect_error;

std::vector<Device> kinds_of_devices() {
  std::vector<Device> all = {Device(kCPU)};
  if (cuda::is_available()) all.push_back(Device(kCUDA, 0));
  return all;
}

nn::Sequential network(Device device) {
  manual_seed(3);
  nn::Sequential net(nn::Linear(4, 8), nn::Tanh(), nn::Linear(8, 2));
  net->to(device);
  return net;
}

// Losses and the last gradient of a few steps with the network, or its graphed form.
std::vector<double> train(Device device, bool graphed) {
  nn::Sequential net = network(device);
  optim::SGD sgd(net->parameters(), optim::SGDOptions(0.1).momentum(0.9));
  const auto step = [&](const auto& forward, const Tensor& x) {
    const Tensor loss = mse_loss(forward(x), x.narrow(1, 0, 2));
    sgd.zero_grad();
    loss.backward();
    sgd.step();
    return loss.item<double>();
  };
  std::vector<double> losses;
  const auto forward = [&](const Tensor& x) { return net->forward(x); };
  const auto fast = cuda::make_graphed_callables(
      [&](const Tensor& x) { return net->forward(x); }, {zeros({5, 4}, device)},
      cuda::GraphedCallableOptions().parameters(net->parameters()));
  manual_seed(4);
  for (int i = 0; i < 4; ++i) {
    const Tensor x = randn({5, 4}).to(device);
    losses.push_back(graphed ? step(fast, x) : step(forward, x));
  }
  losses.push_back(net->parameters()[0].grad().sum().item<double>());
  return losses;
}

TEST(GraphedCallable, TrainsAsTheModuleDoes) {
  for (const Device device : kinds_of_devices()) {
    SCOPED_TRACE(device.str());
    const auto eager = train(device, false), graphed = train(device, true);
    ASSERT_EQ(eager.size(), graphed.size());
    for (size_t i = 0; i < eager.size(); ++i) EXPECT_NEAR(eager[i], graphed[i], 1e-6);
    EXPECT_NE(graphed[0], graphed[1]);
  }
}

TEST(GraphedCallable, GivesGradientsToArgumentsAndManyOutputs) {
  for (const Device device : kinds_of_devices()) {
    SCOPED_TRACE(device.str());
    const auto body = [](const Tensor& x, const Tensor& y) {
      return std::vector<Tensor>{x * y, y.detach() + 1, x.exp()};
    };
    const TensorOptions options = TensorOptions(device).dtype(kDouble);
    const auto fast = cuda::make_graphed_callables(
        body, {zeros({3}, options).requires_grad_(), zeros({3}, options)});
    const Tensor x = tensor({1., 2., 3.}, options).requires_grad_(),
                 y = tensor({4., 5., 6.}, options);
    const Tensor earlier = x * 1;  // no leaf
    const auto out = fast.call({earlier, y});
    EXPECT_FALSE(out[1].requires_grad());
    EXPECT_TRUE(out[1].equal(y + 1));
    out[0].sum().backward({}, true);
    EXPECT_TRUE(x.grad().equal(y));
    (out[2] * 2).sum().backward();
    EXPECT_TRUE(x.grad().allclose(y + x.detach().exp() * 2));
    const NoGradGuard values_only;
    EXPECT_FALSE(fast.call({earlier, y})[0].requires_grad());
  }
}

TEST(GraphedCallable, TakesModules) {
  nn::Linear linear(3, 2);
  const auto fast = cuda::make_graphed_callables(linear, {zeros({4, 3})});
  const auto pointer = cuda::make_graphed_callables(linear.ptr(), {zeros({4, 3})});
  const Tensor x = testing::numbers({4, 3});
  EXPECT_TRUE(fast(x).equal(linear->forward(x)));
  fast(x).sum().backward();
  const Tensor once = linear->weight.grad().clone();
  pointer(x).sum().backward();
  EXPECT_TRUE(linear->weight.grad().equal(once * 2));
}

TEST(GraphedCallable, AModuleInAnotherModeRunsAsItIs) {
  nn::Dropout dropout(0.5);
  const auto fast = cuda::make_graphed_callables(dropout, {zeros({64})});
  const Tensor x = ones({64});
  const Tensor first = fast(x).clone(), second = fast(x);
  EXPECT_FALSE(first.equal(second));  // fresh numbers in each replay
  dropout->eval();
  EXPECT_TRUE(fast(x).equal(x));
}

TEST(GraphedCallable, RefusesOtherArguments) {
  const auto fast =
      cuda::make_graphed_callables([](const Tensor& x) { return x * 2; }, {zeros({3})});
  expect_error("GraphedCallable: expected argument 0 to be like its sample, Float [3] on cpu",
               [&] { fast(zeros({4})); });
  expect_error("GraphedCallable: expected 1 arguments, got 2",
               [&] { fast(zeros({3}), zeros({3})); });
  expect_error("GraphedCallable: argument 0 wants a gradient, and its sample did not",
               [&] { fast(zeros({3}).requires_grad_()); });
  const auto two = [](const Tensor& x) { return std::vector<Tensor>{x * 1, x * 2}; };
  expect_error("GraphedCallable: expected one output, got 2; use call()",
               [&] { cuda::make_graphed_callables(two, {zeros({3})})(zeros({3})); });
  expect_error("make_graphed_callables: expected a callable that takes 2 tensors", [&] {
    cuda::make_graphed_callables(two, {zeros({3}), zeros({3})});
  });
  expect_error("make_graphed_callables: expected at least one sample argument",
               [&] { cuda::make_graphed_callables(two, {}); });
  const auto squares = cuda::make_graphed_callables([](const Tensor& x) { return x * x; },
                                                    {zeros({3}).requires_grad_()});
  const Tensor x = ones({3}).requires_grad_(), y = squares(x).sum();
  expect_error("GraphedCallable: its gradient has no gradient",
               [&] { autograd::grad({y}, {x}, {}, true, true); });
}

// ---------------------------------------------------------------------- compile
TEST(Compile, TrainsAsTheModuleDoes) {
  for (const Device device : kinds_of_devices()) {
    SCOPED_TRACE(device.str());
    const auto losses = [&](bool compiled) {
      nn::Sequential net = network(device);
      net->push_back(nn::BatchNorm1d(2));
      net->push_back(nn::Dropout(0.25));
      net->to(device);
      const CompiledCallable fast = compile(net);
      optim::SGD sgd(net->parameters(), optim::SGDOptions(0.1).momentum(0.9));
      std::vector<double> all;
      for (int i = 0; i < 6; ++i) {
        const Tensor x = testing::numbers({i < 4 ? 5 : 7, 4}).to(device) * (i + 1);
        const Tensor loss = mse_loss(compiled ? fast(x) : net->forward(x), x.narrow(1, 0, 2));
        sgd.zero_grad();
        loss.backward();
        sgd.step();
        all.push_back(loss.item<double>());
      }
      EXPECT_EQ(fast.captures(), compiled ? 2 : 0);
      for (const Tensor& b : net->buffers()) all.push_back(b.to(kDouble).sum().item<double>());
      return all;
    };
    EXPECT_EQ(losses(true), losses(false));
  }
}

TEST(Compile, GuardsAndCapturesAnew) {
  const CompiledCallable fast = compile([](const Tensor& x) { return (x * 2).exp(); });
  const auto expect_calls = [&](const Tensor& x, int64_t captures) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(fast(x + i).equal(((x + i) * 2).exp()));
      EXPECT_EQ(fast.fallback_reason().empty(), i > 0) << fast.fallback_reason();
    }
    EXPECT_EQ(fast.captures(), captures);
  };
  expect_calls(zeros({3}), 1);
  expect_calls(zeros({4}), 2);
  expect_calls(zeros({4}, kDouble), 3);
  expect_calls(zeros({2, 2}), 4);
  expect_calls(zeros({4}).requires_grad_(), 5);
  if (cuda::is_available()) expect_calls(zeros({4}, Device(kCUDA, 0)), 6);
  nn::Dropout dropout(0.5);
  const CompiledCallable module = compile(dropout);
  for (int i = 0; i < 2; ++i) module(ones({64}));
  dropout->eval();
  EXPECT_TRUE(module(ones({64})).equal(ones({64})));
}

TEST(Compile, ResultsOfEarlierCallsStay) {
  const CompiledCallable fast = compile([](const Tensor& x) { return x * x; });
  const Tensor x = ones({3}).requires_grad_(), y = full({3}, 2.).requires_grad_();
  fast(x);
  const Tensor a = fast(x), b = fast(y);
  EXPECT_EQ(fast.fallback_reason(), "backward of an earlier call is to come");
  EXPECT_TRUE(a.equal(ones({3})));
  (a + b).sum().backward();
  EXPECT_TRUE(x.grad().equal(full({3}, 2.)));
  EXPECT_TRUE(y.grad().equal(full({3}, 4.)));
  const NoGradGuard values_only;
  fast(x);
  const Tensor c = fast(x), d = fast(y);
  EXPECT_EQ(fast.fallback_reason(), "");
  EXPECT_TRUE(c.equal(ones({3})) && d.equal(full({3}, 4.)));
}

TEST(Compile, FindsTheLeavesOfAFunction) {
  Tensor w = full({3}, 3.).requires_grad_();
  const CompiledCallable fast = compile([&w](const Tensor& x) { return w * x; });
  for (int i = 0; i < 3; ++i) fast(ones({3})).sum().backward();
  EXPECT_EQ(fast.fallback_reason(), "");
  EXPECT_TRUE(w.grad().equal(full({3}, 3.)));
}

TEST(Compile, FallsBackWithAReason) {
  const Tensor w = ones({3}).requires_grad_(), made = w * 2;
  const auto expect_reason = [](const std::string& reason, const auto& f, const auto& same) {
    const CompiledCallable fast = compile(f), strict = compile(f, CompileOptions().fullgraph(true));
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(fast(ones({3})).equal(same));
    EXPECT_NE(fast.fallback_reason().find(reason), std::string::npos) << fast.fallback_reason();
    EXPECT_EQ(fast.captures(), 0);
    expect_error("compile: ", [&] {
      strict(ones({3}));
      strict(ones({3}));
    });
  };
  expect_reason(
      "operation not permitted when the CPU is capturing",
      [](const Tensor& x) { return x.sum().item<float>() > 0 ? x + 1 : x; }, full({3}, 2.));
  expect_reason(
      "writes to an argument", [](Tensor x) { return x.add_(1) * 1; }, full({3}, 2.));
  expect_reason(
      "returns an argument", [](const Tensor& x) { return x.view({3}); }, ones({3}));
  expect_reason(
      "uses a tensor with a history", [&](const Tensor& x) { return made * x; }, full({3}, 2.));
  const CompiledCallable few =
      compile([](const Tensor& x) { return x * 2; }, CompileOptions().max_captures(1));
  few(ones({3}));
  EXPECT_TRUE(few(ones({4})).equal(full({4}, 2.)));
  EXPECT_EQ(few.fallback_reason(),
            "more kinds of arguments, or states of the module, than max_captures");
  expect_error("compile: expected max_captures to be 1 or more, got 0", [] {
    compile([](const Tensor& x) { return x; }, CompileOptions().max_captures(0));
  });
}

TEST(GraphedCallable, BackwardOfAnEarlierCallIsRefused) {
  const auto fast = cuda::make_graphed_callables([](const Tensor& x) { return x * x; },
                                                 {zeros({3}).requires_grad_()});
  const Tensor x = ones({3}).requires_grad_(), a = fast(x);
  EXPECT_TRUE(fast.is_pending());
  fast(x).sum().backward();
  expect_error("GraphedCallable: expected backward of a call before the next call",
               [&] { a.sum().backward(); });
  EXPECT_FALSE(fast.is_pending());
}

// ---------------------------------------------------------------- launches made ready
using Step = std::function<std::vector<Tensor>()>;

/// What a step gives for new values of its inputs is the same by a replay as eagerly, bit for bit;
/// returns it.
std::vector<Tensor> results_of_replay(const std::string& what, const std::vector<Tensor>& inputs,
                                      const Step& step) {
  Graph graph{Device()};
  std::vector<Tensor> replayed, eager;
  {
    const GraphGuard guard(graph);
    replayed = step();
  }
  const NoGradGuard values_only;
  manual_seed(7);
  for (const Tensor& x : inputs) x.copy_(randn(x.sizes()));
  {
    const AutoGradMode as_captured(true);
    for (const Tensor& y : step()) eager.push_back(y.detach().clone());
  }
  graph.replay();
  for (size_t k = 0; k < eager.size(); ++k)
    EXPECT_TRUE(replayed[k].equal(eager[k])) << what << ": result " << k;
  return eager;
}

TEST(PreparedLaunches, OfProductsOfEveryShapeAndLayout) {
  for (const ScalarType t : {kFloat, kDouble})
    for (const int64_t m : {2, 7, 8, 9, 33})
      for (const int64_t n : {4, 10, 16, 31, 64, 65})
        for (const int64_t k : {2, 16, 40, 64, 70}) {
          const Tensor x = zeros({m, k}, t), w = zeros({n, k}, t), bias = zeros({n}, t),
                       c = zeros({m, n}, t), across = zeros({k, m}, t);
          const std::string what = std::to_string(m) + "x" + std::to_string(n) + "x" +
                                   std::to_string(k) + " of " + toString(t);
          const auto products = results_of_replay(what, {x, w, bias, c, across}, [&] {
            return std::vector<Tensor>{linear(x, w, bias),
                                       mm(x, w.t()),
                                       mm(x, w.t().contiguous()),
                                       mm(across.t(), w.t()),
                                       addmm(bias, x, w.t(), 1, -0.5),
                                       addmm(c, x, w.t(), 2, 3),
                                       addmm(bias.narrow(0, 0, 1), x, w.t())};
          });
          const auto exact = [&](const Tensor& a) { return (a.unsqueeze(1) * w).sum(2); };
          const Tensor of_x = exact(x);
          const std::vector<Tensor> want = {
              of_x + bias,      of_x,          of_x, exact(across.t()), bias - 0.5 * of_x,
              2 * c + 3 * of_x, of_x + bias[0]};
          for (size_t i = 0; i < want.size(); ++i)
            EXPECT_TRUE(products[i].allclose(want[i], 1e-4, 1e-3)) << what << ": " << i;
        }
}

TEST(PreparedLaunches, OfSumsOfFewRows) {
  for (const int64_t rows : {2, 3, 4, 8, 63, 64, 65})
    for (const int64_t columns : {2, 10, 16, 33}) {
      const Tensor x = zeros({rows, columns}), parts = zeros({2, rows, columns});
      const std::string what = std::to_string(rows) + "x" + std::to_string(columns);
      const auto sums = results_of_replay(what, {x, parts}, [&] {
        return std::vector<Tensor>{x.sum(0),     x.mean(0),      parts.sum({0, 1}),
                                   parts.sum(0), x.sum(0, true), x.sum(1)};
      });
      const Tensor wide = x.to(kDouble), all = parts.to(kDouble);
      const std::vector<Tensor> want = {wide.sum(0), wide.mean(0),      all.sum({0, 1}),
                                        all.sum(0),  wide.sum(0, true), wide.sum(1)};
      for (size_t i = 0; i < want.size(); ++i)
        EXPECT_TRUE(sums[i].to(kDouble).allclose(want[i], 1e-6, 1e-5)) << what << ": " << i;
    }
}

TEST(PreparedLaunches, OfCrossEntropyOfFewClasses) {
  for (const int64_t classes : {2, 3, 4, 5, 8, 9, 10, 15, 16, 17, 33}) {
    const Tensor x = zeros({9, classes}).requires_grad_(), weight = rand({classes}) + 0.5;
    Tensor target = arange(9).remainder(classes);
    target[4] = -100;
    const auto loss_of = [&](const Tensor& scores, const Tensor& w, int64_t reduction) {
      return cross_entropy_loss(scores, target, w, reduction);
    };
    const auto step = [&](const Tensor& scores) {
      std::vector<Tensor> all;
      for (const int64_t reduction : {Reduction::Mean, Reduction::Sum})
        for (const Tensor& w : {Tensor(), weight}) {
          all.push_back(loss_of(scores, w.defined() ? w.to(scores.scalar_type()) : w, reduction));
          all.push_back(autograd::grad({all.back()}, {scores})[0]);
        }
      return all;
    };
    const auto got =
        results_of_replay(std::to_string(classes) + " classes", {x}, [&] { return step(x); });
    const auto want = step(x.detach().to(kDouble).requires_grad_());
    for (size_t i = 0; i < want.size(); ++i)
      EXPECT_TRUE(got[i].to(kDouble).allclose(want[i], 1e-5, 1e-5)) << classes << ": " << i;
  }
}

// Parameters of several dtypes, one with gaps, and steps with numbers of their own.
template <class Optimizer, class Options>
void expect_replayed_steps(const char* name, const Options& options) {
  const auto train = [&](bool replays) {
    manual_seed(5);
    std::vector<Tensor> parameters;
    for (const ScalarType t : {kFloat, kDouble, kBFloat16, kHalf, kFloat})
      parameters.push_back(randn({3, 7}).to(t).requires_grad_());
    parameters.push_back(randn({5, 6}).t().requires_grad_());
    Optimizer optimizer(parameters, options);
    const auto step = [&] {
      optimizer.zero_grad();
      for (const Tensor& p : parameters) (p * p * 0.5 + p).sum().backward();
      optimizer.step();
    };
    step();
    Graph graph{Device()};
    if (replays) {
      const GraphGuard guard(graph);
      step();
    }
    for (int i = 0; i < 4; ++i) replays ? graph.replay() : step();
    return parameters;
  };
  const auto eager = train(false), replayed = train(true);
  for (size_t i = 0; i < eager.size(); ++i)
    EXPECT_TRUE(replayed[i].equal(eager[i])) << name << ": parameter " << i;
}

TEST(PreparedLaunches, OfOptimizersAreTheEagerSteps) {
  using namespace optim;
  expect_replayed_steps<SGD>("SGD", SGDOptions(0.1).weight_decay(0.1));
  expect_replayed_steps<SGD>("momentum", SGDOptions(0.1).momentum(0.9).nesterov(true));
  expect_replayed_steps<Adam>("Adam", AdamOptions(0.1).capturable(true));
  expect_replayed_steps<AdamW>("AdamW", AdamWOptions(0.1).amsgrad(true).capturable(true));
  expect_replayed_steps<RMSprop>("RMSprop", RMSpropOptions(0.1).momentum(0.5).centered(true));
}

// ---------------------------------------------------------------- budgets of memory
/// Blocks whose hidden layers are made of what is kept anyhow, one of them of the other one: gelu
/// of a linear layer, a product of it and another layer; dropout is drawn once.
struct Blocks : nn::Module {
  explicit Blocks(int64_t count, double dropout) : rate(dropout) {
    for (int64_t i = 0; i < count; ++i) {
      up->push_back(nn::Linear(32, 128));
      gate->push_back(nn::Linear(32, 128));
      down->push_back(nn::Linear(128, 32));
    }
    register_module("up", up);
    register_module("gate", gate);
    register_module("down", down);
  }
  Tensor forward(Tensor x) {
    for (size_t i = 0; i < up->size(); ++i) {
      const Tensor h = gelu(up[i]->as<nn::Linear>()->forward(x));
      const Tensor wide = h * gate[i]->as<nn::Linear>()->forward(x);
      x = x + torch_dropout(down[i]->as<nn::Linear>()->forward(wide));
    }
    return x;
  }
  Tensor torch_dropout(const Tensor& x) const { return dropout(x, rate, is_training()); }
  double rate;
  nn::ModuleList up, gate, down;
};

/// Outputs and gradients of two calls, and what they take.
struct OfBudget {
  std::vector<Tensor> values;
  size_t planned, recomputed;
};
OfBudget run_with_budget(int64_t budget, double rate, bool bf16 = false) {
  manual_seed(2);
  const auto net = std::make_shared<Blocks>(4, rate);
  if (bf16) net->to(kBFloat16);
  const ScalarType t = bf16 ? kBFloat16 : kFloat;
  const auto fast = cuda::make_graphed_callables(
      net, {zeros({96, 32}, t).requires_grad_()},
      cuda::GraphedCallableOptions().num_warmup_iters(1).memory_budget(budget));
  OfBudget result{{}, fast.memory().planned, fast.recomputed()};
  manual_seed(8);
  for (int i = 0; i < 2; ++i) {
    const Tensor x = randn({96, 32}).to(t).requires_grad_();
    const Tensor y = fast(x);
    result.values.push_back(y.detach().clone());
    y.to(kFloat).square().sum().backward();
    result.values.push_back(x.grad().clone());
  }
  for (const Tensor& p : net->parameters()) result.values.push_back(p.grad().clone());
  return result;
}

TEST(MemoryBudget, MakesResultsAgainWithTheSameBits) {
  for (const auto& [rate, bf16] : {std::pair{0., false}, {0.3, false}, {0., true}}) {
    const OfBudget free = run_with_budget(0, rate, bf16), least = run_with_budget(1, rate, bf16);
    EXPECT_EQ(free.recomputed, 0u);
    // gelu and the product in each block; in backward there are those of one block at a time.
    const size_t hidden = 96 * 128 * (bf16 ? 2 : 4);
    EXPECT_EQ(least.recomputed, 8 * hidden);
    EXPECT_LE(least.planned, free.planned - 5 * hidden) << rate << " " << bf16;
    ASSERT_EQ(least.values.size(), free.values.size());
    for (size_t i = 0; i < free.values.size(); ++i)
      EXPECT_TRUE(least.values[i].equal(free.values[i])) << rate << " " << bf16 << ": " << i;
    const auto between = static_cast<int64_t>((free.planned + least.planned) / 2);
    const OfBudget some = run_with_budget(between, rate, bf16);
    EXPECT_LE(some.planned, static_cast<size_t>(between));
    EXPECT_GT(some.recomputed, 0u);
    EXPECT_LT(some.recomputed, least.recomputed);
    for (size_t i = 0; i < free.values.size(); ++i)
      EXPECT_TRUE(some.values[i].equal(free.values[i])) << rate << " " << bf16 << ": " << i;
    EXPECT_EQ(run_with_budget(static_cast<int64_t>(free.planned), rate, bf16).recomputed, 0u);
  }
}

// An operand that is written to later, or that nothing else keeps, makes no result again.
TEST(MemoryBudget, KeepsWhatCannotBeMadeAgain) {
  const auto recomputed = [](const auto& f) {
    const auto fast = cuda::make_graphed_callables(f, {ones({64, 64}).requires_grad_()},
                                                   cuda::GraphedCallableOptions().memory_budget(1));
    const Tensor x = full({64, 64}, 0.5).requires_grad_(), again = full({64, 64}, 0.5);
    const Tensor y = fast(x), want = f(again.requires_grad_());
    y.sum().backward();
    want.sum().backward();
    EXPECT_TRUE(y.equal(want));
    EXPECT_TRUE(x.grad().equal(again.grad()));
    return fast.recomputed();
  };
  const size_t one = 64 * 64 * sizeof(float);
  EXPECT_EQ(recomputed([](const Tensor& x) { return x.exp().square(); }), one);  // x stays
  EXPECT_EQ(recomputed([](const Tensor& x) { return (x.cumsum(0) + 1).exp().square(); }), 0u);
  EXPECT_EQ(recomputed([](const Tensor& x) { return x * (x.detach() + 1); }), one);
  EXPECT_EQ(recomputed([](const Tensor& x) { return x.square().mul_(3).cumsum(0).square(); }), 0u);
  EXPECT_EQ(recomputed([](const Tensor& x) { return x.cumsum(0).square(); }), 0u);
  // (A single norm saves nothing at the fullest moment, where pools have gaps behind blocks.)
  EXPECT_EQ(
      recomputed([](const Tensor& x) { return layer_norm(layer_norm(x, {64}), {64}).square(); }),
      2 * one);
  EXPECT_EQ(recomputed([](const Tensor& x) { return layer_norm(x + 1, {64}).square(); }), 2 * one);
  for (const bool before : {true, false}) {
    const auto changed = cuda::make_graphed_callables(
        [before](const Tensor& x, Tensor k) {
          const Tensor twice = k * 2;
          if (before) k.add_(1);
          const Tensor y = x * twice;
          if (!before) k.add_(1);
          return y;
        },
        {ones({3}).requires_grad_(), ones({3})},
        cuda::GraphedCallableOptions().memory_budget(1).num_warmup_iters(0));
    EXPECT_EQ(changed.recomputed(), 0u) << before;
    const Tensor x = full({3}, 2.).requires_grad_();
    changed(x, full({3}, 5.)).sum().backward();
    EXPECT_TRUE(x.grad().equal(full({3}, 10.))) << before;
  }
  expect_error("make_graphed_callables: expected a memory_budget of 0 or more bytes", [] {
    cuda::make_graphed_callables([](const Tensor& x) { return x * 2; }, {ones({3})},
                                 cuda::GraphedCallableOptions().memory_budget(-1));
  });
}

// What a result is made of need not be kept either: it is made, too, up to four launches back.
TEST(MemoryBudget, FollowsWhatIsNotKept) {
  const auto run = [](const auto& f, size_t want) {
    const auto fast = cuda::make_graphed_callables(f, {ones({64, 64}).requires_grad_()},
                                                   cuda::GraphedCallableOptions().memory_budget(1));
    manual_seed(4);
    const Tensor x = randn({64, 64}), a = x.clone().requires_grad_(), b = x.clone();
    const Tensor y = fast(a), z = f(b.requires_grad_());
    y.sum().backward();
    z.sum().backward();
    EXPECT_TRUE(y.equal(z));
    EXPECT_TRUE(a.grad().equal(b.grad()));
    EXPECT_EQ(fast.recomputed(), want * 64 * 64 * 2);
  };
  const Tensor w = randn({64});
  // Under autocast a linear layer keeps casts: of what the layer norm has made in f32, and of x.
  run(
      [=](const Tensor& x) {
        const autocast on(kCPU, kBFloat16);
        return linear(layer_norm(x, {64}, w), x).to(kFloat);
      },
      2);
  run([](const Tensor& x) { return x.sin().to(kBFloat16).square().to(kFloat); }, 1);
  run([](const Tensor& x) { return (x.sin() + 1).exp().square(); }, 2);
  run([](const Tensor& x) { return x * (x.detach() + 1).mul_(3); }, 2);
  // Results of results, one of which is an operand twice.
  run([](const Tensor& x) { return x.exp().square().sin(); }, 4);
  run(
      [](const Tensor& x) {
        const Tensor t = x.sin();
        return (t * t.mul(3)).exp();
      },
      6);
  // Too many launches.
  run([](const Tensor& x) { return (((x.detach() + 1) * 2 + 3) * 4 + 5) * x; }, 0);
}

TEST(MemoryBudget, OfCompile) {
  const auto run = [](int64_t budget, size_t* planned) {
    manual_seed(2);
    const auto net = std::make_shared<Blocks>(4, 0.);
    const auto fast = compile(net, CompileOptions().memory_budget(budget).fullgraph(true));
    expect_error("compile: expected a capture before memory()", [&] { fast.memory(); });
    Tensor y;
    for (int i = 0; i < 3; ++i) {
      y = fast(ones({96, 32}).requires_grad_());
      y.square().sum().backward();
    }
    *planned = fast.memory().planned;
    return std::vector<Tensor>{y, net->parameters()[0].grad()};
  };
  size_t free = 0, least = 0;
  const auto want = run(0, &free), got = run(1, &least);
  EXPECT_LT(least, free);
  for (size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(got[i].equal(want[i])) << i;
  expect_error("compile: expected memory_budget to be 0 or more, got -1", [] {
    compile([](const Tensor& x) { return x; }, CompileOptions().memory_budget(-1));
  });
}

// ---------------------------------------------------------------- of whole steps
#include "nn/compile_guards_test.inc"
#include "nn/memory_budget_test.inc"

}  // namespace
}  // namespace torch::taper
