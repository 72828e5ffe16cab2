#include <taper/ops/shared/optional_tensors.h>

#include <gtest/gtest.h>

#include <taper/taper.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Maybe = optional<Tensor>;

TEST(OptionalTensors, OfNorms) {
  const Tensor x = numbers({3, 4}, kDouble), w = numbers({4}, kDouble), b = w.add(1);
  const Maybe weight = w, bias = b, none;
  EXPECT_TRUE(layer_norm(x, {4}, weight, bias).equal(layer_norm(x, {4}, w, b)));
  EXPECT_TRUE(layer_norm(x, {4}, weight, {}).equal(layer_norm(x, {4}, w)));
  EXPECT_TRUE(layer_norm(x, {4}, none, b).equal(layer_norm(x, {4}, {}, b)));
  EXPECT_TRUE(layer_norm(x, {4}, nullopt, nullopt, 0.5).equal(layer_norm(x, {4}, {}, {}, 0.5)));
  EXPECT_TRUE(group_norm(x, 2, weight, bias).equal(group_norm(x, 2, w, b)));
  EXPECT_TRUE(rms_norm(x, {4}, weight, 0.1).equal(rms_norm(x, {4}, w, 0.1)));
  const Tensor y = batch_norm(x, weight, bias, none, nullopt, true, 0.1, 1e-5);
  EXPECT_TRUE(y.equal(batch_norm(x, w, b, {}, {}, true, 0.1, 1e-5)));
  const Tensor z = x.view({3, 2, 2});
  EXPECT_TRUE(instance_norm(z, none, none, none, none, true, 0.1, 1e-5)
                  .equal(instance_norm(z, {}, {}, {}, {}, true, 0.1, 1e-5)));
}

TEST(OptionalTensors, OfConvolutionsAndProducts) {
  const Tensor x = numbers({2, 3, 5}, kDouble), w = numbers({3, 3, 3}, kDouble),
               b = numbers({3}, kDouble);
  const Maybe bias = b, none;
  EXPECT_TRUE(conv1d(x, w, bias, 2, 1).equal(conv1d(x, w, b, 2, 1)));
  EXPECT_TRUE(conv1d(x, w, none).equal(conv1d(x, w)));
  EXPECT_TRUE(conv1d(x, w, nullopt, 1, "same").equal(conv1d(x, w, {}, 1, "same")));
  EXPECT_TRUE(conv_transpose1d(x, w, bias, 2).equal(conv_transpose1d(x, w, b, 2)));
  EXPECT_TRUE(convolution(x, w, bias, 1, 0, 1, false, 0, 1)
                  .equal(convolution(x, w, b, 1, 0, 1, false, 0, 1)));
  const Tensor image = x.unsqueeze(0), elements = w.unsqueeze(0).narrow(1, 0, 2);
  EXPECT_TRUE(conv2d(image.narrow(1, 0, 2), elements, none, {1, 1}, {1, 0})
                  .equal(conv2d(image.narrow(1, 0, 2), elements, {}, {1, 1}, {1, 0})));
  const Tensor rows = numbers({2, 3}, kDouble), square = numbers({3, 3}, kDouble);
  EXPECT_TRUE(linear(rows, square, bias).equal(linear(rows, square, b)));
  EXPECT_TRUE(linear(rows, square, nullopt).equal(linear(rows, square)));
}

TEST(OptionalTensors, OfAttentionAndCells) {
  const Tensor q = numbers({2, 3, 4}, kDouble), mask = numbers({3, 3}, kDouble);
  EXPECT_TRUE(scaled_dot_product_attention(q, q, q, Maybe(mask))
                  .equal(scaled_dot_product_attention(q, q, q, mask)));
  EXPECT_TRUE(scaled_dot_product_attention(q, q, q, nullopt, 0.0, true)
                  .equal(scaled_dot_product_attention(q, q, q, {}, 0.0, true)));
  const Tensor x = numbers({2, 3}, kDouble), h = x.mul(2), w = numbers({9, 3}, kDouble),
               b = numbers({9}, kDouble);
  EXPECT_TRUE(gru_cell(x, h, w, w, Maybe(b), Maybe(b)).equal(gru_cell(x, h, w, w, b, b)));
  EXPECT_TRUE(gru_cell(x, h, w, w, nullopt, {}).equal(gru_cell(x, h, w, w)));
  const Tensor v = w.narrow(0, 0, 3);
  EXPECT_TRUE(rnn_tanh_cell(x, h, v, v, Maybe()).equal(rnn_tanh_cell(x, h, v, v)));
  EXPECT_TRUE(rnn_relu_cell(x, h, v, v, Maybe()).equal(rnn_relu_cell(x, h, v, v)));
  const Tensor u = numbers({12, 3}, kDouble);
  EXPECT_TRUE(std::get<1>(lstm_cell(x, {h, h}, u, u, Maybe(), nullopt))
                  .equal(std::get<1>(lstm_cell(x, {h, h}, u, u))));
}

}  // namespace
}  // namespace torch::taper::testing
