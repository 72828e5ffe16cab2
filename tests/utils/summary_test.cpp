// summary: rows, totals, text.
#include <gtest/gtest.h>

#include <sstream>

#include <taper/taper.h>
#include <taper/utils/summary.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

using utils::LayerSummary;
using utils::ModelSummary;

// As programs for LibTorch are written: forward() by name.
struct NetImpl : nn::Module {
  NetImpl() {
    register_module("conv1", conv1);
    register_module("norm", norm);
    register_module("drop", drop);
    register_module("fc", fc);
  }
  Tensor forward(Tensor x) {
    x = relu(norm->forward(conv1->forward(x)));
    return fc->forward(drop(max_pool2d(x, 2)).flatten(1));
  }
  nn::Conv2d conv1{nn::Conv2dOptions(1, 4, 3)};
  nn::BatchNorm2d norm{4};
  nn::Dropout drop;
  nn::Linear fc{4 * 13 * 13, 10};
};
TAPER_MODULE(Net);

TEST(Summary, SizesOfModulesThatAreCalledByName) {
  const ModelSummary s = utils::summary(Net(), zeros({2, 1, 28, 28}));
  ASSERT_EQ(s.layers.size(), 5u);
  const std::vector<std::vector<int64_t>> sizes = {
      {2, 10}, {2, 4, 26, 26}, {2, 4, 26, 26}, {2, 4, 13, 13}, {2, 10}};
  for (size_t i = 0; i < sizes.size(); ++i) EXPECT_EQ(s.layers[i].output_sizes, sizes[i]) << i;
  EXPECT_EQ(s.layers[1].type, "Conv2d");
  EXPECT_EQ(s.layers[1].num_params, 4 * 9 + 4);
  EXPECT_EQ(s.layers[1].mult_adds, 40 * 2 * 26 * 26);
  EXPECT_EQ(s.layers[4].mult_adds, 6770 * 2);
  EXPECT_EQ(s.num_params, 40 + 8 + 6770);
  EXPECT_EQ(s.input_bytes, 2 * 28 * 28 * 4);
}

TEST(Summary, SizesInSequences) {
  nn::Sequential net(nn::Linear(8, 4), nn::ReLU(), nn::Linear(4, 2));
  net->ptr(2)->parameters()[0].requires_grad_(false);
  const ModelSummary s = utils::summary(net, zeros({5, 8}));
  EXPECT_EQ(s.layers[2].output_sizes, (std::vector<int64_t>{5, 4}));
  EXPECT_EQ(s.num_params, 36 + 10);
  EXPECT_EQ(s.num_trainable, 36 + 2);
}

TEST(Summary, LeavesTheNetworkAsItWas) {
  Net net;
  net->drop->eval();
  const Tensor mean = net->norm->running_mean.clone();
  utils::summary(net, randn({2, 1, 28, 28}));
  EXPECT_TRUE(net->is_training());
  EXPECT_TRUE(net->norm->is_training());
  EXPECT_FALSE(net->drop->is_training());
  EXPECT_TRUE(net->norm->running_mean.equal(mean));
  for (const Tensor& p : net->parameters()) EXPECT_FALSE(p.grad().defined());
  EXPECT_FALSE(net->has_hooks());
}

TEST(Summary, LeavesTheNetworkAsItWasAfterAnError) {
  Net net;
  EXPECT_ANY_THROW(utils::summary(net, zeros({2, 3, 28, 28})));
  EXPECT_TRUE(net->is_training());
  EXPECT_FALSE(net->has_hooks());
  EXPECT_NE(message_of([&] { utils::summary(net, Tensor()); }).find("summary: expected a tensor"),
            std::string::npos);
}

std::string text_of(const ModelSummary& s) {
  std::ostringstream text;
  text << s;
  return text.str();
}

TEST(Summary, FromSizesItIsThatOfTensors) {
  Net net;
  EXPECT_EQ(text_of(utils::summary(net, {2, 1, 28, 28})),
            text_of(utils::summary(net, zeros({2, 1, 28, 28}))));
  EXPECT_FALSE(net->has_hooks());
  EXPECT_TRUE(net->is_training());
  nn::Sequential words(nn::Embedding(10, 3), nn::Flatten(), nn::Linear(18, 2));
  EXPECT_EQ(utils::summary(words, utils::InputSizes({4, 6}, kLong)).layers[1].output_sizes,
            (std::vector<int64_t>{4, 6, 3}));
}

