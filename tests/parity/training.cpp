// Whole training runs from one seed: losses step by step, then what was learned.
#include <parity.h>

using namespace parity;
using torch::Tensor;
namespace nn = torch::nn;
namespace F = torch::nn::functional;
namespace optim = torch::optim;

// One step: the loss before it.
static double step(optim::Optimizer& opt, const std::function<Tensor()>& loss_of) {
  opt.zero_grad();
  Tensor loss = loss_of();
  loss.backward();
  opt.step();
  return loss.item<double>();
}

static void linear_regression() {
  torch::manual_seed(1);
  const Tensor x = torch::randn({64, 3});
  const Tensor y = x.mv(torch::tensor({1.5f, -2.f, 0.7f})) + 0.3 + 0.1 * torch::randn({64});
  nn::Linear model(3, 1);
  optim::SGD opt(model->parameters(), optim::SGDOptions(0.1).momentum(0.9).nesterov(true));
  for (int i = 0; i < 30; ++i)
    curve("linear", i, step(opt, [&] { return F::mse_loss(model(x).squeeze(1), y); }));
  show("linear.after", torch::rand({2}));
}

static void perceptron() {
  torch::manual_seed(2);
  nn::Sequential model(nn::Linear(nn::LinearOptions(8, 32).bias(false)), nn::BatchNorm1d(32),
                       nn::ReLU(), nn::Dropout(0.3), nn::Linear(32, 16), nn::GELU(),
                       nn::LayerNorm(nn::LayerNormOptions({16})), nn::Linear(16, 3));
  optim::AdamW opt(model->parameters(), optim::AdamWOptions(0.01).weight_decay(0.1));
  optim::StepLR schedule(opt, 10, 0.5);
  auto loader =
      torch::data::make_data_loader(torch::data::datasets::TensorDataset(torch::randn({50, 8})),
                                    torch::data::DataLoaderOptions(16));
  int i = 0;
  for (int epoch = 0; epoch < 6; ++epoch) {
    for (auto& batch : *loader) {
      std::vector<Tensor> rows;
      for (auto& example : batch) rows.push_back(example.data);
      const Tensor x = torch::stack(rows), y = x.slice(1, 0, 3).argmax(1);
      curve("mlp", i++, step(opt, [&] { return F::cross_entropy(model->forward(x), y); }), 5e-5,
            1.15);
    }
    schedule.step();
  }
  model->eval();
  curve("mlp.eval", 20, model->forward(torch::ones({1, 8})).abs().sum().item<double>(), 1e-4, 1.2);
}

struct ConvNetImpl : nn::Module {
  Tensor forward(Tensor x) {
    x = torch::relu(F::max_pool2d(conv1(x), F::MaxPool2dFuncOptions(2)));
    x = torch::relu(F::max_pool2d(drop(conv2(norm(x))), F::MaxPool2dFuncOptions(2)));
    x = torch::dropout(torch::relu(fc1(x.view({x.size(0), -1}))), 0.5, is_training());
    return torch::log_softmax(fc2(x), 1);
  }
  nn::Conv2d conv1 = register_module("conv1", nn::Conv2d(1, 6, 3));
  nn::BatchNorm2d norm = register_module("norm", nn::BatchNorm2d(6));
  nn::Conv2d conv2 =
      register_module("conv2", nn::Conv2d(nn::Conv2dOptions(6, 8, 3).padding(1).bias(false)));
  nn::Dropout2d drop = register_module("drop", nn::Dropout2d());
  nn::Linear fc1 = register_module("fc1", nn::Linear(8 * 3 * 3, 20));
  nn::Linear fc2 = register_module("fc2", nn::Linear(20, 4));
};
TORCH_MODULE(ConvNet);

static void images() {
  torch::manual_seed(3);
  ConvNet model;
  const Tensor y = torch::randint(0, 4, {24});
  const Tensor x = torch::randn({24, 1, 14, 14}) + y.view({24, 1, 1, 1}).to(torch::kFloat);
  optim::SGD opt(model->parameters(), optim::SGDOptions(0.05).momentum(0.5).weight_decay(1e-3));
  for (int i = 0; i < 25; ++i)
    curve("cnn", i, step(opt, [&] { return torch::nll_loss(model(x), y); }), 5e-5, 1.15);
}

struct CharModelImpl : nn::Module {
  Tensor forward(const Tensor& text) {
    return head(std::get<0>(lstm(embedding(text)))).flatten(0, 1);
  }
  nn::Embedding embedding = register_module("embedding", nn::Embedding(12, 8));
  nn::LSTM lstm = register_module(
      "lstm", nn::LSTM(nn::LSTMOptions(8, 16).num_layers(2).dropout(0.2).batch_first(true)));
  nn::Linear head = register_module("head", nn::Linear(16, 12));
};
TORCH_MODULE(CharModel);

