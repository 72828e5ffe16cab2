// Training under autocast in bf16, on the CPU: a multi-layer perceptron, a convolutional network
// and a small GPT for 100 steps. Losses are compared within bf16's rounding, which grows with the
// steps.
//
// It needs LibTorch 2 (1.13's layer_norm takes no bf16 beside weights of f32), so it is not among
// the programs that CI compares. By hand, LIBTORCH being the folder torch/ of PyTorch's wheel:
//
//   LIBTORCH=... python3 tests/parity/run.py --taper-include build/include --taper-include compat
//     --taper-lib build/lib/libtaper.so --work /tmp/parity tests/parity/libtorch2/autocast.cpp
#include <ATen/autocast_mode.h>

#include "parity.h"

using namespace parity;
namespace nn = torch::nn;
namespace F = torch::nn::functional;

// The names of LibTorch 1.13, which 2 has as well.
struct Autocast {
  Autocast() {
    at::autocast::increment_nesting();
    at::autocast::set_autocast_cpu_dtype(torch::kBFloat16);
    at::autocast::set_cpu_enabled(true);
  }
  ~Autocast() {
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_cpu_enabled(false);
  }
};

// 100 steps of loss(i), whose forward pass is cast.
template <class Loss>
void train(const std::string& name, torch::optim::Optimizer& optimizer, const Loss& loss) {
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    torch::Tensor l;
    {
      const Autocast scope;
      l = loss(i);
    }
    l.backward();
    optimizer.step();
    curve(name, i, l.item<double>(), 1e-2, 1.02);
  }
}

void perceptron() {
  torch::manual_seed(1);
  nn::Sequential net(nn::Linear(16, 64), nn::ReLU(), nn::LayerNorm(nn::LayerNormOptions({64})),
                     nn::Linear(64, 64), nn::GELU(), nn::Linear(64, 4));
  torch::optim::SGD sgd(net->parameters(), torch::optim::SGDOptions(0.05).momentum(0.9));
  const auto x = torch::randn({64, 16});
  const auto y = x.slice(1, 0, 4).argmax(1);
  train("mlp", sgd, [&](int) { return F::cross_entropy(net->forward(x), y); });
}

void convolutions() {
  torch::manual_seed(2);
  nn::Sequential net(nn::Conv2d(nn::Conv2dOptions(3, 16, 3).padding(1)), nn::BatchNorm2d(16),
                     nn::ReLU(), nn::MaxPool2d(2),
                     nn::Conv2d(nn::Conv2dOptions(16, 32, 3).padding(1)), nn::ReLU(),
                     nn::AdaptiveAvgPool2d(1), nn::Flatten(), nn::Linear(32, 4));
  torch::optim::AdamW adam(net->parameters(), torch::optim::AdamWOptions(2e-3));
  const auto x = torch::randn({32, 3, 16, 16});
  const auto y = x.mean({2, 3}).argmax(1);
  train("cnn", adam, [&](int) { return F::cross_entropy(net->forward(x), y); });
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
    const int64_t N = x.size(0), L = x.size(1), D = x.size(2), heads = 4;
    const auto parts = qkv(x).view({N, L, 3, heads, D / heads}).permute({2, 0, 3, 1, 4});
    auto scores = torch::matmul(parts[0], parts[1].transpose(-2, -1)) / std::sqrt(D / heads);
    const auto future = torch::ones({L, L}, torch::kBool).triu(1);
    scores = scores.masked_fill(future, -1e4);
    const auto y = torch::matmul(torch::softmax(scores, -1), parts[2]);
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

void language_model() {
  torch::manual_seed(3);
  const int64_t width = 32, length = 24, words = 40;
  nn::Embedding tokens(words, width), places(length, width);
  nn::Sequential body(Block{width}, Block{width}, nn::LayerNorm(nn::LayerNormOptions({width})),
                      nn::Linear(width, words));
  std::vector<torch::Tensor> parameters = body->parameters();
  for (const auto& p : {tokens->weight, places->weight}) parameters.push_back(p);
  torch::optim::AdamW adam(parameters, torch::optim::AdamWOptions(1e-3));
  const auto text = torch::randint(words, {16, length + 1}, torch::kLong);
  const auto x = text.slice(1, 0, length), y = text.slice(1, 1);
  train("gpt", adam, [&](int) {
    const auto logits = body->forward(tokens(x) + places(torch::arange(length)));
    return F::cross_entropy(logits.reshape({-1, words}), y.reshape({-1}));
  });
}

int main() {
  perceptron();
  convolutions();
  language_model();
}
