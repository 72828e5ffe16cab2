// A small U-Net (Ronneberger, Fischer and Brox, 2015) finds discs and squares in noisy pictures,
// pixel by pixel.
//
//   segmentation [STEPS]     writes segmentation.pgm. Its rows: pictures, right classes, found ones
#include <torch/torch.h>

#include <cstdio>
#include <exception>

#include "pictures/arguments.h"
#include "pictures/pgm.h"

namespace nn = torch::nn;
namespace F = torch::nn::functional;
using torch::Tensor;

constexpr int64_t kSize = 32, kClasses = 3, kBatch = 16, kTest = 64;

struct Pictures {
  Tensor x, classes;  // (N, 1, 32, 32) and (N, 32, 32)
};

// Draws a disc (class 1) and a square (class 2) on each picture. Both have random brightness, so
// that only the shape tells them apart.
Pictures draw(int64_t count) {
  const Tensor axis = torch::arange(kSize, torch::kFloat);
  const auto drawn = [&](double low, double high) {
    return low + (high - low) * torch::rand({count, 1, 1});
  };
  Tensor x = torch::zeros({count, kSize, kSize});
  Tensor classes = torch::zeros({count, kSize, kSize}, torch::kLong);
  for (const int64_t shape : {1, 2}) {
    const Tensor dy = (axis.view({1, -1, 1}) - drawn(4, kSize - 4)).abs();
    const Tensor dx = (axis.view({1, 1, -1}) - drawn(4, kSize - 4)).abs();
    const Tensor radius = drawn(4, 9);
    const Tensor inside =
        shape == 1 ? (dx * dx + dy * dy).lt(radius * radius) : torch::max(dx, dy).lt(radius);
    x = torch::where(inside, drawn(0.4, 1), x);
    classes.masked_fill_(inside, shape);
  }
  return {(x + 0.15 * torch::randn_like(x)).unsqueeze(1), classes};
}

nn::Sequential block(int64_t in, int64_t out) {
  const auto conv = [](int64_t from, int64_t to) {
    return nn::Conv2d(nn::Conv2dOptions(from, to, 3).padding(1).bias(false));
  };
  return nn::Sequential(conv(in, out), nn::BatchNorm2d(out), nn::ReLU(), conv(out, out),
                        nn::BatchNorm2d(out), nn::ReLU());
}

class UNetImpl : public nn::Module {
 public:
  // Maps pictures (N, 1, H, W) to logits (N, 3, H, W). H and W are multiples of 4.
  Tensor forward(const Tensor& x) {
    const Tensor fine = down1->forward(x);
    const Tensor middle = down2->forward(torch::max_pool2d(fine, 2));
    Tensor y = bottom->forward(torch::max_pool2d(middle, 2));
    y = up2->forward(torch::cat({doubled(y), middle}, 1));
    y = up1->forward(torch::cat({doubled(y), fine}, 1));
    return output(y);
  }

 private:
  static Tensor doubled(const Tensor& x) {
    return F::interpolate(
        x,
        F::InterpolateFuncOptions().scale_factor(std::vector<double>{2, 2}).mode(torch::kNearest));
  }
  nn::Sequential down1 = register_module("down1", block(1, 16));
  nn::Sequential down2 = register_module("down2", block(16, 32));
  nn::Sequential bottom = register_module("bottom", block(32, 64));
  nn::Sequential up2 = register_module("up2", block(64 + 32, 32));
  nn::Sequential up1 = register_module("up1", block(32 + 16, 16));
  nn::Conv2d output = register_module("output", nn::Conv2d(16, kClasses, 1));
};
TORCH_MODULE(UNet);

// Returns the intersection over union: the number of pixels that have the class in both tensors,
// divided by the number that have it in at least one.
double iou(const Tensor& found, const Tensor& right, int64_t shape) {
  const Tensor a = found.eq(shape), b = right.eq(shape);
  return a.logical_and(b).sum().item<double>() / a.logical_or(b).sum().item<double>();
}

int main(int argc, char** argv) try {
  if (prints_help(argc, argv,
                  "segmentation [STEPS]: finds shapes in pictures, writes segmentation.pgm"))
    return 0;
  const int steps = count_argument(argc, argv, 1, "STEPS", 300);
  expect_writable("segmentation.pgm");
  torch::manual_seed(1);
  const Pictures test = draw(kTest);
  UNet net;
  torch::optim::AdamW optimizer(net->parameters(), torch::optim::AdamWOptions(3e-3));
  for (int step = 1; step <= steps; ++step) {
    const Pictures batch = draw(kBatch);
    optimizer.zero_grad();
    const Tensor loss = F::cross_entropy(net(batch.x), batch.classes);
    loss.backward();
    optimizer.step();
    if (step % 50 == 0 || step == steps)
      std::printf("step %d/%d  loss %.3f\n", step, steps, loss.item<double>());
  }
  const torch::NoGradGuard no_grad;
  net->eval();
  const Tensor found = net(test.x).argmax(1);
  const double disc = iou(found, test.classes, 1), square = iou(found, test.classes, 2);
  std::printf("IoU of %d test pictures: discs %.3f, squares %.3f, mean %.3f\n",
              static_cast<int>(kTest), disc, square, (disc + square) / 2);
  const auto gray = [](const Tensor& classes) {
    return (classes.slice(0, 0, 12).to(torch::kFloat) / (kClasses - 1)).unsqueeze(1);
  };
  write_pgm(torch::cat({test.x.slice(0, 0, 12), gray(test.classes), gray(found)}), 12,
            "segmentation.pgm");
} catch (const std::exception& e) {
  std::fprintf(stderr, "segmentation: %s\n", e.what());
  return 1;
}
