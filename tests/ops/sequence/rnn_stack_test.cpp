// Recurrent layers that go to a library at once: what it is given, and the op around it, by a
// library that is none.
#include <gtest/gtest.h>

#include <cstring>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/core/context.h>
#include <taper/framework/random/random.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/sequence/rnn_library.h>
#include <taper/ops/tensor/factory.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

RnnStack stack_of(RnnMode mode, bool two, bool biases, int64_t output = 3,
                  std::vector<int64_t> sizes = {3, 2, 2, 1}) {
  return {mode, biases, 2, two, true, 0, std::move(sizes), 4, 3, output};
}

std::vector<Tensor> params_of(const RnnStack& s, ScalarType dtype = kDouble) {
  std::vector<Tensor> params;
  for (const Dims& sizes : rnn_param_sizes(s))
    params.push_back(taper::randn(sizes, TensorOptions(dtype)).mul(0.5));
  return params;
}

// ---------------------------------------------------------------------- a library that is none

/// Weights lie in the opposite order, with gaps.
std::vector<RnnSpan> spans_of(const RnnStack& s) {
  std::vector<RnnSpan> spans;
  int64_t to = 1;
  std::vector<RnnBlock> blocks = rnn_blocks(s);
  for (size_t i = blocks.size(); i-- > 0; to += blocks[i].count + 2)
    spans.push_back({blocks[i].param, blocks[i].from, to, blocks[i].count});
  return {spans.rbegin(), spans.rend()};
}

RnnSpace space(const RnnStack& s, ScalarType, Device, bool training) {
  const std::vector<RnnSpan> spans = spans_of(s);
  return {spans[0].to + spans[0].count, training ? 64 : 0, joined(spans)};
}

template <class View>
Tensor tensor_of(const View& v) {
  if (!v.defined()) return {};
  return from_blob(const_cast<void*>(static_cast<const void*>(v.data)), v.sizes, v.dtype);
}

std::vector<Tensor> unpacked(const RnnStack& s, const In& weights) {
  return unpack_weights(tensor_of(weights), spans_of(s), rnn_param_sizes(s));
}

void forward(RnnStack s, Out y, Out h, Out c, Out reserve, In x, In h0, In c0, In weights) {
  const NoGradGuard no_grad;
  const RnnOutput out =
      rnn_layers(s, tensor_of(x), tensor_of(h0), tensor_of(c0), unpacked(s, weights));
  tensor_of(y).copy_(out.y);
  tensor_of(h).copy_(out.h);
  if (c.defined()) tensor_of(c).copy_(out.c);
  if (reserve.defined()) std::memset(reserve.data, 7, 64);
}

void backward(RnnStack s, Out gx, Out gh, Out gc, InOut gw, InOut reserve, In gy, In gh_last,
              In gc_last, In x, In h0, In c0, In y, In weights) {
  const AutoGradMode on(true);
  for (int i = 0; i < 64; ++i) ASSERT_EQ(reserve.as<uint8_t>()[i], 7);
  std::memset(reserve.data, 0, 64);
  std::vector<Tensor> in{tensor_of(x), tensor_of(h0)};
  if (c0.defined()) in.push_back(tensor_of(c0));
  const size_t first = in.size();
  for (const Tensor& t : unpacked(s, weights)) in.push_back(t.clone());
  for (Tensor& t : in) t.requires_grad_();
  const RnnOutput out = rnn_layers(s, in[0], in[1], first == 3 ? in[2] : Tensor(),
                                   TensorList(in.data() + first, in.size() - first));
  ASSERT_TRUE(out.y.detach().equal(tensor_of(y)));
  std::vector<Tensor> outputs{out.y}, cotangents{tensor_of(gy)};
  if (gh_last.defined()) outputs.push_back(out.h), cotangents.push_back(tensor_of(gh_last));
  if (gc_last.defined()) outputs.push_back(out.c), cotangents.push_back(tensor_of(gc_last));
  const auto g = autograd::grad(outputs, in, cotangents);
  tensor_of(gx).copy_(g[0]);
  tensor_of(gh).copy_(g[1]);
  if (gc.defined()) tensor_of(gc).copy_(g[2]);
  if (gw.defined())
    pack_weights(tensor_of(gw), spans_of(s), TensorList(g.data() + first, g.size() - first));
}

constexpr RnnLibrary kLibrary{&space, &forward, &backward};

/// Inputs of a stack, parameters last.
struct Inputs {
  RnnStack stack;
  std::vector<Tensor> all;  // x, h, c, params; c undefined but for an LSTM

