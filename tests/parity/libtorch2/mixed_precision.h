// Three small networks, trained under autocast: what autocast.cpp here compares by hand and
// tests/autograd/autocast_test.cpp holds to losses of PyTorch 2.15. Parameters and samples come
// from one formula, so that both libraries begin with the same bits.
#pragma once

#include <ATen/autocast_mode.h>
#include <torch/torch.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace mixed_precision {

namespace nn = torch::nn;
namespace F = torch::nn::functional;

/// A generator's numbers (Numerical Recipes' LCG), from 0 to 2^24.
inline std::vector<int64_t> draws(int64_t count, uint32_t seed) {
  std::vector<int64_t> drawn;
  uint32_t state = seed * 2654435761U + 12345U;
  for (int64_t i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    drawn.push_back(state >> 8);
  }
  return drawn;
}
/// Numbers between -bound and bound.
inline torch::Tensor numbers(torch::IntArrayRef sizes, uint32_t seed, double bound) {
  int64_t count = 1;
  for (int64_t n : sizes) count *= n;
  std::vector<float> values;
  for (int64_t drawn : draws(count, seed))
    values.push_back(static_cast<float>((static_cast<double>(drawn) / (1 << 23) - 1) * bound));
  return torch::tensor(values).reshape(sizes);
}
/// Whole numbers below `end`.
inline torch::Tensor classes(torch::IntArrayRef sizes, uint32_t seed, int64_t end) {
  int64_t count = 1;
  for (int64_t n : sizes) count *= n;
  std::vector<int64_t> values = draws(count, seed);
  for (int64_t& v : values) v %= end;
  return torch::tensor(values).reshape(sizes);
}
/// Matrices and kernels within 1 / sqrt(inputs), biases 0; norms keep their ones.
inline void set_parameters(nn::Module& net) {
  const torch::NoGradGuard no_grad;
  uint32_t seed = 100;
  for (const auto& p : net.parameters()) {
    ++seed;
    if (p.dim() > 1)
      p.copy_(numbers(p.sizes(), seed, 1 / std::sqrt(static_cast<double>(p.numel() / p.size(0)))));
    else if (p.detach().max().item<float>() != 1)
      p.zero_();
  }
}

/// A network with its optimizer, and what makes the loss of a step.
struct Task {
  std::shared_ptr<nn::Module> net;
  std::shared_ptr<torch::optim::Optimizer> optimizer;
  std::function<torch::Tensor()> loss;
};

inline Task perceptron() {
  nn::Sequential net(nn::Linear(16, 32), nn::ReLU(), nn::LayerNorm(nn::LayerNormOptions({32})),
                     nn::Linear(32, 32), nn::GELU(), nn::Linear(32, 4));
  const auto x = numbers({32, 16}, 1, 1);
  const auto y = x.slice(1, 0, 4).argmax(1);
  return {net.ptr(),
          std::make_shared<torch::optim::SGD>(net->parameters(),
                                              torch::optim::SGDOptions(0.02).momentum(0.9)),
          [=]() mutable { return F::cross_entropy(net->forward(x), y); }};
}

inline Task convolutions() {
  nn::Sequential net(nn::Conv2d(nn::Conv2dOptions(3, 8, 3).padding(1)), nn::BatchNorm2d(8),
                     nn::ReLU(), nn::MaxPool2d(2),
                     nn::Conv2d(nn::Conv2dOptions(8, 16, 3).padding(1)), nn::ReLU(),
                     nn::AdaptiveAvgPool2d(1), nn::Flatten(), nn::Linear(16, 4));
  const auto x = numbers({16, 3, 8, 8}, 2, 1);
  const auto y = classes({16}, 3, 4);
  return {net.ptr(),
          std::make_shared<torch::optim::SGD>(net->parameters(),
                                              torch::optim::SGDOptions(0.05).momentum(0.9)),
          [=]() mutable { return F::cross_entropy(net->forward(x), y); }};
}

struct BlockImpl : nn::Module {
  explicit BlockImpl(int64_t width)
      : norm1(nn::LayerNormOptions({width})),
        norm2(nn::LayerNormOptions({width})),
        qkv(width, 3 * width),
        out(width, width),
        up(width, 4 * width),
        down(4 * width, width) {
    register_module("norm1", norm1);
    register_module("qkv", qkv);
    register_module("out", out);
    register_module("norm2", norm2);
    register_module("up", up);
    register_module("down", down);
  }
  torch::Tensor attend(const torch::Tensor& x) {
    const int64_t N = x.size(0), L = x.size(1), D = x.size(2), heads = 2;
    const auto parts = qkv(x).view({N, L, 3, heads, D / heads}).permute({2, 0, 3, 1, 4});
    const auto y =
        at::scaled_dot_product_attention(parts[0], parts[1], parts[2], {}, 0.0, /*is_causal=*/true);
    return out(y.transpose(1, 2).reshape({N, L, D}));
  }
  torch::Tensor forward(torch::Tensor x) {
    x = x + attend(norm1(x));
    return x + down(F::gelu(up(norm2(x))));
  }
  nn::LayerNorm norm1, norm2;
  nn::Linear qkv, out, up, down;
};
TORCH_MODULE(Block);

