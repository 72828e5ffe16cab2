// Steps of programs whose time is pointwise arithmetic: a reaction with diffusion on a grid, a
// cellular automaton, a network of differential equations, a loss of many terms with its gradient;
// and of those whose time is rows: what stands around the products of a transformer's block. Each
// eager and, where there are graphs, captured and replayed. pointwise.py times the same under
// torch.compile.
#include <torch/torch.h>

#include <functional>

#include "measure.h"
#if __has_include(<taper/framework/capture/graph.h>)
#include <taper/framework/capture/graph.h>
#define HAS_GRAPHS
#endif

using torch::Tensor;

namespace {

/// The elements beside those of the inside of a grid: `down` and `right` of 0 are above and left.
Tensor beside(const Tensor& grid, int64_t down, int64_t right) {
  const int64_t rows = grid.size(0) - 2, cols = grid.size(1) - 2;
  return grid.slice(0, down, down + rows).slice(1, right, right + cols);
}

// Pearson 1993, "Complex patterns in a simple system".
Tensor laplacian(const Tensor& grid) {
  return beside(grid, 0, 1) + beside(grid, 2, 1) + beside(grid, 1, 0) + beside(grid, 1, 2) -
         4 * beside(grid, 1, 1);
}
void react(const Tensor& u, const Tensor& v, const Tensor& next_u, const Tensor& next_v) {
  const Tensor a = beside(u, 1, 1), b = beside(v, 1, 1), reaction = a * b * b;
  beside(next_u, 1, 1).copy_(a + 0.16 * laplacian(u) - reaction + 0.035 * (1 - a));
  beside(next_v, 1, 1).copy_(b + 0.08 * laplacian(v) + reaction - 0.1 * b);
}

// Conway's, of zeros and ones.
void live(const Tensor& cells, const Tensor& next) {
  const Tensor inside = beside(cells, 1, 1);
  const Tensor around = beside(cells, 0, 0) + beside(cells, 0, 1) + beside(cells, 0, 2) +
                        beside(cells, 1, 0) + beside(cells, 1, 2) + beside(cells, 2, 0) +
                        beside(cells, 2, 1) + beside(cells, 2, 2);
  beside(next, 1, 1).copy_(around.eq(3).logical_or(around.eq(2).logical_and(inside.gt(0))));
}

// Sompolinsky, Crisanti, Sommers 1988, "Chaos in random neural networks": rates that drive each
// other; many such networks at once, by the method of Runge and Kutta.
Tensor slope(const Tensor& x, const Tensor& weight) {
  return torch::matmul(torch::tanh(x), weight) - x;
}
Tensor moved(const Tensor& x, const Tensor& weight, double h) {
  const Tensor a = slope(x, weight), b = slope(x + 0.5 * h * a, weight),
               c = slope(x + 0.5 * h * b, weight), d = slope(x + h * c, weight);
  return x + h / 6 * (a + 2 * b + 2 * c + d);
}

Tensor loss_of_terms(const Tensor& p, const Tensor& y, const Tensor& label) {
  const Tensor error = p - y, chance = p.sigmoid();
  return error.pow(2).mean() + 0.1 * error.abs().mean() +
         0.5 * torch::softplus(p * (1 - 2 * label)).mean() + (chance - label).pow(2).mean() +
         0.01 * (chance * (1 - chance)).mean() + 1e-3 * p.tanh().pow(2).mean() +
         1e-4 * (p.pow(2) + 1e-6).sqrt().mean();
}

void both(const std::string& name, const std::function<void()>& step) {
  measure("fields." + name, step);
#ifdef HAS_GRAPHS
  torch::Graph graph{torch::Device(torch::kCPU)};
  {
    const torch::GraphGuard guard(graph);
    step();
  }
  measure("fields captured." + name, [&] { graph.replay(); });
#else
  measure("fields captured." + name, step);  // what there is
#endif
}

void grids() {
  const torch::NoGradGuard no_grad;
  const Tensor u = torch::rand({514, 514}), v = torch::rand({514, 514}) * 0.2, next_u = u.clone(),
               next_v = v.clone();
  both("diffusion", [&] { react(u, v, next_u, next_v); });
  const Tensor cells = (torch::rand({1026, 1026}) > 0.7).to(torch::kFloat), next = cells.clone();
  both("automaton", [&] { live(cells, next); });
  const Tensor x = torch::randn({4096, 64}), weight = torch::randn({64, 64}) * 0.2;
  Tensor kept;
  both("network", [&] { kept = moved(x, weight, 0.05); });
}

void terms() {
  const Tensor p = torch::randn({1 << 18}).requires_grad_(), y = torch::randn({1 << 18}),
               label = (torch::rand({1 << 18}) > 0.5).to(torch::kFloat);
  Tensor gradient;
  both("terms", [&] { gradient = torch::autograd::grad({loss_of_terms(p, y, label)}, {p})[0]; });
  report("sum.terms", gradient.abs().sum().item<double>());
}

Tensor weights_of(const Tensor& scores, const Tensor& mask) {
  return torch::softmax(scores * 0.125 + mask, -1);
}
Tensor residual(const Tensor& x, const Tensor& branch, const Tensor& weight, const Tensor& bias) {
  return torch::relu(torch::layer_norm(x + branch * 0.5, {768}, weight, bias)) * 0.5;
}

// x and branch are summed and normalised; the gradients of all by that of the sum with what
// follows.
void norm_with_gradients() {
  const Tensor x = torch::randn({1024, 768}).requires_grad_(),
               branch = torch::randn({1024, 768}).requires_grad_(),
               weight = torch::randn({768}).requires_grad_(),
               bias = torch::randn({768}).requires_grad_(), gy = torch::randn({1024, 768});
  std::vector<Tensor> gradients;
  both("norm with gradients", [&] {
    const Tensor sum = x + branch * 0.5, normal = torch::layer_norm(sum, {768}, weight, bias);
    gradients = torch::autograd::grad({torch::relu(normal) + sum}, {x, branch, weight, bias}, {gy});
  });
  report("sum.norm", gradients[2].abs().sum().item<double>());
}
void rows() {
  const torch::NoGradGuard no_grad;
  const Tensor scores = torch::randn({8, 256, 256}), mask = torch::randn({256, 256});
  const Tensor x = torch::randn({1024, 768}), branch = torch::randn({1024, 768}),
               weight = torch::randn({768}), bias = torch::randn({768});
  Tensor kept;
  both("softmax", [&] { kept = weights_of(scores, mask); });
  both("layer norm", [&] { kept = residual(x, branch, weight, bias); });
  both("dropout", [&] { kept = x + torch::dropout(branch * weight, 0.1, true); });
}

}  // namespace

int main() {
  torch::set_num_threads(1);
  torch::manual_seed(0);
  grids();
  terms();
  rows();
  norm_with_gradients();
}