// Characters of a text that repeats; gradients are clipped.
static void characters() {
  torch::manual_seed(4);
  const std::string text = "hello taper, hello torch; ";
  std::vector<int64_t> codes;
  for (int i = 0; i < 120; ++i) codes.push_back((text[i % text.size()] * 7) % 12);
  const Tensor all = torch::tensor(codes).view({4, 30});
  const Tensor x = all.slice(1, 0, 29), y = all.slice(1, 1).flatten();
  CharModel model;
  optim::Adam opt(model->parameters(), optim::AdamOptions(0.01).betas({0.9, 0.99}));
  for (int i = 0; i < 20; ++i) {
    opt.zero_grad();
    Tensor loss = F::cross_entropy(model(x), y);
    loss.backward();
    curve("lstm.norm", i, nn::utils::clip_grad_norm_(model->parameters(), 0.5), 1e-4, 1.15);
    opt.step();
    curve("lstm", i, loss.item<double>(), 5e-5, 1.15);
  }
}

struct TranslatorImpl : nn::Module {
  Tensor forward(const Tensor& tokens, const Tensor& mask) {
    Tensor x = embedding(tokens) * std::sqrt(16.0) + position.slice(0, 0, tokens.size(0));
    return head(encoder(x, mask));
  }
  nn::Embedding embedding = register_module("embedding", nn::Embedding(10, 16));
  Tensor position = register_parameter("position", torch::randn({9, 1, 16}) * 0.1);
  nn::TransformerEncoder encoder = register_module(
      "encoder",
      nn::TransformerEncoder(
          nn::TransformerEncoderLayer(
              nn::TransformerEncoderLayerOptions(16, 4).dim_feedforward(32).dropout(0.1)),
          2));
  nn::Linear head = register_module("head", nn::Linear(16, 10));
};
TORCH_MODULE(Translator);

// A small transformer learns to count, its dropout on.
static void transformer() {
  torch::manual_seed(5);
  Translator model;
  const Tensor tokens =
      torch::remainder(torch::arange(10).view({10, 1}) + torch::randint(0, 10, {1, 6}), 10);
  const Tensor x = tokens.slice(0, 0, 9), y = tokens.slice(0, 1).reshape({-1});
  const Tensor mask = nn::TransformerImpl::generate_square_subsequent_mask(9);
  optim::Adam opt(model->parameters(), optim::AdamOptions(3e-3));
  for (int i = 0; i < 20; ++i)
    curve("transformer", i,
          step(opt,
               [&] {
                 return F::cross_entropy(model(x, mask).view({-1, 10}), y);
               }),
          5e-5, 1.2);
  model->eval();
  curve("transformer.eval", 20, model(x, mask).abs().mean().item<double>(), 1e-4, 1.2);
}

static void adversaries() {
  torch::manual_seed(6);
  nn::Sequential generator(
      nn::ConvTranspose2d(nn::ConvTranspose2dOptions(6, 8, 4).bias(false)), nn::BatchNorm2d(8),
      nn::ReLU(), nn::ConvTranspose2d(nn::ConvTranspose2dOptions(8, 1, 4).stride(2).padding(1)),
      nn::Tanh());
  nn::Sequential critic(nn::Conv2d(nn::Conv2dOptions(1, 8, 4).stride(2).padding(1).bias(false)),
                        nn::BatchNorm2d(8),
                        nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.2)),
                        nn::Conv2d(nn::Conv2dOptions(8, 1, 4)), nn::Sigmoid());
  optim::Adam g_opt(generator->parameters(), optim::AdamOptions(2e-3).betas({0.5, 0.9}));
  optim::RMSprop d_opt(critic->parameters(), optim::RMSpropOptions(1e-3).momentum(0.5));
  for (int i = 0; i < 15; ++i) {
    critic->zero_grad();
    const Tensor real = torch::rand({8, 1, 8, 8}), labels = torch::empty(8).uniform_(0.8, 1.0);
    Tensor real_loss = torch::binary_cross_entropy(critic->forward(real).view(-1), labels);
    real_loss.backward();
    const Tensor fake = generator->forward(torch::randn({8, 6, 1, 1}));
    const Tensor zeros = torch::zeros(8);
    Tensor fake_loss = torch::binary_cross_entropy(critic->forward(fake.detach()).view(-1), zeros);
    fake_loss.backward();
    d_opt.step();
    generator->zero_grad();
    Tensor g_loss =
        torch::binary_cross_entropy(critic->forward(fake).view(-1), torch::ones_like(zeros));
    g_loss.backward();
    g_opt.step();
    curve("gan.critic", i, (real_loss + fake_loss).item<double>(), 5e-5, 1.25);
    curve("gan.generator", i, g_loss.item<double>(), 5e-5, 1.25);
  }
}

int main() {
  linear_regression();
  perceptron();
  images();
  characters();
  transformer();
  adversaries();
}