  explicit Inputs(const RnnStack& s) : stack(s) {
    const int64_t count = 2 * s.directions(), N = s.sizes[0];
    int64_t rows = 0;
    for (int64_t n : s.sizes) rows += n;
    const auto leaf = [](std::vector<int64_t> sizes) {
      return taper::randn(sizes, TensorOptions(kDouble)).requires_grad_();
    };
    all = {leaf({rows, s.input}), leaf({count, N, s.output}),
           s.mode == RnnMode::kLstm ? leaf({count, N, s.hidden}) : Tensor()};
    for (const Tensor& t : params_of(s)) all.push_back(t.requires_grad_());
  }
  TensorList params() const { return TensorList(all.data() + 3, all.size() - 3); }
  std::vector<Tensor> defined() const {
    std::vector<Tensor> r;
    for (const Tensor& t : all)
      if (t.defined()) r.push_back(t);
    return r;
  }
  std::vector<Tensor> run(bool by_library) const {
    const RnnOutput out = by_library
                              ? rnn_by_library(kLibrary, stack, all[0], all[1], all[2], params())
                              : rnn_layers(stack, all[0], all[1], all[2], params());
    std::vector<Tensor> r{out.y, out.h};
    if (out.c.defined()) r.push_back(out.c);
    return r;
  }
};

/// Results, gradients, and gradients of gradients.
std::vector<std::vector<Tensor>> all_of(const Inputs& in, bool by_library) {
  manual_seed(7);
  const std::vector<Tensor> out = in.run(by_library);
  std::vector<Tensor> cotangents;
  for (const Tensor& y : out) cotangents.push_back(taper::randn_like(y.detach()));
  const auto first = autograd::grad(out, in.defined(), cotangents, /*retain_graph=*/true);
  const auto again = autograd::grad(out, in.defined(), cotangents, true, /*create_graph=*/true);
  Tensor sum = again[0].mul(again[0]).sum();
  for (size_t i = 1; i < again.size(); ++i) sum = sum.add(again[i].mul(again[i]).sum());
  return {out, first, again, autograd::grad({sum}, in.defined())};
}

void expect_same(const Inputs& in) {
  const auto want = all_of(in, false), got = all_of(in, true);
  for (size_t i = 0; i < want.size(); ++i)
    for (size_t k = 0; k < want[i].size(); ++k)
      EXPECT_TRUE(got[i][k].allclose(want[i][k], 1e-10, 1e-10)) << i << " " << k;
}

// ---------------------------------------------------------------------- tests
TEST(RnnStack, SequencesHaveTheirLengths) {
  EXPECT_EQ(rnn_lengths(stack_of(RnnMode::kGru, false, true)), (std::vector<int>{4, 3, 1}));
  EXPECT_EQ(rnn_lengths(stack_of(RnnMode::kGru, false, true, 3, {2, 2})), (std::vector<int>{2, 2}));
}

