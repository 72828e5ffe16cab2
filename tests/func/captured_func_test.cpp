// Functions that differentiate inside of captured and compiled steps.
#include <torch/func.h>
#include <torch/torch.h>

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include <taper/nn/compile.h>

#include "expect_error.h"

namespace torch::taper {
namespace {

using testing::expect_error;
using Tensors = std::vector<Tensor>;

/// Expects a captured step to give the bits of eager calls, for several inputs.
void expect_replays(const std::function<Tensors(const Tensor&)>& step, const Tensor& first) {
  const Tensor x = first.clone();
  step(x);  // once before
  Graph graph{Device(kCPU)};
  Tensors got;
  graph.capture([&] { got = step(x); });
  for (int i = 0; i < 3; ++i) {
    x.copy_(first * (1 + 0.25 * i) + 0.1 * i);
    const Tensors want = step(x.clone());
    graph.replay();
    ASSERT_EQ(got.size(), want.size());
    for (size_t k = 0; k < want.size(); ++k)
      EXPECT_TRUE(got[k].equal(want[k])) << "result " << k << " of replay " << i;
  }
}

Tensor positions() {
  manual_seed(3);
  return randn({6, 4, 3});
}
Tensor wave(const Tensor& x) { return (x.sin() * x.roll(1, -1)).sum(); }

// ---------------------------------------------------------------- captured steps
TEST(CapturedFunc, Gradients) {
  const auto both = func::grad_and_value(wave);
  expect_replays(
      [&](const Tensor& x) {
        const auto [g, y] = both(x);
        return Tensors{g, y};
      },
      positions());
  expect_replays([](const Tensor& x) { return Tensors{func::vmap(func::grad(wave))(x)}; },
                 positions());
}

TEST(CapturedFunc, ProductsWithJacobians) {
  const auto f = [](const Tensor& x) { return x.tanh().matmul(x.transpose(-1, -2)).softmax(-1); };
  expect_replays(
      [&](const Tensor& x) {
        const auto [y, dy] = func::jvp(f, x, x.cos());
        const auto [z, back] = func::vjp(f, x);
        return Tensors{y, dy, z, back(z.square())};
      },
      positions());
  expect_replays(
      [&](const Tensor& x) {
        const auto [y, push] = func::linearize(f, x);
        return Tensors{y, push(x.cos()), push(x)};
      },
      positions());
}

TEST(CapturedFunc, JacobiansAndHessians) {
  const auto f = [](const Tensor& x) { return x.tanh().cumsum(0); };
  expect_replays(
      [&](const Tensor& x) {
        const Tensor row = x[0][0];
        return Tensors{func::jacrev(f)(row), func::jacfwd(f)(row), func::hessian(wave)(row),
                       func::jvp(func::grad(wave), row, row.cos()).second,
                       func::vmap(func::hessian(wave))(x[1])};
      },
      positions());
}

// ---------------------------------------------------------------- matching of forces
/// A network of pair distances. Its forces are its negative gradient.
struct Field {
  nn::Sequential net{nn::Linear(1, 8), nn::Tanh(), nn::Linear(8, 1)};
  Tensor one(const Tensor& x) {  // (N, 3)
    const Tensor d = (x.unsqueeze(0) - x.unsqueeze(1)).square().sum(-1, true);
    return net->forward(d).sum();
  }
  /// Returns the loss of energies and forces of several clusters.
  Tensor loss(const Tensor& x) {
    const auto f = [this](const Tensor& at) { return one(at); };
    const auto [slope, energy] = func::vmap(func::grad_and_value(f))(x);
    return (energy - x.sum({1, 2})).square().mean() + (slope + x.sin()).square().mean();
  }
  /// Computes the loss by autograd::grad.
  Tensor loss_by_tape(const Tensor& given) {
    const AutoGradMode recording(true);
    const Tensor x = given.requires_grad() ? given : given.detach().requires_grad_();
    const Tensor d = (x.unsqueeze(1) - x.unsqueeze(2)).square().sum(-1, true);
    const Tensor energy = net->forward(d).sum({1, 2, 3});
    const Tensor slope = autograd::grad({energy.sum()}, {x}, {}, true, /*create_graph=*/true)[0];
    return (energy - x.sum({1, 2})).square().mean() + (slope + x.sin()).square().mean();
  }
};

/// Trains copies of a network by eager and by captured steps.
template <class Loss>
void expect_trains_alike(const Loss& loss) {
  const auto run = [&](bool captured) {
    manual_seed(0);
    Field field;
    optim::SGD sgd(field.net->parameters(), optim::SGDOptions(0.01).momentum(0.9));
    const Tensor x = positions();
    Tensor value;
    const auto step = [&] {
      sgd.zero_grad(true);
      value = loss(field, x);
      value.backward();
      sgd.step();
    };
    step();
    Graph graph{Device(kCPU)};
    if (captured) graph.capture(step);
    Tensors all;
    for (int i = 0; i < 4; ++i) {
      x.copy_(positions() * (1 + 0.1 * i));
      captured ? graph.replay() : step();
      all.push_back(value.detach().clone());
    }
    for (const Tensor& p : field.net->parameters()) {
      all.push_back(p.detach());
      all.push_back(p.grad());
    }
    return all;
  };
  const Tensors want = run(false), got = run(true);
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(got[i].equal(want[i])) << i;
  EXPECT_FALSE(want[0].equal(want[3]));
}

TEST(CapturedFunc, TrainsByForces) {
  expect_trains_alike([](Field& field, const Tensor& x) { return field.loss(x); });
  expect_trains_alike([](Field& field, const Tensor& x) { return field.loss_by_tape(x); });
}

TEST(CapturedFunc, TrainsByGradientsOfEachExample) {
  expect_trains_alike([](Field& field, const Tensor& x) {
    const auto of_one = [&](const func::NamedTensors& p, const Tensor& at) {
      return func::functional_call(field.net, p, at.reshape({-1, 1})).square().sum();
    };
    const auto each =
        func::vmap(func::grad(of_one), {nullopt, 0})(func::parameters_of(field.net), x);
    for (auto& p : field.net->named_parameters())
      p.value().mutable_grad() = each.at(p.key()).clamp(-1, 1).mean(0);
    return field.net->forward(x.reshape({-1, 1})).mean() * 0.1;
  });
}

// ---------------------------------------------------------------- compiled functions
TEST(CapturedFunc, CompiledFunctionsDifferentiate) {
  for (const bool by_tape : {false, true})
    for (const bool wanted : {false, true}) {
      Field field;
      const auto f = [&](const Tensor& x) {
        return by_tape ? field.loss_by_tape(x) : field.loss(x);
      };
      const CompiledCallable fast = compile(f, CompileOptions().fullgraph(true));
      for (int i = 0; i < 4; ++i) {
        const Tensor x = (positions() + 0.1 * i).requires_grad_(wanted);
        Tensors grads = field.net->parameters();
        if (wanted) grads.push_back(x);
        const auto run = [&](const auto& call) {
          const Tensor y = call(x);
          Tensors all = autograd::grad({y}, grads);
          all.push_back(y.detach());
          return all;
        };
        const Tensors got = run(fast), want = run(f);
        for (size_t k = 0; k < want.size(); ++k)
          EXPECT_TRUE(got[k].equal(want[k])) << by_tape << wanted << i << k;
      }
      EXPECT_EQ(fast.captures(), 1);
    }
}

// Backward of a compiled call replays kernels, which leave no tape. Transformations that see ops
// run the function itself.
TEST(CapturedFunc, TransformationsOfCompiledFunctions) {
  const auto f = [](const Tensor& x) { return x.pow(3).sum(); };
  const CompiledCallable fast = compile(f);
  const Tensor x = arange(1., 5.), X = positions()[0];
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(func::grad(fast)(x).equal(func::grad(f)(x)));
  EXPECT_EQ(fast.captures(), 1);
  EXPECT_EQ(fast.fallback_reason(), "");
  EXPECT_TRUE(func::vmap(func::grad(fast))(X).equal(func::vmap(func::grad(f))(X)));
  EXPECT_TRUE(
      func::jvp(func::grad(fast), x, x).second.equal(func::jvp(func::grad(f), x, x).second));
  EXPECT_NE(fast.fallback_reason(), "");
  const auto slope = [](const auto& g) {
    return [g](const Tensor& at) { return func::grad(g)(at).sum(); };
  };
  expect_error("GraphedCallable: its gradient has no gradient",
               [&] { func::grad(slope(fast))(x); });
}

}  // namespace
}  // namespace torch::taper
