// AdaptiveLogSoftmaxWithLoss. Expected values are PyTorch 1.13's for the same seed.
#include "nn/util.h"

#include <taper/framework/random/random.h>
#include <taper/nn/nn.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/reduce/reduce_sum.h>

namespace torch::taper {
namespace {

using namespace nn;
using test::expect_values;
using test::message_of;

AdaptiveLogSoftmaxWithLoss model() {
  manual_seed(3);
  return AdaptiveLogSoftmaxWithLoss(AdaptiveLogSoftmaxWithLossOptions(8, 10, {4, 8}).div_value(2.));
}
Tensor input() { return arange(40, kFloat).view({5, 8}) / 20 - 1; }
const Tensor kTarget = tensor({0, 3, 4, 7, 9}, kLong);

TEST(AdaptiveLogSoftmax, IsPyTorchs) {
  AdaptiveLogSoftmaxWithLoss a = model();
  Tensor x = input().requires_grad_();
  const ASMoutput y = a(x, kTarget);
  expect_values(y.output, {-1.491672158241272, -1.6473488807678223, -3.1417176723480225,
                           -3.5494022369384766, -2.5312211513519287});
  EXPECT_NEAR(y.loss, 2.4722723960876465, 1e-6);
  (-y.output.mean()).backward();
  expect_values(x.grad()[3], {0.04916314035654068, 0.051112812012434006, 0.034352730959653854,
                              0.04973859712481499, -0.03226132318377495, 0.024468667805194855,
                              0.06507088243961334, -0.003619704395532608});
  expect_values(a->log_prob(x)[1],
                {-1.5388782024383545, -2.188689708709717, -2.4045348167419434, -1.6473488807678223,
                 -2.740501880645752, -2.7847108840942383, -2.779514789581299, -2.754206657409668,
                 -2.6684653759002686, -2.6725480556488037});
  expect_values(a->predict(x), {0, 0, 0, 2, 2});
  expect_values(a(x[3], kTarget[3]).output, {-3.5494022369384766});
  EXPECT_EQ(a->named_parameters().keys(),
            (std::vector<std::string>{"head.weight", "tail.0.0.weight", "tail.0.1.weight",
                                      "tail.1.0.weight", "tail.1.1.weight"}));
  AdaptiveLogSoftmaxWithLoss copy(
      std::dynamic_pointer_cast<AdaptiveLogSoftmaxWithLossImpl>(a->clone()));
  EXPECT_TRUE(copy(x, kTarget).output.equal(y.output));
}

TEST(AdaptiveLogSoftmax, Errors) {
  EXPECT_EQ(message_of([] {
              AdaptiveLogSoftmaxWithLoss(8, 10, std::vector<int64_t>{4, 4});
            }),
            "cutoffs should be a sequence of unique, positive integers sorted in an increasing "
            "order, where each value is between 1 and n_classes-1");
  AdaptiveLogSoftmaxWithLoss a = model();
  EXPECT_EQ(message_of([&] {
              a(input(), tensor({0, 1, 2, 3, 10}, kLong));
            }),
            "Target values should be in [0, 9], but values in range [0, 10] were found. ");
  EXPECT_EQ(message_of([&] { a(input(), kTarget.narrow(0, 0, 4)); }),
            "Input and target should have the same size in the batch dimension.");
  EXPECT_EQ(message_of([&] {
              a(input(), kTarget.view({5, 1}));
            }),
            "0D or 1D target tensor expected, multi-target not supported");
}

TEST(Pad3d, AddInThreeDimensions) {
  const Tensor x = arange(8, kFloat).view({1, 2, 2, 2});
  expect_values(ReplicationPad3d(ReplicationPad3dOptions({1, 0, 0, 0, 0, 0}))(x),
                {0, 0, 1, 2, 2, 3, 4, 4, 5, 6, 6, 7});
  expect_values(ReflectionPad3d(ReflectionPad3dOptions({0, 1, 0, 0, 0, 0}))(x),
                {0, 1, 0, 2, 3, 2, 4, 5, 4, 6, 7, 6});
  const Tensor y = ConstantPad3d(ConstantPad3dOptions({0, 0, 0, 0, 1, 0}, 3.5))(x);
  EXPECT_EQ(y.sizes(), IntArrayRef({1, 3, 2, 2}));
  expect_values(y[0][0], {3.5, 3.5, 3.5, 3.5});
  EXPECT_EQ(test::text_of(ReflectionPad3d(1)),
            "torch::nn::ReflectionPad3d(padding=[1, 1, 1, 1, 1, 1])");
  EXPECT_THROW(ReplicationPad3d(1)(zeros({2, 2})), Error);
  expect_values(functional::pdist(tensor({0.f, 0.f, 3.f, 4.f, 3.f, 0.f}).view({3, 2})), {5, 3, 4});
}

TEST(AdaptiveLogSoftmax, ResetDrawsAllWeightsAnew) {
  nn::AdaptiveLogSoftmaxWithLoss net(
      nn::AdaptiveLogSoftmaxWithLossOptions(8, 10, {3, 6}).div_value(2.));
  EXPECT_EQ(test::text_of(*net).substr(0, 37), "torch::nn::AdaptiveLogSoftmaxWithLoss");
  {
    const NoGradGuard no_grad;
    for (const Tensor& p : net->parameters()) p.fill_(7);
  }
  net->reset_parameters();
  for (const Tensor& p : net->parameters()) EXPECT_FALSE(p.eq(7).any().item<bool>());
}

}  // namespace
}  // namespace torch::taper
