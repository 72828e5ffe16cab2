// Several processes train a network on MNIST. Each process has a copy of the network and a part of
// the images.
//
//   mpirun -np 4 mnist_distributed DATA [EPOCHS]     DATA: the folder of MNIST's four files
//   torchrun --no-python --nproc-per-node 4 mnist_distributed DATA [EPOCHS]
//
// If you start the program directly, it runs as a single process. It adds to examples/mnist_minimal
// a process group, a sampler, and DistributedDataParallel around the network.
#include <taper/distributed/distributed.h>
#include <taper/taper.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "pictures/svg.h"

namespace data = taper::data;
namespace distributed = taper::distributed;
namespace nn = taper::nn;
using taper::Tensor;

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

auto images(const std::string& folder, data::datasets::MNIST::Mode mode) {
  return data::datasets::MNIST(folder, mode)
      .map(data::transforms::Normalize<>(0.1307, 0.3081))
      .map(data::transforms::Stack<>());
}

// The sum of a number over all ranks.
double sum_over_ranks(double value) {
  std::vector<Tensor> sum = {taper::full({1}, value, taper::kDouble)};
  distributed::default_group()->allreduce(sum)->wait();
  return sum[0].item<double>();
}

int main(int argc, char** argv) try {
  if (argc < 2 || argc > 3) throw std::invalid_argument("expected DATA [EPOCHS]");
  const int epochs = count_argument(argc, argv, 2, "EPOCHS", 1);
  const auto group = distributed::init_process_group("gloo", std::chrono::minutes(2));
  const auto rank = static_cast<size_t>(group->getRank()),
             ranks = static_cast<size_t>(group->getSize());
  const std::string picture = "mnist_distributed.svg";
  if (rank == 0) expect_writable(picture);

  using Mode = data::datasets::MNIST::Mode;
  auto train_images = images(argv[1], Mode::kTrain), test_images = images(argv[1], Mode::kTest);
  data::samplers::DistributedRandomSampler sampler(*train_images.size(), ranks, rank);
  auto train_batches = data::make_data_loader(std::move(train_images), sampler, 64 / ranks);
  data::samplers::DistributedSequentialSampler in_order(*test_images.size(), ranks, rank);
  auto test_batches = data::make_data_loader(std::move(test_images), in_order, 500);

  taper::manual_seed(1);
  Net net;
  nn::parallel::DistributedDataParallel parallel(net);
  taper::optim::Adam optimizer(net->parameters(), taper::optim::AdamOptions(1e-3));
  Series curve{"loss of rank 0, mean of 20 steps", {}, {}};
  double loss_of_20 = 0;
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    double loss_sum = 0, seen = 0;
    for (auto& batch : *train_batches) {
      optimizer.zero_grad();
      const Tensor loss = taper::cross_entropy_loss(parallel(batch.data), batch.target);
      loss.backward();  // gradients are the means over the ranks
      optimizer.step();
      loss_sum += loss.item<double>();
      loss_of_20 += loss.item<double>();
      if (static_cast<int64_t>(++seen) % 20 != 0) continue;
      curve.add(curve.end() + 20, loss_of_20 / 20);
      loss_of_20 = 0;
    }
    double right = 0, tested = 0;
    const taper::NoGradGuard no_grad;
    for (auto& batch : *test_batches) {
      right += net(batch.data).argmax(1).eq(batch.target).sum().item<double>();
      tested += static_cast<double>(batch.data.size(0));
    }
    const double loss = sum_over_ranks(loss_sum) / sum_over_ranks(seen);
    const double accuracy = sum_over_ranks(right) / sum_over_ranks(tested);
    if (rank == 0)
      std::printf("epoch %d/%d  %zu ranks  loss %.4f  accuracy %.2f%%\n", epoch, epochs, ranks,
                  loss, 100 * accuracy);
  }
  if (rank == 0) taper::save(net, "mnist_distributed.pt");
  if (rank == 0) write_svg({curve}, "step", picture);
  distributed::destroy_process_group();
} catch (const std::exception& e) {
  std::fprintf(stderr, "mnist_distributed: %s\n", e.what());
  return EXIT_FAILURE;
}
