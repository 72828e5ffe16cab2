// Expected values are PyTorch 1.13's for the same inputs and seeds.
#include "nn/util.h"

#include <taper/framework/random/random.h>
#include <taper/nn/nn.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {
namespace {

using namespace nn;
namespace F = nn::functional;
using test::expect_values;
using test::message_of;

Tensor samples() { return tensor({-3.f, -1.f, -0.2f, 0.f, 0.3f, 2.f, 25.f}); }

TEST(Activations, Values) {
  const Tensor v = samples();
  expect_values(ReLU()(v), {0, 0, 0, 0, 0.3, 2, 25});
  expect_values(ReLU6()(v), {0, 0, 0, 0, 0.3, 2, 6});
  expect_values(LeakyReLU(LeakyReLUOptions().negative_slope(0.1))(v),
                {-0.3, -0.1, -0.02, 0, 0.3, 2, 25});
  expect_values(ELU(ELUOptions().alpha(2))(v),
                {-1.900425910949707, -1.264241099357605, -0.3625384569168091, 0, 0.3, 2, 25});
  expect_values(SELU()(v), {-1.6705687046051025, -1.1113307476043701, -0.3186893165111542, 0,
                            0.3152103126049042, 2.1014020442962646, 26.26752471923828});
  expect_values(CELU(CELUOptions().alpha(2))(v),
                {-1.5537396669387817, -0.7869386672973633, -0.19032514095306396, 0, 0.3, 2, 25});
  expect_values(GELU()(v), {-0.004049867391586304, -0.1586552858352661, -0.08414804935455322, 0,
                            0.1853734254837036, 1.9544999599456787, 25});
  expect_values(GELU(GELUOptions().approximate("tanh"))(v.slice(0, 1, 6, 4)),
                {-0.15880799293518066, 1.9545977115631104});
  expect_values(Hardtanh(HardtanhOptions().min_val(-0.5).max_val(1.5))(v),
                {-0.5, -0.5, -0.2, 0, 0.3, 1.5, 1.5});
  expect_values(Hardshrink()(v), {-3, -1, 0, 0, 0, 2, 25});
  expect_values(Softshrink()(v), {-2.5, -0.5, 0, 0, 0, 1.5, 24.5});
  expect_values(Softplus(SoftplusOptions().beta(2).threshold(3))(v),
                {0.0012378426035866141, 0.06346400082111359, 0.25650763511657715,
                 0.3465735912322998, 0.5187439918518066, 2, 25});
  expect_values(Threshold(0.25, -7)(v), {-7, -7, -7, -7, 0.3, 2, 25});
  expect_values(PReLU()(v), {-0.75, -0.25, -0.05, 0, 0.3, 2, 25});
  RReLU rrelu;
  rrelu->eval();
  expect_values(rrelu(v), {-0.6875, -0.2291666716337204, -0.04583333432674408, 0, 0.3, 2, 25});
}

TEST(Activations, ValuesOfSmoothOnes) {
  const Tensor v = samples();
  expect_values(SiLU()(v), {-0.14227761328220367, -0.2689414322376251, -0.09003320336341858, 0,
                            0.172332763671875, 1.7615940570831299, 25});
  expect_values(Mish()(v), {-0.14564746618270874, -0.3034014403820038, -0.1071447879076004, 0,
                            0.20800139009952545, 1.9439589977264404, 25});
  expect_values(Hardswish()(v), {0, -1. / 3, -0.2 * 2.8 / 6, 0, 0.3 * 3.3 / 6, 5. / 3, 25});
  expect_values(Hardsigmoid()(v), {0, 1. / 3, 2.8 / 6, 0.5, 3.3 / 6, 5. / 6, 1});
  expect_values(Sigmoid()(v), {0.04742587357759476, 0.2689414322376251, 0.4501660168170929, 0.5,
                               0.5744425058364868, 0.8807970285415649, 1});
  expect_values(LogSigmoid()(v),
                {-3.0485873222351074, -1.3132617473602295, -0.7981388568878174, -0.6931471824645996,
                 -0.5543552041053772, -0.12692801654338837, 0});
  expect_values(Tanh()(v), {-0.9950547814369202, -0.7615941762924194, -0.1973753273487091, 0,
                            0.29131263494491577, 0.9640275835990906, 1});
  expect_values(Tanhshrink()(v), {-2.0049452781677246, -0.23840582370758057, -0.0026246756315231323,
                                  0, 0.008687376976013184, 1.0359723567962646, 24});
  expect_values(Softsign()(v), {-0.75, -0.5, -0.1666666567325592, 0, 0.23076924681663513,
                                0.6666666865348816, 0.9615384340286255});
  expect_values(GLU(0)(v.slice(0, 0, 6)), {-1.5, -0.5744425058364868, -0.17615941166877747});
  expect_values(Softmin(0)(v),
                {0.7754622101783752, 0.10494739562273026, 0.04715590924024582, 0.03860798850655556,
                 0.028601502999663353, 0.005225023254752159, 5.361856249795627e-13});
  expect_values(LogSoftmax(0)(v), {-28, -26, -25.2, -25, -24.7, -23, 0});
  EXPECT_TRUE(Softmax2d()(ones({2, 4, 1, 3})).allclose(full({2, 4, 1, 3}, 0.25)));
}

TEST(Activations, InplaceOverwrites) {
  const auto runs = [](auto module) {
    Tensor x = samples();
    const Tensor y = module(x);
    EXPECT_TRUE(y.is_same(x));
  };
  runs(ReLU(true));
  runs(ReLU6(true));
  runs(LeakyReLU(LeakyReLUOptions().inplace(true)));
  runs(ELU(ELUOptions().inplace(true)));
  runs(SELU(true));
  runs(CELU(CELUOptions().inplace(true)));
  runs(Hardtanh(HardtanhOptions().inplace(true)));
  runs(Threshold(ThresholdOptions(0, 1).inplace(true)));
}

TEST(Activations, Errors) {
  EXPECT_EQ(message_of([] { Softmax2d()(zeros({2})); }),
            "Softmax2d requires a 3D or 4D tensor as input");
  EXPECT_EQ(message_of([] { Hardtanh(HardtanhOptions().min_val(2).max_val(1)); }),
            "max_val must be greater than min_val");
  EXPECT_EQ(message_of([] { F::rrelu(zeros({2}), F::RReLUFuncOptions().lower(2).upper(1)); }),
            "Lower bound should be less than or equal to the upper bound");
}

TEST(Activations, GumbelSoftmax) {
  manual_seed(0);
  expect_values(F::gumbel_softmax(zeros({4})), {0.09141199290752411, 0.26065272092819214,
                                                0.5214310884475708, 0.12650418281555176});
  manual_seed(0);
  expect_values(F::gumbel_softmax(zeros({4}), F::GumbelSoftmaxFuncOptions().hard(true)),
                {0, 0, 1, 0});
}

}  // namespace
}  // namespace torch::taper
