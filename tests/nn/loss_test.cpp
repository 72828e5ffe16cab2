// Expected values are PyTorch 1.13's for the same inputs and seeds.
#include <taper/framework/random/random.h>
#include <taper/nn/nn.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/nn/loss.h>
#include <taper/ops/nn/loss_pointwise.h>
#include <taper/ops/nn/softmax.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>

#include "nn/util.h"
#include "test_util.h"

namespace torch::taper {
namespace {

using namespace nn;
namespace F = nn::functional;
using test::expect_values;
using test::message_of;

Tensor logits() { return tensor({{0.2f, -1.f, 0.7f}, {1.5f, 0.3f, -0.4f}}); }
Tensor classes() { return tensor({2, 0}, kLong); }
Tensor weights() { return tensor({1.f, 2.f, 3.f}); }
Tensor targets() { return tensor({{0.f, 1.f, 0.5f}, {1.f, 0.f, 1.f}}); }

TEST(Losses, OfClasses) {
  const auto ce = [](auto reduction) {
    return CrossEntropyLoss(
        CrossEntropyLossOptions().weight(weights()).reduction(reduction).label_smoothing(0.1))(
        logits(), classes());
  };
  expect_values(ce(kNone), {1.8171517848968506, 0.6792984008789062});
  expect_values(ce(kMean), {0.624112606048584});
  expect_values(ce(kSum), {2.496450424194336});
  expect_values(CrossEntropyLoss(CrossEntropyLossOptions().ignore_index(2))(logits(), classes()),
                {0.3720894455909729});
  expect_values(CrossEntropyLoss()(logits(), softmax(logits() * 2, 1)), {0.6308048963546753});
  expect_values(NLLLoss(NLLLossOptions().weight(weights()))(logits(), classes()),
                {-0.8999999761581421});
}

TEST(Losses, OfElements) {
  const Tensor p = logits().sigmoid();
  expect_values(BCELoss(BCELossOptions().weight(weights()))(p, targets()), {1.7222315073013306});
  expect_values(BCEWithLogitsLoss(BCEWithLogitsLossOptions().weight(weights()).pos_weight(
                    tensor({2.f, 1.f, 0.5f})))(logits(), targets()),
                {1.477148413658142});
  expect_values(MSELoss()(logits(), targets()), {1.0633333921432495});
  expect_values(L1Loss(kSum)(logits(), targets()), {4.599999904632568});
  expect_values(SmoothL1Loss(SmoothL1LossOptions().beta(0.5))(logits(), targets()),
                {0.5533333420753479});
  expect_values(HuberLoss(HuberLossOptions().delta(0.5))(logits(), targets()),
                {0.27666667103767395});
  const Tensor log_p = log_softmax(logits(), 1);
  expect_values(KLDivLoss(kBatchMean)(log_p, p), {0.9576547145843506});
  expect_values(KLDivLoss(kMean)(log_p, p), {0.319218248128891});
  expect_values(KLDivLoss(KLDivLossOptions(kSum).log_target(true))(log_p, p), {19.10425567626953});
  expect_values(KLDivLoss(kNone)(log_p, p),
                {0.26592034101486206, 0.26047375798225403, 0.11933189630508423, 0.139540433883667,
                 0.5846297740936279, 0.5454132556915283});
}

TEST(Losses, OfMarginsAndCounts) {
  const Tensor a = logits(), b = tensor({{0.5f, 0.1f, -0.7f}, {1.f, 0.3f, 2.f}});
  const Tensor c = tensor({{0.1f, -1.f, 0.5f}, {0.f, 0.f, 1.f}});
  const Tensor signs = tensor({{1.f, -1.f, 1.f}, {-1.f, 1.f, -1.f}});
  const Tensor labels = tensor({{0.f, 1.f, 1.f}, {1.f, 0.f, 1.f}});
  expect_values(SoftMarginLoss()(a, signs), {0.6805617213249207});
  expect_values(
      MultiLabelSoftMarginLoss(MultiLabelSoftMarginLossOptions().weight(weights()))(a, labels),
      {1.547231674194336});
  expect_values(
      MultiLabelSoftMarginLoss(MultiLabelSoftMarginLossOptions().reduction(kNone))(a, labels),
      {0.8381955623626709, 0.6562612652778625});
  expect_values(HingeEmbeddingLoss(HingeEmbeddingLossOptions().margin(0.8))(a, signs), {0.7});
  expect_values(MarginRankingLoss(MarginRankingLossOptions().margin(0.3))(a, b, signs),
                {0.28333333134651184});
  expect_values(
      CosineEmbeddingLoss(CosineEmbeddingLossOptions().margin(0.1))(a, b, tensor({1.f, -1.f})),
      {0.7894431352615356});
  expect_values(TripletMarginLoss(TripletMarginLossOptions().swap(true))(a, b, c),
                {2.2938919067382812});
  expect_values(PoissonNLLLoss(PoissonNLLLossOptions().full(true))(a, labels * 3),
                {2.460204839706421});
  expect_values(CosineSimilarity()(a, b), {-0.4574248492717743, 0.2214614599943161});
  expect_values(PairwiseDistance()(a, b), {1.8055469989776611, 2.4515295028686523});
}

TEST(Losses, WeightsAreBuffersThatFollowTheModule) {
  const Tensor given = weights();
  CrossEntropyLoss loss(CrossEntropyLossOptions().weight(given));
  EXPECT_EQ(loss->named_buffers().keys(), (std::vector<std::string>{"weight"}));
  EXPECT_TRUE(loss->parameters().empty());
  loss->to(kDouble);
  EXPECT_EQ(loss->weight.scalar_type(), kDouble);
  EXPECT_EQ(given.scalar_type(), kFloat);
  const Tensor y = loss(logits().to(kDouble), classes());
  EXPECT_EQ(y.scalar_type(), kDouble);
  auto copy = std::dynamic_pointer_cast<CrossEntropyLossImpl>(loss->clone());
  copy->weight.zero_();
  expect_values(loss->weight, {1, 2, 3});
  BCEWithLogitsLoss two(BCEWithLogitsLossOptions().weight(given).pos_weight(given));
  EXPECT_EQ(two->named_buffers().size(), 2u);
  EXPECT_TRUE(CrossEntropyLoss()->buffers().empty());
}

TEST(Losses, Errors) {
  const Tensor a = ones({2, 1}), b = ones({3});
  EXPECT_EQ(message_of([&] { F::binary_cross_entropy(a, b); }),
            "Using a target size ([3]) that is different to the input size ([2, 1]) is deprecated. "
            "Please ensure they have the same size.");
  EXPECT_EQ(message_of([&] { F::binary_cross_entropy_with_logits(a, b); }),
            "Target size ([3]) must be the same as input size ([2, 1])");
  EXPECT_EQ(message_of([&] { F::nll_loss(a, zeros({3}, kLong)); }),
            "Expected input batch_size (2) to match target batch_size (3).");
  EXPECT_EQ(message_of([&] { F::nll_loss(b.sum(), zeros({3}, kLong)); }),
            "Expected 2 or more dimensions (got 0)");
}

TEST(Losses, MultilabelSoftMarginBroadcastsItsTarget) {
  const Tensor one_row = tensor({{1.f, 0.f, 1.f}});
  const auto loss = [](const Tensor& t) { return MultiLabelSoftMarginLoss()(logits(), t); };
  EXPECT_TRUE(loss(one_row).equal(loss(one_row.expand({2, 3}))));
  EXPECT_NE(message_of([&] { loss(ones({2, 2})); }), "");
}

TEST(Losses, WarnWhereSizesBroadcast) {
  const Tensor x = ones({2, 2}), y = ones({2, 1});
  const std::string text =
      "Using a target size ([2, 1]) that is different to the input size ([2, 2]). This will likely "
      "lead to incorrect results due to broadcasting.";
  testing::expect_warning(text, [&] { F::mse_loss(x, y); });
  testing::expect_warning(text, [&] { F::smooth_l1_loss(x, y); });
  testing::expect_warning(text, [&] { F::huber_loss(x, y); });
  testing::expect_warning(text, [&] { MSELoss()(x, y); });
  EXPECT_TRUE(testing::warnings_of([&] {
                F::mse_loss(x, x);
                F::l1_loss(x, y);
              }).empty());
}

TEST(Losses, KlDivWarnsOfTheMean) {
  const auto with = [](auto reduction) {
    const Tensor x = ones({2, 2});
    F::kl_div(x, x, F::KLDivFuncOptions().reduction(reduction));
  };
  testing::expect_warning("reduction: 'mean' divides the total loss by both the batch size and",
                          [&] { with(kMean); });
  EXPECT_TRUE(testing::warnings_of([&] { with(kBatchMean); }).empty());
}

// The op leaves dimensions of size 1 out of account, as LibTorch's; nn::functional does not.
TEST(Losses, BinaryCrossEntropyOfColumnsAndVectors) {
  const Tensor p = full({4, 1}, 0.3).requires_grad_(), t = tensor({1.f, 0.f, 1.f, 0.f});
  const Tensor loss = binary_cross_entropy(p, t);
  expect_values(loss, {0.780324});
  loss.backward();
  expect_values(p.grad(), {-0.8333333, 0.3571429, -0.8333333, 0.3571429});
  EXPECT_EQ(binary_cross_entropy(p, t, {}, Reduction::None).sizes().vec(),
            (std::vector<int64_t>{4, 1}));
  expect_values(binary_cross_entropy(full({2, 3}, 0.3), ones({3})), {1.2039728});
  EXPECT_NE(message_of([&] { F::binary_cross_entropy(p, t); }).find("Using a target size ([4])"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              binary_cross_entropy(t, full({2, 4}, 0.5));
            }).find("different to"),
            std::string::npos);
}

// AdaptiveLogSoftmaxWithLoss. Expected values are PyTorch 1.13's for the same seed.

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
  EXPECT_NE(message_of([&] {
              a(input(), tensor({0, -1, 2, 3, 4}, kLong));
            }).find("values in range [-1, 4]"),
            std::string::npos);
}

TEST(AdaptiveLogSoftmax, OfAnEmptyBatchIsEmpty) {
  EXPECT_EQ(model()(zeros({0, 8}), zeros({0}, kLong)).output.sizes(), IntArrayRef({0}));
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
