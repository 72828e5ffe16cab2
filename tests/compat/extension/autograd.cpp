// Nodes of a program's own, saved variables and hooks of saved tensors.
#include <torch/torch.h>

#include <ATen/SavedTensorHooks.h>
#include <ATen/ThreadLocalState.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <thread>

#include "expect.h"

namespace {

using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

/// y = x^3 in memory of its own.
struct CubeBackward : torch::autograd::Node {
  SavedVariable x_, y_;
  variable_list apply(variable_list&& grads) override {
    const torch::Tensor x = x_.unpack();
    EXPECT(y_.unpack(getptr()).grad_fn() == getptr());
    if (!task_should_compute_output(0)) return {torch::Tensor()};
    return {grads[0] * 3 * x * x};
  }
  void release_variables() override {
    x_.reset_data();
    y_.reset_data();
  }
};

torch::Tensor cube(const torch::Tensor& x) {
  c10::intrusive_ptr<CubeBackward> node;
  if (torch::autograd::compute_requires_grad(x)) {
    node = c10::make_intrusive<CubeBackward>();
    node->set_next_edges(torch::autograd::collect_next_edges(x));
    node->x_ = SavedVariable(x, /*is_output=*/false);
  }
  torch::Tensor y;
  {
    const at::AutoDispatchBelowADInplaceOrView guard;
    y = x * x * x;
  }
  if (node) {
    torch::autograd::set_history(y, node);
    node->y_ = SavedVariable(y, /*is_output=*/true);
  }
  return y;
}

void own_nodes() {
  const torch::Tensor x = torch::tensor({2.0, 3.0}, torch::requires_grad());
  torch::Tensor y = cube(x);
  EXPECT(has(y.grad_fn()->name(), "CubeBackward") && y.grad_fn()->num_inputs() == 1);
  const auto g = torch::autograd::grad({y.sum()}, {x}, {}, true, true);
  EXPECT(torch::equal(g[0], 3 * x * x));
  const auto gg = torch::autograd::grad({g[0].sum()}, {x});
  EXPECT(torch::equal(gg[0], 6 * x));
  cube(x).sum().backward();
  EXPECT(torch::equal(x.grad(), 3 * x * x));
  torch::Tensor z = cube(x);
  z.sum().backward();
  EXPECT(has(thrown<c10::Error>([&] { z.sum().backward(); }), "a second time"));
  const torch::Tensor w = x * 1;
  const torch::Tensor v = cube(w);
  w.detach().mul_(2);
  EXPECT(has(thrown<c10::Error>([&] { v.sum().backward(); }), "modified by an inplace operation"));
  EXPECT(
      !torch::autograd::any_variable_requires_grad(torch::ones({1}), c10::optional<at::Tensor>()));
}

torch::Tensor gradient_of(torch::nn::Sequential& net, const torch::Tensor& x) {
  net->zero_grad();
  const torch::Tensor leaf = x.detach().requires_grad_();
  net->forward(leaf).pow(2).sum().backward();
  torch::Tensor all = leaf.grad().flatten();
  for (const torch::Tensor& p : net->parameters()) all = torch::cat({all, p.grad().flatten()});
  return all;
}

void hooks() {
  torch::manual_seed(0);
  torch::nn::Sequential net(torch::nn::Linear(4, 8), torch::nn::Tanh(), torch::nn::Linear(8, 3),
                            torch::nn::Softmax(1));
  const torch::Tensor x = torch::randn({5, 4});
  const torch::Tensor want = gradient_of(net, x);
  int packed = 0, unpacked = 0;
  {
    const taper::SavedTensorHooks counted(
        [&](const torch::Tensor& t) {
          ++packed;
          return std::make_pair(t.clone(), 7);
        },
        [&](const std::pair<torch::Tensor, int>& p) {
          ++unpacked;
          EXPECT(p.second == 7);
          return p.first;
        });
    EXPECT(torch::equal(gradient_of(net, x), want));
  }
  EXPECT(packed > 5 && unpacked == packed);
  {
    const taper::SaveOnCpu on_cpu;
    EXPECT(torch::equal(gradient_of(net, x), want));
  }
  // Second derivatives go through what is unpacked.
  const torch::Tensor a = torch::tensor({0.3, 0.7}, torch::requires_grad());
  const auto second = [&] {
    const auto g = torch::autograd::grad({(a.sin() * a.exp()).sum()}, {a}, {}, true, true);
    return torch::autograd::grad({g[0].sum()}, {a})[0];
  };
  const torch::Tensor plain = second();
  {
    const taper::SavedTensorHooks same([](const torch::Tensor& t) { return t; },
                                       [](const torch::Tensor& t) { return t; });
    EXPECT(torch::allclose(second(), plain));
  }
  {
    const taper::SavedTensorHooks writes([](const torch::Tensor& t) { return t.add_(1); },
                                         [](const torch::Tensor& t) { return t; });
    EXPECT(has(thrown<c10::Error>([&] { a.exp(); }), "pack hook is modifying its input in place"));
  }
  EXPECT(has(thrown<c10::Error>([] { at::SavedTensorDefaultHooks::pop_hooks(); }), "empty stack"));
  at::SavedTensorDefaultHooks::disable("none here");
  EXPECT(has(thrown<c10::Error>([] { const taper::SaveOnCpu on_cpu; }), "none here"));
  at::SavedTensorDefaultHooks::enable();
}

void state_of_threads() {
  bool recorded = true;
  {
    const torch::NoGradGuard no_grad;
    const at::ThreadLocalState state;
    std::thread([&] {
      const at::ThreadLocalStateGuard guard(state);
      recorded = torch::GradMode::is_enabled();
    }).join();
  }
  EXPECT(!recorded && torch::GradMode::is_enabled());
}

}  // namespace

int main() {
  own_nodes();
  hooks();
  state_of_threads();
}
