// A network learns the energy and the forces of small clusters of atoms. The forces are its
// gradient, so that the loss contains a gradient and training differentiates it again.
//
//   force_field [STEPS]     writes force_field.svg: learned and exact forces
#include <torch/func.h>
#include <torch/torch.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

#include "pictures/arguments.h"
#include "pictures/svg.h"

namespace nn = torch::nn;
namespace func = torch::func;
using torch::Tensor;

constexpr int64_t kAtoms = 5, kPairs = kAtoms * (kAtoms - 1) / 2, kFeatures = 24;
constexpr int64_t kTrain = 1024, kTest = 128, kBatch = 64;
constexpr double kTemperature = 0.3;

// Returns the distances of all pairs (P) for positions (N, 3).
Tensor distances(const Tensor& x) {
  static const Tensor pairs = torch::triu_indices(kAtoms, kAtoms, 1);
  return (x.index_select(0, pairs[0]) - x.index_select(0, pairs[1])).norm(2, 1);
}

// The energy of Lennard and Jones, in units of its depth. Distances are in units of its zero.
Tensor exact_energy(const Tensor& x) {
  const Tensor inverse = distances(x).pow(-6);
  return 4 * (inverse.square() - inverse).sum();
}

// Returns energies and forces of several clusters (B, N, 3).
template <class Energy>
std::pair<Tensor, Tensor> energies_and_forces(const Energy& energy, const Tensor& x) {
  const auto [slope, value] = func::vmap(func::grad_and_value(energy))(x);
  return {value, -slope};
}

// Returns clusters at a temperature. Atoms start at the corners of two joined pyramids, and move
// by their forces and by random kicks.
Tensor make_clusters(int64_t count) {
  const double h = 0.65, s = std::sqrt(3) / 2 * h;
  const Tensor corners =
      torch::tensor({h, 0., 0., -h / 2, s, 0., -h / 2, -s, 0., 0., 0., 0.9, 0., 0., -0.9})
          .view({kAtoms, 3});
  Tensor x = corners.repeat({count, 1, 1});
  const double dt = 1e-3;
  for (int i = 0; i < 300; ++i) {
    const Tensor force = energies_and_forces(exact_energy, x).second.clamp(-100, 100);
    x = x + dt * force + std::sqrt(2 * dt * kTemperature) * torch::randn_like(x);
  }
  return x;
}

// The energy is a sum over atoms. A network sees how many neighbours an atom has at each distance
// (Behler and Parrinello, 2007), which no rotation and no exchange of atoms changes.
struct Model {
  nn::Sequential net{nn::Linear(kFeatures, 32), nn::SiLU(), nn::Linear(32, 32), nn::SiLU(),
                     nn::Linear(32, 1)};
  Tensor centers = torch::linspace(0.8, 3, kFeatures);
  Tensor ends = torch::zeros({kAtoms, kPairs});  // 1 where a pair contains an atom

  Model() {
    const Tensor pairs = torch::triu_indices(kAtoms, kAtoms, 1);
    ends.scatter_(0, pairs, torch::ones({2, kPairs}));
  }
  Tensor energy(const Tensor& x) {
    const Tensor r = distances(x).unsqueeze(1);
    return net->forward(ends.matmul((-30 * (r - centers).square()).exp())).sum();
  }
};

std::vector<double> numbers(const Tensor& t) {
  const Tensor d = t.detach().to(torch::kDouble).contiguous();
  return {d.data_ptr<double>(), d.data_ptr<double>() + d.numel()};
}

int main(int argc, char** argv) try {
  if (prints_help(argc, argv, "force_field [STEPS]: learns forces, writes force_field.svg"))
    return 0;
  const int steps = count_argument(argc, argv, 1, "STEPS", 2000);
  expect_writable("force_field.svg");
  torch::manual_seed(1);
  const Tensor train = make_clusters(kTrain), test = make_clusters(kTest);
  const auto [energies, forces] = energies_and_forces(exact_energy, train);
  const auto [test_energies, test_forces] = energies_and_forces(exact_energy, test);
  std::printf("energies from %.2f to %.2f, forces of size %.2f\n", energies.min().item<double>(),
              energies.max().item<double>(), forces.abs().mean().item<double>());
  const Tensor mean = energies.mean();

  Model model;
  const auto learned = [&](const Tensor& x) { return model.energy(x) + mean; };
  torch::optim::Adam optimizer(model.net->parameters(), torch::optim::AdamOptions(5e-3));
  torch::optim::CosineAnnealingLR schedule(optimizer, steps);
  for (int step = 1; step <= steps; ++step) {
    const Tensor some = torch::randint(kTrain, {kBatch}, torch::kLong);
    optimizer.zero_grad();
    const auto [e, f] = energies_and_forces(learned, train.index_select(0, some));
    const Tensor of_energies = torch::mse_loss(e, energies.index_select(0, some));
    const Tensor of_forces = torch::mse_loss(f, forces.index_select(0, some));
    (0.1 * of_energies + of_forces).backward();
    optimizer.step();
    schedule.step();
    if (step % 250 == 0 || step == steps)
      std::printf("step %d/%d  loss of energies %.4f, of forces %.3f\n", step, steps,
                  of_energies.item<double>(), of_forces.item<double>());
  }

  const torch::NoGradGuard no_grad;
  const auto [e, f] = energies_and_forces(learned, test);
  std::printf("test clusters: mean error of energies %.3f, of forces %.3f\n",
              (e - test_energies).abs().mean().item<double>(),
              (f - test_forces).abs().mean().item<double>());
  const std::vector<double> x = numbers(test_forces.slice(0, 0, 32).flatten());
  const double end = test_forces.slice(0, 0, 32).abs().max().item<double>();
  write_svg({{"learned force", x, numbers(f.slice(0, 0, 32).flatten()), true},
             {"equal", {-end, end}, {-end, end}}},
            "exact force", "force_field.svg");
} catch (const std::exception& e) {
  std::fprintf(stderr, "force_field: %s\n", e.what());
  return 1;
}
