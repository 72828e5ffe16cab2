#include <taper/nn/graphed_callable.h>

#include <gtest/gtest.h>

#include <taper/nn/compile.h>
#include <taper/taper.h>

#include "harness/devices.h"
#include "test_util.h"

namespace taper {
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
  EXPECT_EQ(few.fallback_reason(), "more kinds of arguments than max_captures");
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

}  // namespace
}  // namespace taper