inline Task language_model() {
  const int64_t width = 32, length = 16, words = 32;
  nn::Embedding tokens(words, width), places(length, width);
  nn::Sequential body(Block{width}, Block{width}, nn::LayerNorm(nn::LayerNormOptions({width})),
                      nn::Linear(width, words));
  auto all = std::make_shared<nn::Module>();
  all->register_module("tokens", tokens.ptr());
  all->register_module("places", places.ptr());
  all->register_module("body", body.ptr());
  const auto text = classes({4, length + 1}, 4, words);
  const auto x = text.slice(1, 0, length), y = text.slice(1, 1);
  const auto place = torch::arange(length);
  return {
      all,
      std::make_shared<torch::optim::AdamW>(all->parameters(), torch::optim::AdamWOptions(1e-3)),
      [=]() mutable {
        const auto logits = body->forward(tokens(x) + places(place));
        return F::cross_entropy(logits.reshape({-1, words}), y.reshape({-1}));
      }};
}

/// Autocast by LibTorch's switches.
struct Autocast {
  explicit Autocast(torch::ScalarType dtype) {
    at::autocast::increment_nesting();
    at::autocast::set_autocast_dtype(torch::kCPU, dtype);
    at::autocast::set_autocast_enabled(torch::kCPU, true);
  }
  ~Autocast() {
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(torch::kCPU, false);
    at::autocast::set_autocast_dtype(torch::kCPU, torch::kBFloat16);
  }
};

/// The losses of the steps, scaled by `scaler`. Where `overflows`, gradients of some steps are
/// infinite.
template <class Scaler>
std::vector<double> train(Task task, torch::ScalarType dtype, Scaler& scaler, int steps,
                          bool overflows) {
  set_parameters(*task.net);
  std::vector<double> losses;
  for (int i = 0; i < steps; ++i) {
    task.optimizer->zero_grad();
    torch::Tensor loss;
    {
      const Autocast scope(dtype);
      loss = task.loss();
    }
    scaler.scale(loss).backward();
    if (overflows && (i == 3 || i == 30 || i == 31 || i == 70))
      task.net->parameters()[0].mutable_grad().view(-1)[i].fill_(
          std::numeric_limits<float>::infinity());
    scaler.step(*task.optimizer);
    scaler.update();
    losses.push_back(loss.item<double>());
  }
  return losses;
}

/// What Python's GradScaler does, by the ops that it calls: LibTorch has no such class.
class ScalerOfOps {
 public:
  ScalerOfOps(double scale, int64_t interval)
      : scale_(torch::full({1}, scale)), interval_(interval) {}
  torch::Tensor scale(const torch::Tensor& loss) { return loss * scale_; }
  void step(torch::optim::Optimizer& optimizer) {
    std::vector<torch::Tensor> gradients;
    for (const auto& group : optimizer.param_groups())
      for (const auto& p : group.params()) gradients.push_back(p.grad());
    found_.zero_();
    at::_amp_foreach_non_finite_check_and_unscale_(gradients, found_, 1 / scale_);
    if (found_.item<float>() == 0) optimizer.step();
  }
  void update() { at::_amp_update_scale_(scale_, tracker_, found_, 2.0, 0.5, interval_); }
  double get_scale() const { return scale_.item<double>(); }

 private:
  torch::Tensor scale_, tracker_ = torch::zeros({1}, torch::kInt), found_ = torch::zeros({1});
  int64_t interval_;
};
/// None: bf16 has the range of f32.
struct NoScaler {
  torch::Tensor scale(const torch::Tensor& loss) { return loss; }
  void step(torch::optim::Optimizer& optimizer) { optimizer.step(); }
  void update() {}
};

inline const char* name_of(int network) {
  return network == 0 ? "perceptron" : network == 1 ? "convolutions" : "language model";
}
inline Task task_of(int network) {
  return network == 0 ? perceptron() : network == 1 ? convolutions() : language_model();
}

}  // namespace mixed_precision