TEST(RnnStack, ParametersHaveTheSizesOfTheDefinition) {
  const auto sizes = rnn_param_sizes(stack_of(RnnMode::kLstm, true, true, 2));
  ASSERT_EQ(sizes.size(), 20u);
  EXPECT_EQ(sizes[0].vec(), (std::vector<int64_t>{12, 4}));
  EXPECT_EQ(sizes[1].vec(), (std::vector<int64_t>{12, 2}));
  EXPECT_EQ(sizes[3].vec(), (std::vector<int64_t>{12}));
  EXPECT_EQ(sizes[4].vec(), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(sizes[10].vec(), (std::vector<int64_t>{12, 4}));  // both directions of two columns
}

TEST(RnnStack, BlocksCoverEachParameterOnce) {
  for (RnnMode mode : {RnnMode::kTanh, RnnMode::kLstm, RnnMode::kGru})
    for (bool biases : {false, true}) {
      const RnnStack s = stack_of(mode, true, biases, mode == RnnMode::kLstm ? 2 : 3);
      const auto sizes = rnn_param_sizes(s);
      std::vector<int64_t> next(sizes.size());
      for (const RnnBlock& b : rnn_blocks(s)) {
        EXPECT_EQ(b.from, next[b.param]);
        EXPECT_EQ(b.layer, static_cast<int>(b.param / s.params_each()));
        EXPECT_EQ(b.is_bias, sizes[b.param].size() == 1);
        next[b.param] += b.count;
      }
      for (size_t i = 0; i < sizes.size(); ++i)
        EXPECT_EQ(next[i], sizes[i].size() == 1 ? sizes[i][0] : sizes[i][0] * sizes[i][1]);
    }
}

TEST(RnnStack, BlocksHaveCudnnsNumbers) {
  const auto blocks = rnn_blocks(stack_of(RnnMode::kGru, false, true));
  const RnnBlock& hidden_new = blocks[5];  // w_ih: 0, 1, 2; w_hh: 3, 4, 5
  EXPECT_EQ(hidden_new.linear, 5);
  EXPECT_EQ(hidden_new.param, 1u);
  EXPECT_EQ(hidden_new.from, 2 * 3 * 3);
  EXPECT_EQ(blocks[9].linear, 3);  // the hidden part's bias
  EXPECT_TRUE(blocks[9].is_bias);
  const auto projected = rnn_blocks(stack_of(RnnMode::kLstm, false, false, 2));
  EXPECT_EQ(projected[8].linear, 8);
  EXPECT_EQ(projected[8].param, 2u);
  EXPECT_EQ(projected[8].count, 6);
}

TEST(RnnStack, NeighboursAreJoined) {
  const auto spans = joined({{0, 0, 5, 2}, {0, 2, 7, 2}, {0, 4, 10, 2}, {1, 0, 12, 2}});
  ASSERT_EQ(spans.size(), 3u);
  EXPECT_EQ(spans[0].count, 4);
  EXPECT_EQ(spans[1].to, 10);
  EXPECT_EQ(spans[2].param, 1u);
}

TEST(RnnStack, WeightsComeBackAsTheyWere) {
  const RnnStack s = stack_of(RnnMode::kLstm, true, true, 2);
  const std::vector<Tensor> params = params_of(s);
  const RnnSpace room = space(s, kDouble, kCPU, false);
  const Tensor weights = zeros({room.weights}, kDouble);
  pack_weights(weights, room.spans, params);
  const auto back = unpack_weights(weights, room.spans, rnn_param_sizes(s));
  for (size_t i = 0; i < params.size(); ++i) EXPECT_TRUE(back[i].equal(params[i])) << i;
}

TEST(RnnStack, TheOpAroundTheLibraryIsTheDefinition) {
  for (RnnMode mode : {RnnMode::kTanh, RnnMode::kRelu, RnnMode::kLstm, RnnMode::kGru})
    for (bool two : {false, true}) expect_same(Inputs(stack_of(mode, two, two)));
  expect_same(Inputs(stack_of(RnnMode::kLstm, true, true, 2)));
  expect_same(Inputs(stack_of(RnnMode::kGru, false, true, 3, {2, 2, 2})));
}

TEST(RnnStack, WhatTheLibraryDoesNotSupportGoesByLayers) {
  const RnnLibrary none{[](const RnnStack&, ScalarType, Device, bool) { return RnnSpace(); },
                        nullptr, nullptr};
  const Inputs in(stack_of(RnnMode::kGru, true, true));
  const RnnOutput out = rnn_by_library(none, in.stack, in.all[0], in.all[1], {}, in.params());
  EXPECT_TRUE(out.y.equal(in.run(false)[0]));
}

TEST(RnnStack, GradientsOfSomeInputsOnly) {
  Inputs in(stack_of(RnnMode::kLstm, false, true));
  for (size_t i = 3; i < in.all.size(); ++i) in.all[i] = in.all[i].detach();
  const Tensor want = autograd::grad({in.run(false)[1].sum()}, {in.all[0]})[0];
  EXPECT_TRUE(autograd::grad({in.run(true)[1].sum()}, {in.all[0]})[0].allclose(want));
  const NoGradGuard no_grad;
  EXPECT_FALSE(in.run(true)[0].requires_grad());
}

TEST(RnnStack, ChangedWeightIsReportedAtBackward) {
  const Inputs in(stack_of(RnnMode::kGru, false, true));
  const Tensor y = in.run(true)[0];
  {
    const NoGradGuard no_grad;
    in.all[3].mul_(2);
  }
  EXPECT_THROW(y.sum().backward(), Error);
}

TEST(RnnStack, CudnnTakesWhatFits) {
  const RnnStack s = stack_of(RnnMode::kLstm, true, true);
  const Tensor x = zeros({8, 4}), h = zeros({4, 3, 3});
  std::vector<Tensor> params = params_of(s, kFloat);
  const auto takes = [&] { return cudnn_takes_rnn(s, x, h, h, params); };
  EXPECT_TRUE(takes());
  EXPECT_FALSE(cudnn_takes_rnn(s, x, zeros({4, 3, 2}), h, params));
  EXPECT_FALSE(cudnn_takes_rnn(s, x.to(kHalf), h, h, params));
  RnnStack dropping = s;
  dropping.dropout = 0.5;
  EXPECT_FALSE(cudnn_takes_rnn(dropping, x, h, h, params));
  globalContext().setDeterministicCuDNN(true);
  EXPECT_FALSE(takes());
  globalContext().setDeterministicCuDNN(false);
  globalContext().setUserEnabledCuDNN(false);
  EXPECT_FALSE(takes());
  globalContext().setUserEnabledCuDNN(true);
  params[1] = zeros({12, 2});
  EXPECT_FALSE(takes());
}

}  // namespace
}  // namespace torch::taper::testing
