// Deep Q-learning (Mnih et al., "Human-level control through deep reinforcement learning", 2015;
// with van Hasselt's double estimate, 2016) learns to balance a pole.
//
//   dqn [EPISODES]
#include <torch/torch.h>

#include <cstdio>
#include <exception>
#include <random>
#include <string>
#include <vector>

#include "cartpole/cartpole.h"
#include "pictures/arguments.h"
#include "pictures/svg.h"

namespace nn = torch::nn;
using torch::Tensor;

constexpr int64_t kMemory = 20000, kBatch = 128;
constexpr double kDiscount = 0.99, kFollow = 0.005, kGreedyAfter = 3000;

// A ring buffer of transitions: state, action, reward, next state, and whether the pole fell.
struct Memory {
  Tensor state = torch::zeros({kMemory, 4}), next = torch::zeros({kMemory, 4});
  Tensor action = torch::zeros({kMemory, 1}, torch::kLong);
  Tensor reward = torch::zeros({kMemory, 1}), fell = torch::zeros({kMemory, 1});
  int64_t count = 0;

  void add(const CartPole::State& s, int64_t a, const CartPole::Outcome& o) {
    const int64_t i = count++ % kMemory;
    std::copy(s.begin(), s.end(), state.data_ptr<float>() + 4 * i);
    std::copy(o.state.begin(), o.state.end(), next.data_ptr<float>() + 4 * i);
    action.data_ptr<int64_t>()[i] = a;
    reward.data_ptr<float>()[i] = o.reward;
    fell.data_ptr<float>()[i] = o.fell ? 1 : 0;
  }
};

// Maps states (N, 4) to the values of both actions (N, 2).
nn::Sequential make_net() {
  return nn::Sequential(nn::Linear(4, 128), nn::ReLU(), nn::Linear(128, 128), nn::ReLU(),
                        nn::Linear(128, 2));
}

// Moves the weights of `target` a little towards those of `net`.
void follow(nn::Sequential& net, nn::Sequential& target, double part) {
  const torch::NoGradGuard no_grad;
  const auto source = net->parameters();
  auto followers = target->parameters();
  for (size_t i = 0; i < source.size(); ++i) followers[i].lerp_(source[i], part);
}

int64_t best_action(nn::Sequential& net, CartPole::State state) {
  const torch::NoGradGuard no_grad;
  return net->forward(torch::from_blob(state.data(), {1, 4})).argmax(1).item<int64_t>();
}

Tensor loss_of(nn::Sequential& net, nn::Sequential& target, const Memory& m) {
  const Tensor i = torch::randint(std::min(m.count, kMemory), {kBatch}, torch::kLong);
  const Tensor worth =
      net->forward(m.state.index_select(0, i)).gather(1, m.action.index_select(0, i));
  Tensor want;
  {
    const torch::NoGradGuard no_grad;
    const Tensor next = m.next.index_select(0, i);
    const Tensor choice = net->forward(next).argmax(1, /*keepdim=*/true);
    const Tensor later = target->forward(next).gather(1, choice) * (1 - m.fell.index_select(0, i));
    want = m.reward.index_select(0, i) + kDiscount * later;
  }
  return torch::smooth_l1_loss(worth, want);
}

int main(int argc, char** argv) try {
  if (prints_help(argc, argv, "dqn [EPISODES]: learns to balance a pole, writes dqn.svg")) return 0;
  const int episodes = count_argument(argc, argv, 1, "EPISODES", 250);
  expect_writable("dqn.svg");
  torch::manual_seed(1);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform;

  nn::Sequential net = make_net(), target = make_net();
  follow(net, target, 1);
  torch::optim::Adam optimizer(net->parameters(), torch::optim::AdamOptions(2e-4));
  CartPole game(1);
  Memory memory;
  double steps_of_25 = 0;
  Series curve{"steps of a game, mean of 5", {}, {}};
  int64_t steps_of_5 = 0;
  for (int episode = 1; episode <= episodes; ++episode) {
    CartPole::State state = game.reset();
    for (bool over = false; !over; ++steps_of_25, ++steps_of_5) {
      const double done = static_cast<double>(memory.count) / kGreedyAfter;
      const bool explores = uniform(random) < std::max(0.02, 1 - done);
      const int64_t action =
          explores ? static_cast<int64_t>(random() % 2) : best_action(net, state);
      const CartPole::Outcome outcome = game.step(action);
      memory.add(state, action, outcome);
      state = outcome.state;
      over = outcome.over;
      if (memory.count < 4 * kBatch) continue;
      optimizer.zero_grad();
      loss_of(net, target, memory).backward();
      nn::utils::clip_grad_norm_(net->parameters(), 10);
      optimizer.step();
      follow(net, target, kFollow);
    }
    if (episode % 5 == 0) {
      curve.add(episode, static_cast<double>(steps_of_5) / 5);
      steps_of_5 = 0;
    }
    if (episode % 25 == 0) {
      std::printf("episode %d/%d  mean of 25: %.1f steps\n", episode, episodes, steps_of_25 / 25);
      steps_of_25 = 0;
    }
  }
  write_svg({curve}, "episode", "dqn.svg");
  // Plays test games without random actions.
  int64_t steps = 0;
  for (int i = 0; i < 10; ++i) {
    CartPole::State state = game.reset();
    for (bool over = false; !over; ++steps) {
      const CartPole::Outcome outcome = game.step(best_action(net, state));
      state = outcome.state;
      over = outcome.over;
    }
  }
  std::printf("10 games: %.1f steps of at most %d\n", static_cast<double>(steps) / 10,
              int{CartPole::kMaxSteps});
} catch (const std::exception& e) {
  std::fprintf(stderr, "dqn: %s\n", e.what());
  return 1;
}
