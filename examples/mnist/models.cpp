#include "models.h"

namespace mnist {
namespace {

namespace nn = taper::nn;
using taper::Tensor;

// 784-256-128-10 with ReLU: 235,146 parameters.
struct Mlp : Network {
  Mlp() {
    fc1 = register_module("fc1", nn::Linear(784, 256));
    fc2 = register_module("fc2", nn::Linear(256, 128));
    fc3 = register_module("fc3", nn::Linear(128, 10));
  }
  Tensor forward(Tensor x) override {
    x = taper::relu(fc1->forward(x.reshape({x.size(0), 784})));
    x = taper::relu(fc2->forward(x));
    return taper::log_softmax(fc3->forward(x), 1);
  }
  nn::Linear fc1{nullptr}, fc2{nullptr}, fc3{nullptr};
};

// Two convolutions of 10 and 20 channels, dropout: 21,840 parameters.
struct Cnn : Network {
  Cnn() {
    conv1 = register_module("conv1", nn::Conv2d(nn::Conv2dOptions(1, 10, 5)));
    conv2 = register_module("conv2", nn::Conv2d(nn::Conv2dOptions(10, 20, 5)));
    drop2d = register_module("drop2d", nn::Dropout2d(0.5));
    fc1 = register_module("fc1", nn::Linear(320, 50));
    fc2 = register_module("fc2", nn::Linear(50, 10));
  }
  Tensor forward(Tensor x) override {
    x = taper::relu(taper::max_pool2d(conv1->forward(x), 2));
    x = taper::relu(taper::max_pool2d(drop2d->forward(conv2->forward(x)), 2));
    x = taper::relu(fc1->forward(x.view({-1, 320})));
    x = taper::dropout(x, 0.5, is_training());
    return taper::log_softmax(fc2->forward(x), 1);
  }
  nn::Conv2d conv1{nullptr}, conv2{nullptr};
  nn::Dropout2d drop2d{nullptr};
  nn::Linear fc1{nullptr}, fc2{nullptr};
};

// Two convolutions of 32 and 64 channels: 184,586 parameters.
struct LeNet : Network {
  LeNet() {
    conv1 = register_module("conv1", nn::Conv2d(nn::Conv2dOptions(1, 32, 5)));
    conv2 = register_module("conv2", nn::Conv2d(nn::Conv2dOptions(32, 64, 5)));
    fc1 = register_module("fc1", nn::Linear(1024, 128));
    fc2 = register_module("fc2", nn::Linear(128, 10));
  }
  Tensor forward(Tensor x) override {
    x = taper::max_pool2d(taper::relu(conv1->forward(x)), 2);
    x = taper::max_pool2d(taper::relu(conv2->forward(x)), 2);
    x = taper::relu(fc1->forward(x.flatten(1)));
    return taper::log_softmax(fc2->forward(x), 1);
  }
  nn::Conv2d conv1{nullptr}, conv2{nullptr};
  nn::Linear fc1{nullptr}, fc2{nullptr};
};

}  // namespace

std::shared_ptr<Network> make_network(const std::string& name) {
  if (name == "mlp") return std::make_shared<Mlp>();
  if (name == "lenet") return std::make_shared<LeNet>();
  return std::make_shared<Cnn>();
}

}  // namespace mnist