// Adds its two inputs, and counts what is computed; where it is told so, it looks at a value.
struct CountingImpl : nn::Module {
  explicit CountingImpl(bool looks) : looks(looks) {}
  Tensor forward(const Tensor& a, const Tensor& b) {
    calls.add_(1);
    const Tensor y = fc->forward(a) + b;
    if (looks) sum = y.sum().item<double>();
    return y;
  }
  bool looks;
  double sum = -1;
  nn::Linear fc = register_module("fc", nn::Linear(3, 3));
  Tensor calls = register_buffer("calls", zeros({}));
};
TAPER_MODULE(Counting);

TEST(Summary, FromSizesNothingIsComputed) {
  Counting net(false);
  const ModelSummary s = utils::summary(net, {5, 3}, utils::InputSizes{1, 3});
  EXPECT_EQ(net->calls.item<double>(), 0);
  EXPECT_EQ(s.layers[0].output_sizes, (std::vector<int64_t>{5, 3}));
  EXPECT_EQ(s.layers[1].output_sizes, (std::vector<int64_t>{5, 3}));
  EXPECT_EQ(s.input_bytes, (15 + 3) * 4);
  EXPECT_EQ((net->forward(ones({1, 3}), ones({1, 3})), net->calls.item<double>()), 1);
}

TEST(Summary, FromSizesWhatLooksAtValuesIsComputed) {
  Counting net(true);
  const ModelSummary s = utils::summary(net, {5, 3}, utils::InputSizes{1, 3});
  EXPECT_EQ(net->calls.item<double>(), 1);
  EXPECT_NE(net->sum, -1);
  EXPECT_EQ(s.layers[1].output_sizes, (std::vector<int64_t>{5, 3}));
  EXPECT_FALSE(net->has_hooks());
}

// (profiler_test.cpp simulates one.)
TEST(Summary, FromSizesOnDevices) {
  Counting net(false);
  net->to(Device(kCUDA, 0));
  const cuda::Stream before = cuda::current_stream(0);
  const ModelSummary s = utils::summary(net, {5, 3}, utils::InputSizes{5, 3});
  EXPECT_EQ(net->calls.item<double>(), 0);
  EXPECT_EQ(s.layers[1].output_sizes, (std::vector<int64_t>{5, 3}));
  EXPECT_TRUE(cuda::current_stream(0) == before);
  EXPECT_FALSE(cuda::is_current_stream_capturing());
}

TEST(Summary, BadSizesAreErrors) {
  Net net;
  EXPECT_NE(message_of([&] {
              utils::summary(net, {2, -1, 28, 28});
            }).find("summary: expected sizes of at least 0, got [2, -1, 28, 28]"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              utils::summary(net, {2, 3, 28, 28});
            }).find("conv"),
            std::string::npos);
  EXPECT_TRUE(net->is_training());
  EXPECT_FALSE(net->has_hooks());
  rand({2}).add(1).sum().item<double>();  // nothing is captured any more
}

TEST(Summary, IntegersAndFrozenModules) {
  nn::Sequential net(nn::Embedding(10, 3), nn::LayerNorm(nn::LayerNormOptions({3})));
  for (Tensor& p : net->parameters()) p.requires_grad_(false);
  const ModelSummary s = utils::summary(net, zeros({4, 6}, kLong));
  EXPECT_EQ(s.layers[1].output_sizes, (std::vector<int64_t>{4, 6, 3}));
  EXPECT_EQ(s.num_trainable, 0);
}

TEST(Summary, Text) {
  nn::Sequential net(nn::Linear(64, 32), nn::ReLU());
  std::ostringstream text;
  text << utils::summary(net, zeros({16, 64}));
  EXPECT_EQ(
      text.str(),
      R"(==========================================================================================
Layer (type (name):depth-idx)            Output Shape              Param #
==========================================================================================
Sequential                               [16, 32]                  --
├─Linear (0): 1-1                        [16, 32]                  2,080
└─ReLU (1): 1-2                          [16, 32]                  --
==========================================================================================
Total params: 2,080
Trainable params: 2,080
Non-trainable params: 0
Total mult-adds (M): 0.03
==========================================================================================
Input size (MB): 0.00
Forward/backward pass size (MB): 0.00
Params size (MB): 0.01
Estimated Total Size (MB): 0.02
==========================================================================================
)");
}

}  // namespace
}  // namespace torch::taper::testing
