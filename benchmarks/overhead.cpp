// What small ops cost: all is overhead where the arithmetic is nothing.
#include <torch/torch.h>

#include "measure.h"
#if __has_include(<taper/framework/capture/graph.h>)
#include <taper/framework/capture/graph.h>
#define HAS_GRAPHS
#endif

using torch::Tensor;

namespace {

template <class Op>
void both(const std::string& name, const Tensor& x, const Op& op) {
  {
    const torch::NoGradGuard no_grad;
    measure("tiny." + name, [&] { op(x); });
  }
  const Tensor leaf = x.clone().requires_grad_();
  measure("tiny." + name + " with a graph", [&] { op(leaf); });
}

void ops() {
  const Tensor x = torch::ones({64}), y = torch::ones({64}), m = torch::ones({8, 8});
  both("add", x, [&](const Tensor& a) { return a + y; });
  both("mul by a number", x, [&](const Tensor& a) { return a * 1.5; });
  both("relu", x, [&](const Tensor& a) { return a.relu(); });
  both("exp", x, [&](const Tensor& a) { return a.exp(); });
  both("sum", x, [&](const Tensor& a) { return a.sum(); });
  both("mm", m, [&](const Tensor& a) { return a.mm(m); });
  both("linear", m, [&](const Tensor& a) { return torch::nn::functional::linear(a, m); });
  both("view", m, [&](const Tensor& a) { return a.view({64}); });
  both("slice", m, [&](const Tensor& a) { return a.slice(0, 1, 5); });
  both("select", m, [&](const Tensor& a) { return a[3]; });
  both("transpose", m, [&](const Tensor& a) { return a.t(); });
  both("clone", x, [&](const Tensor& a) { return a.clone(); });
  const torch::NoGradGuard no_grad;
  const Tensor one = torch::ones({1});
  measure("tiny.add_", [&] { x.add_(y, 1e-6); });
  measure("tiny.zero_", [&] { x.zero_(); });
  measure("tiny.copy_", [&] { x.copy_(y); });
  measure("tiny.eq", [&] { x.eq(y); });
  measure("tiny.item", [&] { one.item<float>(); });
  measure("tiny.empty", [&] { torch::empty({64}); });
  measure("tiny.zeros", [&] { torch::zeros({64}); });
  measure("tiny.stack", [&] { torch::stack({x, y}); });
}

void chain() {
  const Tensor x = torch::ones({1}).requires_grad_();
  measure("step.chain", [&] {
    Tensor y = x;
    for (int i = 0; i < 32; ++i) y = y * 1.01;
    y.backward();
  });
}

// Seven pointwise ops, f32: one behind the other, and as the one loop that is their limit.
Tensor seven(const Tensor& x, const Tensor& y) {
  return ((((x * 1.5 + y).relu() - x) * y) + 0.5).neg();
}
__attribute__((target_clones("avx512f", "avx2", "default"), optimize("O3"))) void seven_at_once(
    float* __restrict to, const float* __restrict x, const float* __restrict y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float r = x[i] * 1.5f + y[i];
    to[i] = -(((r > 0 ? r : 0) - x[i]) * y[i] + 0.5f);
  }
}

/// A training step.
template <class Optimizer>
auto step_of(torch::nn::Sequential net, Optimizer& optimizer) {
  const Tensor x = torch::randn({8, 16}), y = torch::randint(0, 10, {8}, torch::kLong);
  return [=, &optimizer]() mutable {
    optimizer.zero_grad();
    torch::nn::functional::cross_entropy(net->forward(x), y).backward();
    optimizer.step();
  };
}

/// Captured once and replayed, where there are graphs.
template <class Step>
void replay([[maybe_unused]] const std::string& name, [[maybe_unused]] Step& step) {
#ifdef HAS_GRAPHS
  torch::Graph graph{torch::Device(torch::kCPU)};
  {
    const torch::GraphGuard guard(graph);
    step();
  }
  measure(name, [&] { graph.replay(); });
#endif
}

void seven_ops() {
  const torch::NoGradGuard no_grad;
  for (const int64_t n : {1 << 14, 1 << 18, 1 << 22}) {
    const Tensor x = torch::randn({n}), y = torch::randn({n}), to = torch::empty({n});
    const std::string size = " of " + std::to_string(n);
    Tensor kept;
    auto step = [&] { kept = seven(x, y); };
    measure("seven ops" + size, step);
    measure("seven ops in one loop" + size, [&] {
      seven_at_once(to.data_ptr<float>(), x.data_ptr<float>(), y.data_ptr<float>(), n);
    });
    replay("seven ops replayed" + size, step);
  }
}

torch::nn::Sequential small_net() {
  return torch::nn::Sequential(torch::nn::Linear(16, 32), torch::nn::ReLU(),
                               torch::nn::Linear(32, 10));
}

}  // namespace

int main() {
  torch::set_num_threads(1);
  torch::manual_seed(0);
  ops();
  chain();
  seven_ops();
  const torch::nn::Sequential a = small_net(), b = small_net();
  torch::optim::SGD sgd(a->parameters(), torch::optim::SGDOptions(0.01).momentum(0.9));
  torch::optim::Adam adam(b->parameters(), torch::optim::AdamOptions(0.001));
  auto sgd_step = step_of(a, sgd);
  auto adam_step = step_of(b, adam);
  measure("step.sgd", [&] { sgd_step(); });
  replay("step.sgd replayed", sgd_step);
  measure("step.adam", [&] { adam_step(); });
}
