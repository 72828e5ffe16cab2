#include <taper/utils/flop_counter.h>

#include <gtest/gtest.h>
#include <taper/taper.h>

#include <sstream>

#include "test_util.h"

namespace torch::taper {
namespace {

using utils::count_flops;
using utils::FlopCounts;

// The sums of a network's call, forward and backward.
void expect_flops(const Tensor& output, int64_t forward, int64_t backward) {
  const FlopCounts counts = count_flops(output);
  EXPECT_EQ(counts.forward(), forward) << counts;
  EXPECT_EQ(counts.backward(), backward) << counts;
}

Tensor leaf(IntArrayRef sizes) { return rand(sizes).requires_grad_(); }

TEST(FlopCounter, ProductsOfMatrices) {
  const int64_t product = 2 * 3 * 4 * 5;
  expect_flops(leaf({3, 4}).mm(leaf({4, 5})), product, 2 * product);
  expect_flops(leaf({3, 4}).mm(rand({4, 5})), product, product);
  expect_flops(rand({3, 4}).mm(leaf({4, 5})), product, product);
  expect_flops(addmm(leaf({5}), leaf({3, 4}), leaf({4, 5})), product, 2 * product);
  expect_flops(leaf({7, 3, 4}).bmm(leaf({7, 4, 5})), 7 * product, 14 * product);
  expect_flops(leaf({7, 3, 4}).matmul(rand({7, 4, 5})), 7 * product, 7 * product);
  expect_flops(leaf({3, 4}).mv(leaf({4})), 24, 48);
  expect_flops(rand({3, 4}).mv(leaf({4})), 24, 24);
  expect_flops(leaf({6}).dot(leaf({6})), 12, 24);
}

TEST(FlopCounter, LinearLayers) {
  nn::Linear layer(4, 5);
  expect_flops(layer(rand({3, 4})), 2 * 3 * 4 * 5, 2 * 3 * 4 * 5);
  expect_flops(layer(leaf({2, 3, 4})), 2 * 6 * 4 * 5, 2 * 2 * 6 * 4 * 5);
  for (const bool bias : {true, false}) {
    nn::Sequential net(nn::Linear(nn::LinearOptions(4, 7).bias(bias)), nn::ReLU());
    expect_flops(net->forward(rand({3, 4})), 2 * 3 * 4 * 7, 2 * 3 * 4 * 7);
    expect_flops(net->forward(leaf({3, 4})), 2 * 3 * 4 * 7, 2 * 2 * 3 * 4 * 7);
    expect_flops(net->ptr<nn::LinearImpl>(0)->forward(leaf({3, 4})), 2 * 3 * 4 * 7,
                 2 * 2 * 3 * 4 * 7);
  }
}

TEST(FlopCounter, Convolutions) {
  // 8 maps of 6 x 6 from 3 channels by 3 x 3, two images.
  nn::Conv2d conv(nn::Conv2dOptions(3, 8, 3));
  const int64_t flops = 2 * 2 * 8 * 6 * 6 * 3 * 3 * 3;
  expect_flops(conv(rand({2, 3, 8, 8})), flops, flops);
  expect_flops(conv(leaf({2, 3, 8, 8})), flops, 2 * flops);
  // With maxima of 2 x 2 behind them, in one pass or in three.
  nn::Sequential net(nn::Conv2d(nn::Conv2dOptions(3, 16, 3)), nn::ReLU(), nn::MaxPool2d(2));
  expect_flops(net->forward(rand({2, 3, 8, 8})), 2 * flops, 2 * flops);
  expect_flops(net->forward(leaf({2, 3, 8, 8})), 2 * flops, 4 * flops);
  nn::Conv2d grouped(nn::Conv2dOptions(4, 8, 3).groups(2).padding(1));
  expect_flops(grouped(leaf({1, 4, 8, 8})), 2 * 8 * 64 * 2 * 9, 2 * 2 * 8 * 64 * 2 * 9);
  // 4 channels of 5 x 5 spread over 3 by 2 x 2.
  nn::ConvTranspose2d spread(nn::ConvTranspose2dOptions(4, 3, 2).stride(2));
  expect_flops(spread(leaf({1, 4, 5, 5})), 2 * 25 * 4 * 3 * 4, 2 * 2 * 25 * 4 * 3 * 4);
}

TEST(FlopCounter, RecurrentLayers) {
  nn::LSTM lstm(nn::LSTMOptions(3, 5));
  const int64_t flops = 2 * 7 * 2 * (20 * 3 + 20 * 5);
  expect_flops(std::get<0>(lstm(rand({7, 2, 3}))), flops, flops);
  expect_flops(std::get<0>(lstm(leaf({7, 2, 3}))), flops, 2 * flops);
}

TEST(FlopCounter, Attention) {
  const Tensor q = leaf({2, 4, 6, 8}), k = leaf({2, 4, 5, 8}), v = leaf({2, 4, 5, 3});
  const int64_t scores = 2 * 8 * 6 * 5 * 8, values = 2 * 8 * 6 * 5 * 3;
  const FlopCounts counts = count_flops(scaled_dot_product_attention(q, k, v));
  EXPECT_EQ(counts.forward(), scores + values) << counts;
}

TEST(FlopCounter, OtherOpsCountNothingAndNothingIsLeft) {
  const Tensor x = leaf({3, 4}), w = leaf({4, 5});
  const Tensor y = x.mm(w).relu().sum();
  EXPECT_EQ(count_flops(y).ops.size(), 1u);
  EXPECT_FALSE(x.grad().defined());
  expect_flops(y, 120, 240);  // and once more
  y.backward();
  EXPECT_TRUE(w.grad().defined());
}

TEST(FlopCounter, Prints) {
  std::ostringstream text;
  text << count_flops(leaf({3, 4}).mm(leaf({4, 5})));
  EXPECT_EQ(text.str(),
            "Op                             Calls           Forward          Backward\n"
            "Mm                                 1               120               240\n"
            "Total                              1               120               240\n");
}

TEST(FlopCounter, Errors) {
  EXPECT_THROW(count_flops(Tensor()), ValueError);
  EXPECT_THROW(count_flops(rand({3})), ValueError);
  EXPECT_THROW(count_flops(leaf({3})), ValueError);
}

}  // namespace
}  // namespace torch::taper
