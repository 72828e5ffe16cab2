// Hooks of modules, weight_norm, spectral_norm. Expected values are PyTorch 1.13's for the same
// seeds.
#include "nn/util.h"

#include <taper/framework/random/random.h>
#include <taper/nn/nn.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>

#include "nn/parallel_util.h"

namespace torch::taper {
namespace {

using namespace nn;
using test::expect_values;
using test::message_of;

const Tensor kInput = tensor({1.f, 2.f, 3.f, -1.f}).view({2, 2});

TEST(ModuleHooks, SeeAndReplaceInputsAndOutputs) {
  Linear l(2, 2);
  NoGradGuard no_grad;
  l->weight.copy_(eye(2));
  l->bias.zero_();
  std::vector<std::string> calls;
  const unsigned first = l->register_forward_pre_hook([&](Module& m, std::vector<Tensor>& inputs) {
    calls.push_back("before " + m.name());
    inputs.at(0) = inputs[0] * 2;
  });
  const unsigned second = l->register_forward_hook(
      [&](Module&, const std::vector<Tensor>& inputs, std::vector<Tensor>& outputs) {
        calls.push_back("after");
        expect_values(inputs.at(0), {2, 4, 6, -2});
        outputs.at(0) = outputs[0] + 1;
      });
  EXPECT_NE(first, second);
  const std::vector<double> hooked{3, 5, 7, -1};
  expect_values(l(kInput), hooked);
  EXPECT_EQ(calls, (std::vector<std::string>{"before torch::nn::LinearImpl", "after"}));
  expect_values(kInput, {1, 2, 3, -1});
  expect_values(l->forward(kInput), {1, 2, 3, -1});  // as in Python: forward() itself has no hooks
  expect_values(Sequential(l)(kInput), hooked);
  expect_values(AnyModule(l).forward(kInput), hooked);
  Linear copy(std::dynamic_pointer_cast<LinearImpl>(l->clone()));
  expect_values(copy(kInput), hooked);
  l->remove_hook(second);
  expect_values(l(kInput), {2, 4, 6, -2});
  expect_values(copy(kInput), hooked);
  l->remove_hook(first);
  EXPECT_FALSE(l->has_hooks());
  expect_values(l(kInput), {1, 2, 3, -1});
  EXPECT_NE(message_of([&] { l->remove_hook(first); }).find("remove_hook: expected the number"),
            std::string::npos);
}

TEST(ModuleHooks, OfContainersTuplesAndClones) {
  int sequence = 0;
  Sequential s(Linear(2, 3), ReLU());
  s->register_forward_hook(
      [&](Module&, const std::vector<Tensor>&, std::vector<Tensor>&) { ++sequence; });
  s(kInput);
  Sequential(std::dynamic_pointer_cast<SequentialImpl>(s->clone()))(kInput);
  EXPECT_EQ(sequence, 2);

  size_t outputs_seen = 0;
  LSTM lstm(2, 3);
  lstm->register_forward_hook(
      [&](Module&, const std::vector<Tensor>& inputs, std::vector<Tensor>& outputs) {
        EXPECT_EQ(inputs.size(), 1u);
        outputs_seen = outputs.size();
      });
  lstm(kInput.unsqueeze(0));
  EXPECT_EQ(outputs_seen, 3u);

  Linear l(2, 2);
  l->register_forward_pre_hook([](Module&, std::vector<Tensor>& inputs) { inputs.clear(); });
  EXPECT_EQ(message_of([&] { l(kInput); }),
            "forward pre-hook of torch::nn::LinearImpl: expected it to leave 1 input(s), got 0");
}

TEST(ModuleHooks, InBackward) {
  Linear l(2, 2);
  l->weight.set_data(tensor({1.f, 2.f, 3.f, 4.f}).view({2, 2}));
  int runs = 0;
  l->register_full_backward_hook(
      [&](Module& m, std::vector<Tensor>& gin, const std::vector<Tensor>& gout) {
        ++runs;
        EXPECT_TRUE(m.as<Linear>());
        expect_values(gout.at(0), {1, 1, 1, 1});
        if (gin.empty()) return;
        expect_values(gin.at(0), {4, 6, 4, 6});  // this call's part of x's gradient
        gin[0] = gin[0] * 10;
      });
  Tensor x = kInput.clone().requires_grad_();
  (l(x).sum() + x.sum()).backward();
  EXPECT_EQ(runs, 1);
  expect_values(x.grad(), {41, 61, 41, 61});
  expect_values(l->weight.grad(), {4, 1, 4, 1});
  l(kInput).sum().backward();
  EXPECT_EQ(runs, 2);
}

TEST(WeightNorm, IsPyTorchs) {
  manual_seed(0);
  Linear l = utils::weight_norm(Linear(2, 3));
  EXPECT_EQ(l->named_parameters().keys(),
            (std::vector<std::string>{"bias", "weight_g", "weight_v"}));
  const Tensor g = l->named_parameters()["weight_g"], v = l->named_parameters()["weight_v"];
  EXPECT_EQ(g.sizes(), IntArrayRef({3, 1}));
  expect_values(g, {0.3793598413467407, 0.780707836151123, 0.3318525552749634});
  const Tensor y = l(kInput);
  expect_values(y, {0.7393417954444885, -1.0620982646942139, 0.044135019183158875,
                    -0.40921488404273987, -0.6648974418640137, -1.0694031715393066});
  const Tensor other = l(kInput * 2);  // a second call before the first one's backward
  y.square().sum().backward();
  other.sum().backward();
  g.mutable_grad().zero_();
  v.mutable_grad().zero_();
  l(kInput).square().sum().backward();
  expect_values(g.grad(), {3.789057731628418, 6.50280237197876, 6.516350746154785});
  expect_values(v.grad(),
                {-0.9237292408943176, -0.012891643680632114, -1.2660493850708008,
                 1.4159003496170044, -0.9803003072738647, -1.4080049991607666},
                1e-5);
}

TEST(WeightNorm, ClonesAndGoesAway) {
  Linear l = utils::weight_norm(Linear(2, 3));
  {
    NoGradGuard no_grad;
    l->named_parameters()["weight_g"].mul_(2);
  }
  Linear copy(std::dynamic_pointer_cast<LinearImpl>(l->clone()));
  EXPECT_TRUE(copy(kInput).allclose(l(kInput)));
  EXPECT_FALSE(copy->named_parameters()["weight_g"].is_alias_of(l->named_parameters()["weight_g"]));
  const Tensor y = l(kInput);
  EXPECT_EQ(message_of([&] { utils::weight_norm(l); }),
            "Cannot register two weight_norm hooks on the same parameter weight");
  utils::remove_weight_norm(l);
  EXPECT_EQ(l->named_parameters().keys(), (std::vector<std::string>{"bias", "weight"}));
  EXPECT_TRUE(l->weight.is_leaf() && l->weight.requires_grad());
  EXPECT_TRUE(l(kInput).allclose(y));
  EXPECT_EQ(message_of([&] { utils::remove_weight_norm(l); }),
            "weight_norm of 'weight' not found in torch::nn::LinearImpl");
  Conv2d conv = utils::weight_norm(Conv2d(2, 3, 3), "weight", -1);
  EXPECT_EQ(conv->named_parameters()["weight_g"].dim(), 0);
  EXPECT_EQ(conv(ones({1, 2, 5, 5})).sizes(), IntArrayRef({1, 3, 3, 3}));
  Linear plain(2, 3);
  utils::weight_norm(plain, "bias", &LinearImpl::bias);
  EXPECT_EQ(plain(kInput).sizes(), IntArrayRef({2, 3}));
  EXPECT_NE(message_of([&] { utils::weight_norm(plain, "bias"); }).find("expected the name"),
            std::string::npos);
}

TEST(WeightNorm, InDataParallel) {
  TAPER_NEEDS_DEVICES(2);
  Linear l = utils::weight_norm(Linear(2, 3));
  const Tensor x = test::ramp({6, 2}, -5, 3);
  const Tensor y = l(x).detach();
  l(x).square().sum().backward();
  const Tensor expected = l->named_parameters()["weight_v"].grad().clone();
  l->zero_grad(/*set_to_none=*/true);
  l->to(testing::cuda0);
  DataParallel net(l, testing::on({0, 1}));
  const Tensor parts = net->forward(x.to(testing::cuda0));
  EXPECT_TRUE(parts.cpu().allclose(y, 1e-5, 1e-6));
  parts.square().sum().backward();
  const Tensor got = l->named_parameters()["weight_v"].grad();
  ASSERT_TRUE(got.defined());
  EXPECT_TRUE(got.cpu().allclose(expected, 1e-4, 1e-5));
}

TEST(SpectralNorm, IsPyTorchs) {
  manual_seed(1);
  Linear l = utils::spectral_norm(Linear(2, 3));
  EXPECT_EQ(l->named_parameters().keys(), (std::vector<std::string>{"bias", "weight_orig"}));
  EXPECT_EQ(l->named_buffers().keys(), (std::vector<std::string>{"weight_u", "weight_v"}));
  const Tensor y = l(kInput);
  y.square().sum().backward();
  const std::vector<double> expected{-0.4157857596874237, 0.9076429605484009,  0.2880744934082031,
                                     1.3162258863449097,  -0.4133107364177704, -2.4203028678894043};
  expect_values(y, expected, 1e-5);
  expect_values(l->named_parameters()["weight_orig"].grad(),
                {-0.6207437515258789, 0.08925151824951172, 4.108460426330566, 1.8920929431915283,
                 -1.170701026916504, -1.3915119171142578},
                1e-4);
  expect_values(l->named_buffers()["weight_u"],
                {0.49017757177352905, -0.2951664328575134, -0.8201236128807068}, 1e-5);
  l->eval();
  expect_values(l(kInput), expected, 1e-5);
  utils::remove_spectral_norm(l);
  expect_values(l(kInput), expected, 1e-5);
  EXPECT_TRUE(l->named_buffers().is_empty());
  ConvTranspose1d t = utils::spectral_norm(ConvTranspose1d(2, 5, 3));
  EXPECT_EQ(t->named_buffers()["weight_u"].size(0), 5);
  EXPECT_EQ(message_of([] { utils::spectral_norm(Linear(2, 2), "weight", 0); }),
            "Expected n_power_iterations to be positive, but got n_power_iterations=0");
}

}  // namespace
}  // namespace torch::taper
