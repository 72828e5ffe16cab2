// Proximal policy optimization (Schulman et al., 2017) learns to balance a pole, from eight games
// at a time.
//
//   ppo [UPDATES]
#include <torch/torch.h>

#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "cartpole/cartpole.h"
#include "pictures/arguments.h"
#include "pictures/svg.h"

namespace nn = torch::nn;
using torch::Tensor;

constexpr int64_t kGames = 8, kSteps = 128, kPasses = 4, kBatch = 256;
constexpr double kDiscount = 0.99, kLambda = 0.95, kClip = 0.2, kEntropy = 0.01, kRate = 1e-3;

// Maps states (N, 4) to logits of actions (N, 2) and values of the states (N).
class ActorCriticImpl : public nn::Module {
 public:
  std::pair<Tensor, Tensor> forward(const Tensor& x) {
    return {actor->forward(x), critic->forward(x).squeeze(1)};
  }

 private:
  static nn::Sequential layers(int64_t outputs) {
    return nn::Sequential(nn::Linear(4, 64), nn::Tanh(), nn::Linear(64, 64), nn::Tanh(),
                          nn::Linear(64, outputs));
  }
  nn::Sequential actor = register_module("actor", layers(2));
  nn::Sequential critic = register_module("critic", layers(1));
};
TORCH_MODULE(ActorCritic);

// The record of all games, [kSteps, kGames] each.
struct Rollout {
  Tensor states = torch::zeros({kSteps, kGames, 4}),
         actions = torch::zeros({kSteps, kGames}, torch::kLong);
  Tensor chances = torch::zeros({kSteps, kGames}), worth = torch::zeros({kSteps + 1, kGames});
  Tensor rewards = torch::zeros({kSteps, kGames}), over = torch::zeros({kSteps, kGames});
};

class Games {
 public:
  Games() {
    for (int64_t i = 0; i < kGames; ++i) {
      games_.emplace_back(static_cast<uint64_t>(i));
      put(i, games_.back().reset());
    }
  }

  /// Returns an exponential moving average of the steps per game. The newest game has weight 1/20.
  double mean_length() const { return mean_length_; }

  Rollout play(ActorCritic& net) {
    const torch::NoGradGuard no_grad;
    Rollout r;
    for (int64_t t = 0; t < kSteps; ++t) {
      const auto [logits, worth] = net->forward(states_);
      const Tensor action = torch::multinomial(logits.softmax(1), 1);
      r.states[t].copy_(states_);
      r.actions[t].copy_(action.squeeze(1));
      r.chances[t].copy_(logits.log_softmax(1).gather(1, action).squeeze(1));
      r.worth[t].copy_(worth);
      for (int64_t i = 0; i < kGames; ++i) {
        const auto outcome = games_[static_cast<size_t>(i)].step(action[i][0].item<int64_t>());
        r.rewards[t][i] = outcome.reward;
        r.over[t][i] = outcome.over ? 1 : 0;
        ++lengths_[static_cast<size_t>(i)];
        if (outcome.over) finish(i);
        put(i, outcome.over ? games_[static_cast<size_t>(i)].reset() : outcome.state);
      }
    }
    r.worth[kSteps].copy_(net->forward(states_).second);
    return r;
  }

 private:
  void put(int64_t i, const CartPole::State& state) {
    std::copy(state.begin(), state.end(), states_.data_ptr<float>() + 4 * i);
  }
  void finish(int64_t i) {
    auto& length = lengths_[static_cast<size_t>(i)];
    mean_length_ += (static_cast<double>(length) - mean_length_) / 20;
    length = 0;
  }

  std::vector<CartPole> games_;
  std::vector<int64_t> lengths_ = std::vector<int64_t>(kGames, 0);
  double mean_length_ = 0;
  Tensor states_ = torch::zeros({kGames, 4});
};

// Generalized advantages (Schulman et al., 2015): how much better a step was than expected.
Tensor advantages(const Rollout& r) {
  Tensor all = torch::zeros({kSteps, kGames}), later = torch::zeros({kGames});
  for (int64_t t = kSteps - 1; t >= 0; --t) {
    const Tensor goes_on = 1 - r.over[t];
    const Tensor surprise = r.rewards[t] + kDiscount * r.worth[t + 1] * goes_on - r.worth[t];
    later = surprise + kDiscount * kLambda * goes_on * later;
    all[t].copy_(later);
  }
  return all;
}

int main(int argc, char** argv) try {
  if (prints_help(argc, argv, "ppo [UPDATES]: learns to balance a pole, writes ppo.svg")) return 0;
  const int updates = count_argument(argc, argv, 1, "UPDATES", 120);
  expect_writable("ppo.svg");
  torch::manual_seed(1);
  ActorCritic net;
  torch::optim::Adam optimizer(net->parameters(), torch::optim::AdamOptions(kRate));
  Games games;
  Series curve{"steps of a game", {}, {}};
  for (int update = 1; update <= updates; ++update) {
    const double rate = kRate * (updates - update + 1) / updates;  // smaller and smaller steps
    static_cast<torch::optim::AdamOptions&>(optimizer.param_groups()[0].options()).lr(rate);
    const Rollout r = games.play(net);
    const Tensor gain = advantages(r).flatten(),
                 want = gain + r.worth.slice(0, 0, kSteps).flatten();
    const Tensor states = r.states.flatten(0, 1), actions = r.actions.flatten().unsqueeze(1);
    const Tensor chances = r.chances.flatten();
    for (int64_t pass = 0; pass < kPasses; ++pass)
      for (const Tensor& i : torch::randperm(kSteps * kGames, torch::kLong).split(kBatch)) {
        const auto [logits, worth] = net->forward(states.index_select(0, i));
        const Tensor logs = logits.log_softmax(1);
        const Tensor ratio =
            (logs.gather(1, actions.index_select(0, i)).squeeze(1) - chances.index_select(0, i))
                .exp();
        Tensor a = gain.index_select(0, i);
        a = (a - a.mean()) / (a.std() + 1e-8);
        const Tensor policy = -torch::min(ratio * a, ratio.clamp(1 - kClip, 1 + kClip) * a).mean();
        const Tensor entropy = -(logs.exp() * logs).sum(1).mean();
        const Tensor loss =
            policy + 0.5 * torch::mse_loss(worth, want.index_select(0, i)) - kEntropy * entropy;
        optimizer.zero_grad();
        loss.backward();
        nn::utils::clip_grad_norm_(net->parameters(), 0.5);
        optimizer.step();
      }
    curve.add(update, games.mean_length());
    if (update % 10 == 0 || update == updates)
      std::printf("update %d/%d  %d steps, a game lasts %.0f\n", update, updates,
                  update * int{kSteps * kGames}, games.mean_length());
  }
  write_svg({curve}, "update", "ppo.svg");
} catch (const std::exception& e) {
  std::fprintf(stderr, "ppo: %s\n", e.what());
  return 1;
}
