// ResNet-18 for images of 32 x 32: He et al., Deep Residual Learning for Image Recognition (CVPR
// 2016), with the first layer of that paper's section 4.2, a 3 x 3 convolution and no pooling.
#pragma once

#include <taper/taper.h>

#include <memory>

namespace cifar {

namespace nn = taper::nn;
using taper::Tensor;

inline nn::Conv2d conv(int64_t from, int64_t to, int64_t kernel, int64_t stride = 1) {
  return nn::Conv2d(
      nn::Conv2dOptions(from, to, kernel).stride(stride).padding(kernel / 2).bias(false));
}

// Two convolutions beside a shortcut: (N, from, H, W) to (N, to, H / stride, W / stride).
class BlockImpl : public nn::Module {
 public:
  BlockImpl(int64_t from, int64_t to, int64_t stride)
      : conv1(register_module("conv1", conv(from, to, 3, stride))),
        conv2(register_module("conv2", conv(to, to, 3))),
        norm1(register_module("norm1", nn::BatchNorm2d(to))),
        norm2(register_module("norm2", nn::BatchNorm2d(to))) {
    if (stride != 1 || from != to)
      shortcut = register_module("shortcut",
                                 nn::Sequential(conv(from, to, 1, stride), nn::BatchNorm2d(to)));
  }
  Tensor forward(const Tensor& x) {
    const Tensor y = norm2(conv2(norm1(conv1(x)).relu()));
    return (y + (shortcut.is_empty() ? x : shortcut->forward(x))).relu();
  }

 private:
  nn::Conv2d conv1, conv2;
  nn::BatchNorm2d norm1, norm2;
  nn::Sequential shortcut{nullptr};
};
TAPER_MODULE(Block);

// Maps images (N, 3, 32, 32) to logits (N, 10). `width`: channels of the first of four stages, 64
// in the paper.
class ResNet18Impl : public nn::Module {
 public:
  explicit ResNet18Impl(int64_t width = 64) {
    first = register_module("first",
                            nn::Sequential(conv(3, width, 3), nn::BatchNorm2d(width), nn::ReLU()));
    stages = register_module("stages", nn::Sequential());
    int64_t from = width;
    for (int stage = 0; stage < 4; ++stage)
      for (int block = 0; block < 2; ++block) {
        const int64_t to = width << stage;
        stages->push_back(Block(from, to, stage > 0 && block == 0 ? 2 : 1));
        from = to;
      }
    last = register_module("last", nn::Linear(from, 10));
  }
  Tensor forward(const Tensor& x) {
    return last(stages->forward(first->forward(x)).mean(taper::IntArrayRef{2, 3}));
  }

 private:
  nn::Sequential first{nullptr}, stages{nullptr};
  nn::Linear last{nullptr};
};
TAPER_MODULE(ResNet18);

}  // namespace cifar
