// Prints the losses of 50 steps of a small GPT: the same program compiled with LibTorch prints the
// same ones.
//   tests/examples/gpt_losses.sh compares.
#include <cstdio>

#include "../../examples/gpt/model.h"

int main() {
  torch::manual_seed(7);
  torch::set_num_threads(1);
  gpt::Config config;
  config.vocabulary = 65, config.context = 32, config.layers = 2, config.heads = 2,
  config.width = 32;
  gpt::Model model(config);
  const auto optimizer = gpt::make_optimizer(*model, 3e-3, 0.1);
  const torch::Tensor text = (torch::arange(2000) * torch::arange(2000) / 7).to(torch::kLong) % 65;
  for (int64_t step = 0; step < 50; ++step) {
    for (auto& group : optimizer->param_groups())
      group.options().set_lr(gpt::scheduled_lr(3e-3, step, 5, 50));
    optimizer->zero_grad();
    double mean = 0;
    for (int micro = 0; micro < 2; ++micro) {
      std::vector<torch::Tensor> x, y;
      const torch::Tensor starts = torch::randint(2000 - 33, {4}, torch::kLong);
      for (int64_t i = 0; i < 4; ++i) {
        const int64_t at = starts[i].item<int64_t>();
        x.push_back(text.slice(0, at, at + 32));
        y.push_back(text.slice(0, at + 1, at + 33));
      }
      const torch::Tensor loss = model->loss(torch::stack(x), torch::stack(y)) / 2;
      loss.backward();
      mean += loss.item<double>();
    }
    torch::nn::utils::clip_grad_norm_(model->parameters(), 1.0);
    optimizer->step();
    std::printf("%lld %.6f\n", static_cast<long long>(step), mean);
  }
}
