// Fits y = 2 x - 1 with one linear layer, in LibTorch's words only.
#include <ATen/ATen.h>
#include <c10/util/Exception.h>
#include <torch/torch.h>

// No standard header: LibTorch's bring <cmath>, <iostream>, ... and programs lean on that.

struct NetImpl : torch::nn::Module {
  NetImpl() : line(register_module("line", torch::nn::Linear(1, 1))) {}
  torch::Tensor forward(const torch::Tensor& x) { return line(x); }
  torch::nn::Linear line;
};
TORCH_MODULE(Net);

// Programs reopen these namespaces for helpers of their own.
namespace torch {
inline Tensor squared_error(const Tensor& a, const Tensor& b) { return (a - b).pow(2).mean(); }
}  // namespace torch

static double fit(Net net) {
  torch::optim::SGD sgd(net->parameters(), torch::optim::SGDOptions(0.1).momentum(0.5));
  auto x = torch::linspace(-1, 1, 32).view({32, 1});
  auto y = 2 * x - 1;
  double last = 0;
  for (int step = 0; step < 200; ++step) {
    sgd.zero_grad();
    auto loss = torch::squared_error(net->forward(x), y);
    loss.backward();
    sgd.step();
    last = loss.item<double>();
  }
  return last;
}

static std::string error_text() {
  try {
    auto wrong = at::ones({2, 3}).mm(at::ones({2, 3}));
  } catch (const c10::Error& e) {
    return e.what_without_backtrace();
  }
  return "nothing was thrown";
}

int main() {
  torch::manual_seed(0);
  Net net;
  const double loss = fit(net);
  TORCH_CHECK(loss < 1e-6, "the fit did not converge: ", loss);
  const double slope = net->line->weight.item<double>(), offset = net->line->bias.item<double>();
  std::cout << "slope " << std::round(slope * 1000) / 1000 << ", offset "
            << std::round(offset * 1000) / 1000 << '\n';
  const std::unordered_set<at::ScalarType> dtypes{torch::kFloat, net->line->bias.scalar_type()};
  TORCH_CHECK(dtypes.size() == 1, "the layer is not of floats");
  std::cout << error_text() << '\n';
}
