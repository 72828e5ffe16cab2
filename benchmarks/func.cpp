// Derivatives of functions: gradients of each example, Jacobians, Hessians and products with them,
// Laplacians, filters, an implicit layer, equations in a network, training by forces. func.py times
// the same by Python's torch.func.
#include <torch/func.h>
#include <torch/torch.h>

#include <string>
#include <utility>

#include "measure.h"

namespace F = torch::nn::functional;
namespace func = torch::func;
using torch::Tensor;

namespace {

torch::nn::Sequential mlp(int64_t inputs, int64_t hidden, int64_t outputs) {
  return torch::nn::Sequential(torch::nn::Linear(inputs, hidden), torch::nn::Tanh(),
                               torch::nn::Linear(hidden, hidden), torch::nn::Tanh(),
                               torch::nn::Linear(hidden, outputs));
}

void gradients_of_examples() {
  torch::nn::Sequential net(torch::nn::Conv2d(1, 16, 3), torch::nn::ReLU(), torch::nn::MaxPool2d(2),
                            torch::nn::Conv2d(16, 32, 3), torch::nn::ReLU(),
                            torch::nn::MaxPool2d(2), torch::nn::Flatten(),
                            torch::nn::Linear(800, 10));
  const Tensor x = torch::randn({64, 1, 28, 28}), y = torch::randint(10, {64}, torch::kLong);
  const auto p = func::parameters_of(net);
  const auto loss = [&](const func::NamedTensors& p, const Tensor& x, const Tensor& y) {
    return F::cross_entropy(func::functional_call(net, p, x.unsqueeze(0)), y.unsqueeze(0));
  };
  const auto each = func::vmap(func::grad(loss), {torch::nullopt, 0, 0});
  measure("gradients of 64 examples, CNN", [&] { each(p, x, y); });
  measure("gradients of 64 examples, CNN, by a loop", [&] {
    for (int64_t i = 0; i < 64; ++i) {
      net->zero_grad();
      F::cross_entropy(net->forward(x.narrow(0, i, 1)), y.narrow(0, i, 1)).backward();
    }
  });
}

void gradients_of_blocks() {
  torch::nn::Linear qkv(64, 192), out(64, 64), up(64, 256), down(256, 64);
  torch::nn::Sequential net(qkv, out, up, down);
  const Tensor x = torch::randn({32, 16, 64});
  const auto block = [&](const func::NamedTensors& p, const Tensor& x) {
    const Tensor h = F::linear(torch::layer_norm(x, {64}), p.at("0.weight"), p.at("0.bias"));
    const auto parts = h.view({16, 3, 4, 16}).permute({1, 2, 0, 3}).unbind();
    const Tensor scores = parts[0].matmul(parts[1].transpose(-1, -2)).mul(0.25).softmax(-1);
    const Tensor a = scores.matmul(parts[2]).transpose(0, 1).reshape({16, 64});
    const Tensor y = x + F::linear(a, p.at("1.weight"), p.at("1.bias"));
    const Tensor z =
        F::gelu(F::linear(torch::layer_norm(y, {64}), p.at("2.weight"), p.at("2.bias")));
    return (y + F::linear(z, p.at("3.weight"), p.at("3.bias"))).square().mean();
  };
  const auto p = func::parameters_of(net);
  const auto each = func::vmap(func::grad(block), {torch::nullopt, 0});
  measure("gradients of 32 examples, transformer block", [&] { each(p, x); });
}

void jacobians() {
  auto net = mlp(32, 64, 32), scalar = mlp(32, 64, 1);
  const auto f = [&](const Tensor& x) { return net->forward(x); };
  const auto g = [&](const Tensor& x) { return scalar->forward(x).sum(); };
  const Tensor x = torch::randn({32}), v = torch::randn({32}), X = torch::randn({16, 32});
  measure("jacrev of an MLP 32-64-64-32", [&] { func::jacrev(f)(x); });
  measure("jacfwd of an MLP 32-64-64-32", [&] { func::jacfwd(f)(x); });
  measure("Hessian of an MLP 32-64-64-1", [&] { func::hessian(g)(x); });
  measure("Hessians of 16 examples", [&] { func::vmap(func::hessian(g))(X); });
  measure("product with the Hessian", [&] { func::jvp(func::grad(g), x, v); });
  measure("jvp of an MLP", [&] { func::jvp(f, x, v); });
}

void filter() {
  const auto step = [](const Tensor& s) {
    const auto p = s.slice(0, 0, 3), v = s.slice(0, 3);
    const Tensor speed = v.square().sum().sqrt();
    return torch::cat({p + 0.01 * v, v - 0.01 * (0.1 * speed * v + p.sin())});
  };
  const Tensor s = torch::randn({1024, 6});
  const auto each = func::vmap(func::jacfwd(step));
  measure("Jacobians of 1024 filters, 6 states", [&] { each(s); });
}

// A step of extended Kalman filters, which takes the Jacobians of the motion and of the
// measurement.
void kalman() {
  const auto move = [](const Tensor& s) {
    const auto p = s.slice(0, 0, 3), v = s.slice(0, 3);
    return torch::cat({p + 0.01 * v, v - 0.01 * (0.1 * v.norm() * v + p.sin())});
  };
  const auto measure_at = [](const Tensor& s) {
    return torch::stack({s.slice(0, 0, 3).norm(), torch::atan2(s[1], s[0])});
  };
  const Tensor one = torch::eye(6), noise = 0.1 * torch::eye(2);
  const auto step = [&](const Tensor& s, const Tensor& P, const Tensor& z) {
    const Tensor F = func::jacfwd(move)(s), at = move(s);
    const Tensor predicted = F.matmul(P).matmul(F.t()) + 0.01 * one;
    const Tensor H = func::jacrev(measure_at)(at), PH = predicted.matmul(H.t());
    const Tensor gain = torch::linalg::solve(H.matmul(PH) + noise, PH.t()).t();
    return std::pair{at + gain.mv(z - measure_at(at)), (one - gain.matmul(H)).matmul(predicted)};
  };
  const Tensor s = torch::randn({256, 6}), P = one.repeat({256, 1, 1}), z = torch::randn({256, 2});
  const auto each = func::vmap(step);
  measure("step of 256 extended Kalman filters, 6 states", [&] { each(s, P, z); });
}

// A layer whose output solves z = tanh(W z + x). By the implicit function theorem its gradient
// solves a linear equation in products with the Jacobian, whose number of steps is fixed here.
void implicit_layer() {
  const Tensor W = 0.05 * torch::randn({64, 64}), x = torch::randn({32, 64});
  const auto f = [](const Tensor& z, const Tensor& W, const Tensor& x) {
    return (z.matmul(W.t()) + x).tanh();
  };
  measure("gradient of an implicit layer, 32 x 64", [&] {
    Tensor z = torch::zeros_like(x);
    for (int i = 0; i < 20; ++i) z = f(z, W, x);
    const auto pull = func::vjp(f, z, W, x).second;
    Tensor u = z;
    for (int i = 0; i < 20; ++i) u = z + std::get<0>(pull(u));
    pull(u);
  });
}

// The sum of second derivatives along all axes, at 64 points. jet computes them along one direction
// for each row.
void laplacians() {
  for (const int64_t d : {3, 10, 30}) {
    auto net = mlp(d, 64, 1);
    const auto p = func::parameters_of(net);
    const auto u = [&](const Tensor& x) { return func::functional_call(net, p, x).squeeze(-1); };
    const Tensor X = torch::randn({64, d}), axes = torch::eye(d).repeat({64, 1});
    const std::string name = "Laplacian of an MLP in " + std::to_string(d) + " dimensions";
    const auto trace = [&](const Tensor& x) { return func::hessian(u)(x).diagonal().sum(); };
    const auto each = func::vmap(trace);
    measure(name, [&] { each(X); });
    measure(name + ", by directions", [&] {
      const Tensor rows = X.repeat_interleave(d, 0);
      func::jet(u, rows, {axes, Tensor()}).second[1].view({64, d}).sum(1);
    });
  }
}

void equations() {
  auto net = mlp(2, 64, 1);
  const auto u = [&](const func::NamedTensors& p, const Tensor& x) {
    return func::functional_call(net, p, x).squeeze(-1);
  };
  const Tensor X = torch::rand({512, 2});
  auto p = func::parameters_of(net);
  const auto residual = [&](const func::NamedTensors& p, const Tensor& x) {
    const auto of_x = [&](const Tensor& at) { return u(p, at); };
    const Tensor H = func::hessian(of_x)(x);
    return (H.diagonal().sum() + of_x(x).sin()).square();
  };
  const auto loss = [&](const func::NamedTensors& p) {
    return func::vmap(residual, {torch::nullopt, 0})(p, X).mean();
  };
  const auto step = func::grad(loss);
  measure("step of an equation of second order, 512 points", [&] { step(p); });
}

// Clusters of 8 atoms: the energy is a network of pair distances, the forces are its gradient.
void forces() {
  constexpr int64_t kAtoms = 8, kPairs = kAtoms * (kAtoms - 1) / 2, kFeatures = 16;
  auto net = mlp(kFeatures, 64, 1);
  const Tensor pairs = torch::triu_indices(kAtoms, kAtoms, 1), i = pairs[0], j = pairs[1];
  const Tensor centers = torch::linspace(0.5, 3, kFeatures);
  const Tensor ends = torch::zeros({kAtoms, kPairs}).scatter_(0, pairs, torch::ones({2, kPairs}));
  const Tensor x = torch::randn({64, kAtoms, 3}), e = torch::randn({64}), f = torch::randn_like(x);
  torch::optim::SGD sgd(net->parameters(), torch::optim::SGDOptions(1e-4).momentum(0.9));
  const auto energy = [&](const Tensor& at) {
    const Tensor r = (at.index_select(0, i) - at.index_select(0, j)).norm(2, 1).unsqueeze(1);
    return net->forward(ends.matmul((-4 * (r - centers).square()).exp())).sum();
  };
  const auto both = func::vmap(func::grad_and_value(energy));
  const auto step = [&] {
    sgd.zero_grad(true);
    const auto [slope, value] = both(x);
    (F::mse_loss(value, e) + F::mse_loss(-slope, f)).backward();
    sgd.step();
  };
  measure("force matching, 64 clusters of 8 atoms", step);
  torch::Graph graph{torch::Device(torch::kCPU)};
  graph.capture(step);
  measure("force matching, captured", [&] { graph.replay(); });
}

}  // namespace

int main() {
  torch::manual_seed(0);
  gradients_of_examples();
  gradients_of_blocks();
  jacobians();
  filter();
  kalman();
  implicit_layer();
  laplacians();
  equations();
  forces();
}
