// Whole training steps: steps MODEL f32|bf16 THREADS. Prints the seconds of a step (of one thread:
// of processor time, which others on the machine disturb least), the loss of the fifth one, which
// shows whether the libraries compute the same, and the peak of memory. With STEPS_FLOPS: the
// operations of a step, by Taper alone. steps.py has the same models under torch.compile.
#include <ATen/autocast_mode.h>
#include <torch/torch.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <map>

#include "../examples/gpt/model.cpp"  // one source is one program here
#include "measure.h"
#ifdef STEPS_FLOPS
#include <taper/utils/flop_counter.h>
#endif

namespace {

namespace F = torch::nn::functional;
namespace optim = torch::optim;
namespace nn = torch::nn;
using torch::Tensor;

/// A network with its optimizer, and what makes the loss of a step.
struct Training {
  std::shared_ptr<nn::Module> model;
  std::shared_ptr<optim::Optimizer> optimizer;
  std::function<Tensor()> loss;
};

Training gpt_of(int64_t layers, int64_t heads, int64_t width, int64_t vocabulary, int64_t batch) {
  gpt::Config config;
  config.layers = layers, config.heads = heads, config.width = width;
  config.vocabulary = vocabulary, config.context = 256;
  gpt::Model model(config);
  const Tensor text = torch::randint(vocabulary, {batch, 257}, torch::kLong);
  const Tensor x = text.slice(1, 0, 256), y = text.slice(1, 1, 257).contiguous();
  return {model.ptr(), gpt::make_optimizer(*model, 1e-3, 0.1),
          [=]() mutable { return model->loss(x, y); }};
}

// He et al. 2016, with a first layer for images of 32 x 32.
struct ResidualImpl : nn::Module {
  ResidualImpl(int64_t in, int64_t out, int64_t stride) {
    const auto conv = [](int64_t from, int64_t to, int64_t kernel, int64_t step) {
      return nn::Conv2d(
          nn::Conv2dOptions(from, to, kernel).stride(step).padding(kernel / 2).bias(false));
    };
    // In braces modules are made, and drawn, in this order.
    main = register_module(
        "main", nn::Sequential{conv(in, out, 3, stride), nn::BatchNorm2d(out), nn::ReLU(),
                               conv(out, out, 3, 1), nn::BatchNorm2d(out)});
    if (stride != 1 || in != out)
      side =
          register_module("side", nn::Sequential{conv(in, out, 1, stride), nn::BatchNorm2d(out)});
  }
  Tensor forward(const Tensor& x) {
    return torch::relu(main->forward(x) + (side ? side->forward(x) : x));
  }
  nn::Sequential main{nullptr}, side{nullptr};
};
TORCH_MODULE(Residual);

Training resnet() {
  nn::Sequential net(nn::Conv2d(nn::Conv2dOptions(3, 64, 3).padding(1).bias(false)),
                     nn::BatchNorm2d(64), nn::ReLU());
  for (int64_t stage = 0; stage < 4; ++stage) {
    const int64_t width = int64_t{64} << stage;
    net->push_back(Residual(stage ? width / 2 : 64, width, stage ? 2 : 1));
    net->push_back(Residual(width, width, 1));
  }
  net->push_back(nn::AdaptiveAvgPool2d(1));
  net->push_back(nn::Flatten());
  net->push_back(nn::Linear(512, 10));
  const Tensor x = torch::randn({32, 3, 32, 32}), y = torch::randint(10, {32}, torch::kLong);
  const auto options = optim::SGDOptions(0.01).momentum(0.9).nesterov(true).weight_decay(5e-4);
  return {net.ptr(), std::make_shared<optim::SGD>(net->parameters(), options),
          [=]() mutable { return F::cross_entropy(net->forward(x), y); }};
}

// LeCun et al. 1998, with relus and maxima.
Training lenet() {
  nn::Sequential net{nn::Conv2d(nn::Conv2dOptions(1, 6, 5).padding(2)),
                     nn::ReLU(),
                     nn::MaxPool2d(nn::MaxPool2dOptions(2)),
                     nn::Conv2d(nn::Conv2dOptions(6, 16, 5)),
                     nn::ReLU(),
                     nn::MaxPool2d(nn::MaxPool2dOptions(2)),
                     nn::Flatten(),
                     nn::Linear(400, 120),
                     nn::ReLU(),
                     nn::Linear(120, 84),
                     nn::ReLU(),
                     nn::Linear(84, 10)};
  const Tensor x = torch::randn({128, 1, 28, 28}), y = torch::randint(10, {128}, torch::kLong);
  const auto options = optim::SGDOptions(0.01).momentum(0.9);
  return {net.ptr(), std::make_shared<optim::SGD>(net->parameters(), options),
          [=]() mutable { return F::cross_entropy(net->forward(x), y); }};
}

struct LanguageImpl : nn::Module {
  LanguageImpl() {
    embedding = register_module("embedding", nn::Embedding(2000, 256));
    lstm = register_module("lstm", nn::LSTM(nn::LSTMOptions(256, 512).num_layers(2)));
    output = register_module("output", nn::Linear(512, 2000));
  }
  Tensor forward(const Tensor& x) {
    return output->forward(std::get<0>(lstm->forward(embedding->forward(x))));
  }
  nn::Embedding embedding{nullptr};
  nn::LSTM lstm{nullptr};
  nn::Linear output{nullptr};
};
TORCH_MODULE(Language);

Training lstm() {
  Language net;
  const Tensor text = torch::randint(2000, {36, 20}, torch::kLong);
  const Tensor x = text.slice(0, 0, 35), y = text.slice(0, 1, 36).reshape({-1});
  return {net.ptr(), std::make_shared<optim::SGD>(net->parameters(), optim::SGDOptions(1.0)),
          [=]() mutable {
            return F::cross_entropy(net->forward(x).view({-1, 2000}), y);
          }};
}

Training vae() {
  nn::Sequential net{nn::Linear(784, 400), nn::ReLU(), nn::Linear(400, 40)};
  nn::Sequential decoder{nn::Linear(20, 400), nn::ReLU(), nn::Linear(400, 784)};
  auto all = std::make_shared<nn::Module>();
  all->register_module("encoder", net.ptr());
  all->register_module("decoder", decoder.ptr());
  const Tensor x = torch::rand({128, 784});
  return {all, std::make_shared<optim::Adam>(all->parameters(), optim::AdamOptions(1e-3)),
          [=]() mutable {
            const auto code = net->forward(x).to(torch::kFloat).chunk(2, 1);
            const Tensor z = code[0] + torch::randn_like(code[0]) * torch::exp(0.5 * code[1]);
            const Tensor likeness = F::binary_cross_entropy_with_logits(
                decoder->forward(z).to(torch::kFloat), x,
                F::BinaryCrossEntropyWithLogitsFuncOptions().reduction(torch::kSum));
            const Tensor divergence = -0.5 * (1 + code[1] - code[0].pow(2) - code[1].exp()).sum();
            return (likeness + divergence) / 128;
          }};
}

Training dqn() {
  const auto make = [] {
    return nn::Sequential{nn::Linear(4, 128), nn::ReLU(), nn::Linear(128, 128), nn::ReLU(),
                          nn::Linear(128, 2)};
  };
  nn::Sequential net = make(), target = make();
  const Tensor state = torch::randn({64, 4}), next = torch::randn({64, 4}),
               reward = torch::rand({64});
  const Tensor action = torch::randint(2, {64, 1}, torch::kLong);
  return {net.ptr(), std::make_shared<optim::Adam>(net->parameters(), optim::AdamOptions(1e-4)),
          [=]() mutable {
            Tensor best;
            {
              torch::NoGradGuard no_grad;
              best = reward + 0.99 * std::get<0>(target->forward(next).to(torch::kFloat).max(1));
            }
            const Tensor value = net->forward(state).gather(1, action).squeeze(1).to(torch::kFloat);
            return F::smooth_l1_loss(value, best);
          }};
}

// u_t = u_xx, Raissi et al. 2019.
Training heat() {
  nn::Sequential net(nn::Linear(2, 50), nn::Tanh());
  for (int i = 0; i < 3; ++i) net->push_back(nn::Linear(50, 50)), net->push_back(nn::Tanh());
  net->push_back(nn::Linear(50, 1));
  const Tensor points = torch::rand({1000, 2}).requires_grad_();
  return {net.ptr(), std::make_shared<optim::Adam>(net->parameters(), optim::AdamOptions(1e-3)),
          [=]() mutable {
            const Tensor u = net->forward(points).to(torch::kFloat);
            const Tensor first = torch::autograd::grad({u.sum()}, {points}, {}, true, true)[0];
            const Tensor second =
                torch::autograd::grad({first.select(1, 0).sum()}, {points}, {}, true, true)[0];
            return (first.select(1, 1) - second.select(1, 0)).pow(2).mean() +
                   (u.squeeze(1) - torch::sin(points.select(1, 0))).pow(2).mean();
          }};
}

const std::map<std::string, std::function<Training()>> models = {
    {"gpt10m", [] { return gpt_of(6, 6, 384, 256, 4); }},
    {"gpt124m", [] { return gpt_of(12, 12, 768, 50257, 1); }},
    {"resnet18", resnet},
    {"lenet", lenet},
    {"lstm", lstm},
    {"vae", vae},
    {"dqn", dqn},
    {"heat", heat}};

Tensor step(Training& training, bool bf16) {
  training.optimizer->zero_grad(/*set_to_none=*/true);  // PyTorch's default, LibTorch 1.13's not
  at::autocast::set_autocast_enabled(at::kCPU, bf16);
  const Tensor loss = training.loss();
  at::autocast::set_autocast_enabled(at::kCPU, false);
  at::autocast::clear_cache();
  loss.backward();
  training.optimizer->step();
  return loss.detach();
}

double seconds_of(bool processor) {
  if (!processor) return now_s();
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// The least of the steps of a second.
double least_s(Training& training, bool bf16, bool processor) {
  double least = 1e30;
  int count = 0;
  for (const double end = now_s() + 1; count < 3 || now_s() < end; ++count) {
    const double start = seconds_of(processor);
    step(training, bf16);
    least = std::min(least, seconds_of(processor) - start);
  }
  return least;
}

// Of the process since it became this program, in bytes: getrusage counts what its parent had.
double peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:" && status >> word) return 1024 * std::atof(word.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 || !models.count(argv[1])) return 2;
  const bool bf16 = std::string(argv[2]) == "bf16";
  torch::set_num_threads(std::atoi(argv[3]));
  torch::manual_seed(0);
  Training training = models.at(argv[1])();
#ifdef STEPS_FLOPS
  const auto flops = taper::utils::count_flops(training.loss());
  report(std::string("flops.") + argv[1], static_cast<double>(flops.forward() + flops.backward()));
  return 0;
#endif
  Tensor loss;
  for (int i = 0; i < 5; ++i) loss = step(training, bf16);
  const double least = least_s(training, bf16, argv[3] == std::string("1"));
  const std::string name = std::string(argv[1]) + " " + argv[2] + " threads " + argv[3];
  report("steps." + name, least);
  report("loss." + name, loss.item<double>());
  report("memory." + name, peak_memory());
}
