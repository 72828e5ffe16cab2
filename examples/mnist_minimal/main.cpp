// The shortest whole training program: a convolutional network on MNIST.
//
//   mnist_minimal DATA [EPOCHS]     DATA: the folder of MNIST's four files
//
// examples/mnist adds options, checkpoints and devices.
#include <taper/taper.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

namespace data = taper::data;
namespace nn = taper::nn;
using taper::Tensor;

// A network is a class with its layers as members. `register_module` registers a layer by name, so
// that parameters(), to() and save() find it.
class NetImpl : public nn::Module {
 public:
  Tensor forward(Tensor x) {  // (N, 1, 28, 28) to scores (N, 10)
    x = taper::max_pool2d(conv1(x).relu(), 2);
    x = taper::max_pool2d(conv2(x).relu(), 2);
    return fc2(fc1(x.flatten(1)).relu());
  }

 private:
  nn::Conv2d conv1 = register_module("conv1", nn::Conv2d(nn::Conv2dOptions(1, 16, 3).padding(1)));
  nn::Conv2d conv2 = register_module("conv2", nn::Conv2d(nn::Conv2dOptions(16, 32, 3).padding(1)));
  nn::Linear fc1 = register_module("fc1", nn::Linear(32 * 7 * 7, 128));
  nn::Linear fc2 = register_module("fc2", nn::Linear(128, 10));
};
TAPER_MODULE(Net);

// The images of a split, scaled to mean 0 and deviation 1, in batches of tensors.
auto batches(const std::string& folder, data::datasets::MNIST::Mode mode, size_t batch_size) {
  auto images = data::datasets::MNIST(folder, mode)
                    .map(data::transforms::Normalize<>(0.1307, 0.3081))
                    .map(data::transforms::Stack<>());
  return data::make_data_loader(std::move(images), batch_size);
}

// Trains on all images once. Returns the mean loss.
template <class Loader>
double train(Net& net, taper::optim::Optimizer& optimizer, Loader& loader) {
  net->train();
  double sum = 0;
  int64_t count = 0;
  for (auto& batch : loader) {
    optimizer.zero_grad();
    const Tensor loss = taper::cross_entropy_loss(net(batch.data), batch.target);
    loss.backward();
    optimizer.step();
    sum += loss.template item<double>() * static_cast<double>(batch.data.size(0));
    count += batch.data.size(0);
  }
  return sum / static_cast<double>(count);
}

// Returns the share of the images that the network classifies correctly.
template <class Loader>
double accuracy(Net& net, Loader& loader) {
  const taper::NoGradGuard no_grad;
  net->eval();
  int64_t right = 0, count = 0;
  for (auto& batch : loader) {
    right += net(batch.data).argmax(1).eq(batch.target).sum().template item<int64_t>();
    count += batch.data.size(0);
  }
  return static_cast<double>(right) / static_cast<double>(count);
}

int main(int argc, char** argv) try {
  const int epochs = argc > 2 ? std::atoi(argv[2]) : 3;
  if (argc < 2 || epochs < 1)
    throw std::invalid_argument("expected mnist_minimal DATA [EPOCHS], EPOCHS at least 1");
  using Mode = data::datasets::MNIST::Mode;
  auto train_batches = batches(argv[1], Mode::kTrain, 64);
  auto test_batches = batches(argv[1], Mode::kTest, 1000);

  taper::manual_seed(1);
  Net net;
  taper::optim::Adam optimizer(net->parameters(), taper::optim::AdamOptions(1e-3));
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    const double loss = train(net, optimizer, *train_batches);
    std::printf("epoch %d/%d  loss %.4f  accuracy %.2f%%\n", epoch, epochs, loss,
                100 * accuracy(net, *test_batches));
  }
  taper::save(net, "mnist_minimal.pt");
} catch (const std::exception& e) {
  std::fprintf(stderr, "mnist_minimal: %s\n", e.what());
  return EXIT_FAILURE;
}
