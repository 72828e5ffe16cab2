// A network that Python trained on five shapes learns three new ones from few pictures.
//
//   transfer_learning CHECKPOINT [STEPS]              CHECKPOINT: the file that pretrain.py wrote
//   transfer_learning --pretrain CHECKPOINT [STEPS]   writes such a file without Python
#include <torch/torch.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "pictures/arguments.h"

namespace nn = torch::nn;
using torch::Tensor;

constexpr int64_t kOld = 5, kNew = 3, kPictures = 5, kTest = 300, kBatch = 64;
using Names = c10::Dict<std::string, Tensor>;

// The network's parameters have the names that pretrain.py uses: features.0.weight, ..., head.bias.
class NetImpl : public nn::Module {
 public:
  explicit NetImpl(int64_t classes) {
    const auto conv = [](int64_t in, int64_t out) {
      return nn::Conv2d(nn::Conv2dOptions(in, out, 3).padding(1));
    };
    features = register_module(
        "features", nn::Sequential(conv(1, 16), nn::ReLU(), nn::MaxPool2d(2), conv(16, 32),
                                   nn::ReLU(), nn::MaxPool2d(2), conv(32, 64), nn::ReLU(),
                                   nn::AdaptiveMaxPool2d(1), nn::Flatten()));
    head = register_module("head", nn::Linear(64, classes));
  }
  Tensor forward(const Tensor& x) { return head(features->forward(x)); }

  nn::Sequential features{nullptr};
  nn::Linear head{nullptr};
};
TORCH_MODULE(Net);

// Pictures (N, 1, 28, 28) of the shapes, each at a random place, turned and of a random size. The
// first five shapes are those of pretrain.py.
Tensor draw(const Tensor& shapes) {
  const int64_t n = shapes.size(0);
  const auto drawn = [&](double low, double high) {
    return low + (high - low) * torch::rand({n, 1, 1});
  };
  const Tensor axis = torch::arange(28, torch::kFloat);
  const Tensor y = axis.view({1, -1, 1}) - drawn(10, 18), x = axis.view({1, 1, -1}) - drawn(10, 18);
  const Tensor turn = drawn(-0.5, 0.5), radius = drawn(6, 10);
  const Tensor u = ((x * turn.cos() + y * turn.sin()) / radius).abs();
  const Tensor v = (y * turn.cos() - x * turn.sin()) / radius, w = v.abs();
  const Tensor square = torch::max(u, w), disc = u * u + v * v;
  const Tensor kinds = torch::stack({
      disc.lt(1),                                // disc
      square.lt(0.85),                           // square
      v.lt(0.5).logical_and(v.gt(1.7 * u - 1)),  // triangle
      torch::min(u, w).lt(0.25) & square.lt(1),  // cross
      u.lt(0.25) & square.lt(1),                 // bar
      disc.lt(1) & disc.gt(0.4),                 // ring
      square.lt(0.85) & square.gt(0.5),          // frame
      square.lt(1) & (u.lt(0.25) | v.gt(0.5)),   // T
  });
  const Tensor inside = kinds.index({shapes, torch::arange(n, torch::kLong)});
  return (inside * drawn(0.5, 1) + 0.1 * torch::randn({n, 28, 28})).unsqueeze(1);
}

// Trains the parameters that require gradients. `next` returns pictures and classes.
template <class Next>
void train(Net& net, int steps, double lr, const Next& next) {
  std::vector<Tensor> parameters;
  for (const Tensor& p : net->parameters())
    if (p.requires_grad()) parameters.push_back(p);
  torch::optim::Adam optimizer(parameters, torch::optim::AdamOptions(lr));
  for (int step = 1; step <= steps; ++step) {
    const auto [x, classes] = next();
    optimizer.zero_grad();
    const Tensor loss = nn::functional::cross_entropy(net->forward(x), classes);
    loss.backward();
    optimizer.step();
    if (step % 100 == 0) std::printf("step %d/%d  loss %.3f\n", step, steps, loss.item<double>());
  }
}

void pretrain(const std::string& path, int steps) {
  expect_writable(path);
  Net net(kOld);
  train(net, steps, 2e-3, [] {
    const Tensor shapes = torch::randint(kOld, {kBatch}, torch::kLong);
    return std::make_pair(draw(shapes), shapes);
  });
  Names values;
  for (const auto& item : net->named_parameters()) values.insert(item.key(), item.value().detach());
  const std::vector<char> bytes = torch::pickle_save(values);
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// Copies the features of a state_dict, which torch.save wrote, into the network.
void load_features(Net& net, const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(in)), {});
  if (!in)
    throw std::invalid_argument(path + ": cannot be read; make it by 'python3 pretrain.py " + path +
                                "', or without Python by 'transfer_learning --pretrain " + path +
                                "'");
  const torch::NoGradGuard no_grad;
  const auto values = torch::pickle_load(bytes).toGenericDict();
  for (const auto& item : net->features->named_parameters()) {
    const auto found = values.find("features." + item.key());  // the head has other classes
    if (found == values.end() || found->value().toTensor().sizes() != item.value().sizes())
      throw std::invalid_argument(path + ": expected features." + item.key() +
                                  " as pretrain.py writes it");
    torch::Tensor(item.value()).copy_(found->value().toTensor());
  }
}

int main(int argc, char** argv) try {
  const bool writes = argc > 1 && std::string(argv[1]) == "--pretrain";
  const int at = writes ? 2 : 1;
  if (argc <= at) throw std::invalid_argument("expected [--pretrain] CHECKPOINT [STEPS]");
  const int steps = count_argument(argc, argv, at + 1, "STEPS", writes ? 400 : 200);
  torch::manual_seed(1);
  if (writes) return pretrain(argv[at], steps), 0;

  // The network learns from only five pictures of each new shape.
  const Tensor classes = torch::arange(kNew, torch::kLong).repeat({kPictures});
  const Tensor pictures = draw(classes + kOld);
  const Tensor test_classes = torch::randint(kNew, {kTest}, torch::kLong);
  const Tensor test_pictures = draw(test_classes + kOld);
  for (const bool transfers : {true, false}) {
    Net net(kNew);
    if (transfers) {
      load_features(net, argv[at]);
      for (Tensor& p : net->features->parameters())
        p.set_requires_grad(false);  // only the head learns
    }
    train(net, steps, transfers ? 1e-2 : 2e-3, [&] { return std::make_pair(pictures, classes); });
    const torch::NoGradGuard no_grad;
    const Tensor right = net->forward(test_pictures).argmax(1).eq(test_classes);
    std::printf("%s: %.1f%% of the test pictures right\n",
                transfers ? "with the features of the checkpoint" : "from scratch",
                100 * right.to(torch::kFloat).mean().item<double>());
  }
} catch (const std::exception& e) {
  std::fprintf(stderr, "transfer_learning: %s\n", e.what());
  return 1;
}
