// Attention and transformer modules. tests/parity/transformer.cpp compares their numbers with
// LibTorch.
#include <taper/nn/modules/transformer.h>

#include <gtest/gtest.h>

#include <sstream>

#include <taper/framework/random/random.h>
#include <taper/nn/functional/attention.h>
#include <taper/nn/modules/container/sequential.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/nn/linear.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

bool equal(const Tensor& a, const Tensor& b) { return a.cpu().allclose(b.cpu(), 1e-4, 1e-5); }

nn::TransformerEncoderLayerOptions small_layer() {
  return nn::TransformerEncoderLayerOptions(8, 2).dim_feedforward(6).dropout(0);
}

TEST(MultiheadAttentionModule, IsItsDefinition) {
  manual_seed(1);
  nn::MultiheadAttention net(8, 2);
  const Tensor x = randn({5, 3, 8});
  const auto [y, weights] = net->forward(x, x, x);
  const auto p = x.matmul(net->in_proj_weight.t()).add(net->in_proj_bias).chunk(3, 2);
  std::vector<Tensor> heads, each;
  for (int64_t h = 0; h < 2; ++h) {
    const auto of = [&](const Tensor& t) { return t.narrow(2, 4 * h, 4).transpose(0, 1); };
    each.push_back(of(p[0]).matmul(of(p[1]).transpose(1, 2)).div(2).softmax(2));
    heads.push_back(each.back().matmul(of(p[2])).transpose(0, 1));
  }
  EXPECT_TRUE(equal(y, net->out_proj(cat(heads, 2))));
  EXPECT_TRUE(equal(weights, stack(each).mean(0)));
  EXPECT_TRUE(equal(std::get<1>(net->forward(x, x, x, {}, true, {}, false)), stack(each, 1)));
  EXPECT_FALSE(std::get<1>(net->forward(x, x, x, {}, false)).defined());
}

TEST(MultiheadAttentionModule, MasksHideKeys) {
  manual_seed(2);
  nn::MultiheadAttention net(
      nn::MultiheadAttentionOptions(8, 2).add_bias_kv(true).add_zero_attn(true));
  const Tensor q = randn({3, 2, 8}), k = randn({5, 2, 8});
  const Tensor hidden = tensor({0, 0, 0, 1, 1}, kInt).to(kBool);
  const Tensor cut = k.narrow(0, 0, 3), want = std::get<0>(net->forward(q, cut, cut));
  EXPECT_TRUE(equal(std::get<0>(net->forward(q, k, k, hidden.expand({2, 5}))), want));
  EXPECT_TRUE(equal(std::get<0>(net->forward(q, k, k, {}, true, hidden.expand({3, 5}))), want));
  EXPECT_TRUE(equal(std::get<0>(net->forward(q, k, k, {}, false, hidden.expand({4, 3, 5}))), want));
}

TEST(MultiheadAttentionModule, WrongArgumentsThrow) {
  nn::MultiheadAttention net(8, 2);
  const Tensor x = ones({3, 2, 8});
  expect_error("embed_dim must be divisible by num_heads", [] { nn::MultiheadAttention(8, 3); });
  expect_error("expected inputs of 3 dimensions", [&] { net->forward(x[0], x, x); });
  expect_error("expected a query of 8 features, got [3, 2, 7]", [&] {
    net->forward(ones({3, 2, 7}), x, x);
  });
  expect_error("a key and a value of one length", [&] { net->forward(x, x, ones({4, 2, 8})); });
  expect_error("expected an attn_mask (3, 3)", [&] {
    net->forward(x, x, x, {}, true, ones({3, 2}));
  });
  expect_error("expected a key_padding_mask (2, 3)", [&] { net->forward(x, x, x, ones({3, 3})); });
  expect_error("expected an attn_mask of bools or real numbers", [&] {
    net->forward(x, x, x, {}, true, ones({3, 3}, kComplexFloat));
  });
}

TEST(TransformerModule, DeviceGivesTheSame) {
  manual_seed(3);
  nn::Transformer net(nn::TransformerOptions(8, 2, 1, 1).dim_feedforward(6).dropout(0));
  const Tensor src = randn({5, 2, 8}), tgt = randn({3, 2, 8});
  const Tensor mask = nn::TransformerImpl::generate_square_subsequent_mask(3);
  const Tensor y = net->forward(src, tgt, {}, mask);
  y.square().sum().backward();
  const Tensor g = net->parameters()[0].grad().clone();
  net->zero_grad();
  net->to(Device("cuda:0"));
  const Tensor there = net->forward(src.cuda(), tgt.cuda(), {}, mask.cuda());
  there.square().sum().backward();
  EXPECT_TRUE(there.is_cuda());
  EXPECT_TRUE(equal(y, there));
  EXPECT_TRUE(equal(g, net->parameters()[0].grad()));
}

