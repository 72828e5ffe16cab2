// Calls a custom operator by name, compares its gradient with finite differences, and trains a
// network with it. With Taper, <taper/testing/gradcheck.h> makes a more thorough comparison in one
// line.
#include <torch/library.h>
#include <torch/torch.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "pictures/svg.h"

using torch::Tensor;

static Tensor swish(const Tensor& x, double beta = 1) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("mine::swish", "")
                             .typed<Tensor(const Tensor&, double)>();
  return op.call(x, beta);
}

// The largest difference between the gradient and central differences, in doubles.
static double gradient_error(double beta) {
  const Tensor x = torch::linspace(-4, 4, 33, torch::kDouble).requires_grad_();
  swish(x, beta).sum().backward();
  const double step = 1e-6;
  const Tensor at = x.detach();
  const Tensor numeric = (swish(at + step, beta) - swish(at - step, beta)) / (2 * step);
  return (x.grad() - numeric).abs().max().item<double>();
}

static std::vector<double> numbers(const Tensor& t) {
  const Tensor d = t.detach().cpu().to(torch::kDouble).contiguous();
  return {d.data_ptr<double>(), d.data_ptr<double>() + d.numel()};
}

// Writes custom_op.svg.
static double train(torch::Device device) {
  torch::manual_seed(0);
  torch::nn::Linear in(1, 32), out(32, 1);
  in->to(device);
  out->to(device);
  std::vector<Tensor> parameters = in->parameters();
  for (const Tensor& p : out->parameters()) parameters.push_back(p);
  torch::optim::Adam optimizer(parameters, 0.01);
  const Tensor x = torch::linspace(-3, 3, 128).unsqueeze(1).to(device);
  const Tensor want = torch::sin(x);
  Tensor loss;
  for (int step = 0; step < 500; ++step) {
    optimizer.zero_grad();
    loss = torch::mse_loss(out(swish(in(x), 1.5)), want);
    loss.backward();
    optimizer.step();
  }
  write_svg({{"sin(x)", numbers(x), numbers(want)},
             {"32 swishes", numbers(x), numbers(out(swish(in(x), 1.5)))}},
            "x", "custom_op.svg");
  return loss.item<double>();
}

static bool has_cuda_kernel() {
  return c10::Dispatcher::singleton()
      .findSchemaOrThrow("mine::swish", "")
      .hasKernelForDispatchKey(c10::DispatchKey::CUDA);
}

int main(int argc, char** argv) try {
  const std::string option = argc > 1 ? argv[1] : "";
  if (option == "--help") {
    std::printf("custom_op [--disable-cuda]: an operator of its own, checked and trained\n");
    return EXIT_SUCCESS;
  }
  if (argc > 2 || (!option.empty() && option != "--disable-cuda")) {
    std::fprintf(stderr, "custom_op: expected --disable-cuda or nothing, got %s\n", argv[argc - 1]);
    return EXIT_FAILURE;
  }
  expect_writable("custom_op.svg");
  const double error = gradient_error(1.5);
  std::printf("gradient: %.1e from central differences\n", error);
  const bool on_gpu = option.empty() && has_cuda_kernel() && torch::cuda::is_available();
  const double loss = train(on_gpu ? torch::kCUDA : torch::kCPU);
  std::printf("sin(x) by 32 swishes on the %s: loss %.5f after 500 steps\n", on_gpu ? "GPU" : "CPU",
              loss);
  return error < 1e-8 && loss < 0.01 ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const std::exception& e) {
  std::fprintf(stderr, "custom_op: %s\n", e.what());
  return EXIT_FAILURE;
}
