// What small ops cost: all is overhead where the arithmetic is nothing.
#include <torch/torch.h>

#include "measure.h"
#if __has_include(<taper/framework/runtime/graph.h>)
#include <taper/framework/runtime/graph.h>
#define HAS_GRAPHS
#endif

using torch::Tensor;

namespace {

void ops() {
  const Tensor a = torch::ones({1}), b = torch::ones({1}), m = torch::ones({8, 8});
  const Tensor g = torch::ones({1}).requires_grad_();
  {
    torch::NoGradGuard no_grad;
    measure("op.add", [&] { a + b; });
    measure("op.add_inplace", [&] { a.add_(b); });
    measure("op.relu", [&] { a.relu(); });
    measure("op.mm_8", [&] { m.mm(m); });
    measure("op.view", [&] { m.view({64}); });
    measure("op.select", [&] { m[3]; });
    measure("op.sum", [&] { m.sum(); });
    measure("op.item", [&] { a.item<float>(); });
    measure("op.empty", [&] { torch::empty({16}); });
  }
  measure("op.add_with_grad", [&] { g + b; });
}

void graphs() {
  const Tensor x = torch::ones({1}).requires_grad_();
  measure("graph.chain_100", [&] {
    Tensor y = x;
    for (int i = 0; i < 100; ++i) y = y * 1.01;
    y.backward();
  });
}

void steps() {
  torch::nn::Sequential net(torch::nn::Linear(16, 32), torch::nn::ReLU(),
                            torch::nn::Linear(32, 10));
  torch::optim::SGD sgd(net->parameters(), torch::optim::SGDOptions(0.01).momentum(0.9));
  const Tensor x = torch::randn({8, 16}), y = torch::randint(0, 10, {8}, torch::kLong);
  measure("step.mlp_sgd", [&] {
    sgd.zero_grad();
    torch::nn::functional::cross_entropy(net->forward(x), y).backward();
    sgd.step();
  });
#ifdef HAS_GRAPHS
  torch::Graph graph{torch::Device(torch::kCPU)};
  {
    const torch::GraphGuard guard(graph);
    sgd.zero_grad();
    torch::nn::functional::cross_entropy(net->forward(x), y).backward();
    sgd.step();
  }
  measure("step.mlp_sgd_replay", [&] { graph.replay(); });
#endif
  torch::optim::Adam adam(net->parameters(), torch::optim::AdamOptions(0.001));
  measure("step.mlp_adam", [&] {
    adam.zero_grad();
    torch::nn::functional::cross_entropy(net->forward(x), y).backward();
    adam.step();
  });
}

}  // namespace

int main() {
  torch::manual_seed(0);
  ops();
  graphs();
  steps();
}