TEST(TransformerModule, MasksKeepTheFutureOut) {
  manual_seed(4);
  nn::TransformerEncoder net(nn::TransformerEncoderOptions(small_layer(), 2));
  const Tensor x = randn({5, 2, 8}), mask = nn::TransformerImpl::generate_square_subsequent_mask(5);
  const Tensor y = net->forward(x, mask);
  EXPECT_TRUE(equal(net->forward(x.narrow(0, 0, 3), mask.narrow(0, 0, 3).narrow(1, 0, 3)),
                    y.narrow(0, 0, 3)));
  EXPECT_FALSE(equal(net->forward(x), y));
}

TEST(TransformerModule, CloneHasItsOwnWeights) {
  manual_seed(5);
  nn::TransformerEncoder net(nn::TransformerEncoderOptions(small_layer(), 2)
                                 .norm(nn::AnyModule(nn::LayerNorm(nn::LayerNormOptions({8})))));
  const auto copy = std::dynamic_pointer_cast<nn::TransformerEncoderImpl>(net->clone());
  const Tensor x = randn({5, 2, 8}), before = net->forward(x).detach();
  {
    NoGradGuard no_grad;
    for (Tensor& p : net->parameters()) p.add_(1);
  }
  EXPECT_TRUE(equal(copy->forward(x), before));
  EXPECT_FALSE(equal(net->forward(x), before));
  net->reset_parameters();
  EXPECT_TRUE(net->norm.get<nn::LayerNormImpl>().weight.equal(ones({8})));
}

TEST(TransformerModule, ActivationsAndCustomEncoders) {
  const Tensor x = ones({4, 2, 8});
  const auto run = [&](const nn::activation_t& activation) {
    manual_seed(6);
    return nn::TransformerEncoderLayer(small_layer().activation(activation))->forward(x);
  };
  EXPECT_TRUE(equal(run(kReLU), run([](const Tensor& t) { return t.clamp_min(0); })));
  EXPECT_FALSE(equal(run(kReLU), run(kGELU)));
  nn::TransformerEncoder encoder(nn::TransformerEncoderOptions(small_layer(), 0));
  EXPECT_TRUE(encoder->forward(x).is_same(x));
  nn::Transformer net(
      nn::TransformerOptions(8, 2, 1, 1).custom_encoder(nn::AnyModule(encoder)).dropout(0));
  EXPECT_TRUE(equal(net->forward(x, x), net->decoder.forward<Tensor>(x, x)));
}

TEST(TransformerModule, WrongArgumentsThrow) {
  nn::Transformer net(nn::TransformerOptions(8, 2, 1, 1).dim_feedforward(4));
  const Tensor x = ones({3, 2, 8});
  expect_error("src and tgt should have 3 dimensions, but got 2 and 3",
               [&] { net->forward(x[0], x); });
  expect_error("should have equal batch size (at dim 1), but got 2 and 1", [&] {
    net->forward(x, ones({3, 1, 8}));
  });
  expect_error("same feature size as d_model (at dim 2), but got 8 and 7 while d_model is 8", [&] {
    net->forward(x, ones({3, 2, 7}));
  });
  expect_error("Input size must be non-negative",
               [] { nn::TransformerImpl::generate_square_subsequent_mask(-1); });
  EXPECT_EQ(nn::TransformerImpl::generate_square_subsequent_mask(0).sizes(), IntArrayRef({0, 0}));
}

// An AnyModule fills in the arguments that a call leaves out.
TEST(MultiheadAttentionModule, AnyModuleHasTheDefaultsOfForward) {
  using Pair = std::tuple<Tensor, Tensor>;
  manual_seed(6);
  nn::MultiheadAttention net(8, 2);
  const Tensor q = randn({3, 2, 8}), k = randn({5, 2, 8});
  const auto [y, weights] = nn::AnyModule(net).forward<Pair>(q, k, k);
  const auto [same, mean] = net->forward(q, k, k);
  EXPECT_TRUE(equal(y, same));
  EXPECT_EQ(weights.sizes(), IntArrayRef({2, 3, 5}));
  EXPECT_TRUE(equal(weights, mean));
}

TEST(TransformerModule, AnyModuleHasTheDefaultsOfForward) {
  manual_seed(7);
  nn::Transformer net(nn::TransformerOptions(8, 2, 1, 1).dim_feedforward(6).dropout(0));
  const Tensor src = randn({5, 2, 8}), tgt = randn({3, 2, 8});
  EXPECT_TRUE(equal(nn::AnyModule(net).forward(src, tgt), net->forward(src, tgt)));
  EXPECT_TRUE(equal(nn::AnyModule(net->encoder).forward(src), net->encoder.forward<Tensor>(src)));
}

TEST(MultiheadAttentionForward, SeparateWeightsAreThePartsOfOne) {
  manual_seed(5);
  nn::MultiheadAttention net(8, 2);
  const Tensor q = randn({3, 2, 8}), k = randn({5, 2, 8}), v = randn({5, 2, 8});
  nn::functional::MultiheadAttentionForwardFuncOptions o(
      8, 2, net->in_proj_weight, net->in_proj_bias, {}, {}, false, 0, net->out_proj->weight,
      net->out_proj->bias);
  const Tensor want = std::get<0>(nn::functional::multi_head_attention_forward(q, k, v, o));
  EXPECT_TRUE(equal(want, std::get<0>(net->forward(q, k, v))));
  const auto parts = net->in_proj_weight.chunk(3);
  auto apart = o;
  apart.use_separate_proj_weight(true).in_proj_weight({});
  apart.q_proj_weight(parts[0]).k_proj_weight(parts[1]).v_proj_weight(parts[2]);
  EXPECT_TRUE(
      equal(std::get<0>(nn::functional::multi_head_attention_forward(q, k, v, apart)), want));
  // Static keys and values, (N * heads, S, E / heads), in place of the projected ones.
  const auto of_heads = [&](const Tensor& t, int64_t i) {
    const Tensor p = linear(t, parts[i], net->in_proj_bias.narrow(0, 8 * i, 8));
    return p.reshape({5, 4, 4}).transpose(0, 1);
  };
  auto given = o;
  given.static_k(of_heads(k, 1)).static_v(of_heads(v, 2));
  EXPECT_TRUE(
      equal(std::get<0>(nn::functional::multi_head_attention_forward(q, k, v, given)), want));
  given.static_k(zeros({3, 5, 4}));
  expect_error("expected static keys and values (4, S, 4), got [3, 5, 4]",
               [&] { nn::functional::multi_head_attention_forward(q, k, v, given); });
}

TEST(TransformerModule, ResetDrawsWeightsAnew) {
  nn::TransformerDecoder decoder(
      nn::TransformerDecoderOptions(
          nn::TransformerDecoderLayerOptions(8, 2).dim_feedforward(6).dropout(0), 2)
          .norm(nn::AnyModule(nn::LayerNorm(nn::LayerNormOptions({8})))));
  {
    const NoGradGuard no_grad;
    for (const Tensor& p : decoder->parameters()) p.fill_(7);
  }
  decoder->reset_parameters();
  // As LibTorch's: attention leaves the weight of its last projection.
  for (const auto& p : decoder->named_parameters())
    EXPECT_EQ(p.value().eq(7).any().item<bool>(),
              p.key().find("out_proj.weight") != std::string::npos)
        << p.key();
}

TEST(TransformerModule, SequentialFillsInTheMasks) {
  nn::TransformerEncoderLayer layer(small_layer());
  const Tensor x = randn({3, 2, 8});
  EXPECT_TRUE(equal(nn::Sequential(layer)->forward(x), layer(x)));
  nn::TransformerDecoderLayer other(
      nn::TransformerDecoderLayerOptions(8, 2).dim_feedforward(6).dropout(0));
  EXPECT_TRUE(equal(nn::Sequential(other)->forward(x, x), other(x, x)));
}

// LibTorch adds a mask of whole numbers to the scores; the least of them hides a key.
TEST(MultiheadAttentionModule, AddsAMaskOfWholeNumbers) {
  nn::MultiheadAttention net(8, 2);
  const Tensor x = randn({3, 2, 8});
  Tensor mask = zeros({3, 3});
  mask[0][2] = -std::numeric_limits<float>::infinity();
  mask[1][0] = 2;
  Tensor whole = mask.clone();
  whole[0][2] = 0;
  whole = whole.to(kLong);
  whole[0][2] = std::numeric_limits<int64_t>::min();
  const auto expected = net(x, x, x, Tensor(), true, mask);
  const auto got = net(x, x, x, Tensor(), true, whole);
  EXPECT_TRUE(std::get<0>(got).allclose(std::get<0>(expected)));
  EXPECT_TRUE(std::get<1>(got).allclose(std::get<1>(expected)));
  EXPECT_EQ(std::get<1>(got)[0][0][2].item<float>(), 0);
  expect_error("expected a key_padding_mask of bools or floating numbers, got long", [&] {
    net(x, x, x, zeros({2, 3}, kLong));
  });
}

}  // namespace
}  // namespace torch::taper::testing
