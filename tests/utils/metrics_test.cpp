// Metrics: values worked out by hand from their definitions, and in parts as in one.
#include <gtest/gtest.h>

#include <cmath>

#include <taper/taper.h>
#include <taper/utils/metrics.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

using namespace utils;

// Targets 0 0 0 1 1 2 are taken for 0 0 1 1 2 2; nothing is of class 3.
struct ConfusionMatrixTest : ::testing::Test {
  ConfusionMatrixTest() {
    matrix.update(tensor({0, 0, 1}, kLong), tensor({0, 0, 0}, kLong));
    matrix.update(tensor({1, 2, 2}, kLong), tensor({1, 1, 2}, kLong));
  }
  ConfusionMatrix matrix{4};
};

TEST_F(ConfusionMatrixTest, Counts) {
  EXPECT_TRUE(matrix.counts().equal(
      tensor({2, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0}, kLong).view({4, 4})));
}

TEST_F(ConfusionMatrixTest, Averages) {
  EXPECT_NEAR(matrix.accuracy(), 4. / 6, 1e-12);
  EXPECT_NEAR(matrix.accuracy(Average::kMacro), (2. / 3 + 1. / 2 + 1) / 3, 1e-12);
  EXPECT_NEAR(matrix.recall(Average::kWeighted), (3 * 2. / 3 + 2 * 1. / 2 + 1) / 6, 1e-12);
  EXPECT_NEAR(matrix.precision(), (1 + 1. / 2 + 1. / 2) / 3, 1e-12);
  EXPECT_NEAR(matrix.f1(), (4. / 5 + 2. / 4 + 2. / 3) / 3, 1e-12);
  EXPECT_NEAR(matrix.f1(Average::kMicro), 4. / 6, 1e-12);
  EXPECT_NEAR(matrix.mean_iou(), (2. / 3 + 1. / 3 + 1. / 2) / 3, 1e-12);
}

TEST_F(ConfusionMatrixTest, ResetForgets) {
  matrix.reset();
  expect_error<ValueError>("ConfusionMatrix: expected at least one sample",
                           [&] { matrix.accuracy(); });
}

TEST(Metrics, ScoresAndIgnoredTargets) {
  ConfusionMatrix matrix(2, -1);
  matrix.update(tensor({.9, .1, .2, .8, .7, .3}).view({3, 2}), tensor({0, 0, -1}, kLong));
  EXPECT_TRUE(matrix.counts().equal(tensor({1, 1, 0, 0}, kLong).view({2, 2})));
  // An image of two pixels: scores are [N, C, H, W].
  ConfusionMatrix pixels(2);
  pixels.update(tensor({1., 0., 0., 1.}).view({1, 2, 1, 2}), tensor({0, 1}, kLong).view({1, 1, 2}));
  EXPECT_EQ(pixels.accuracy(), 1);
}

TEST(Metrics, TopK) {
  TopKAccuracy top2(2);
  top2.update(tensor({.1, .5, .4, .6, .3, .1}).view({2, 3}), tensor({2, 2}, kLong));
  EXPECT_EQ(top2.compute(), 0.5);
  top2.reset();
  expect_error<ValueError>("TopKAccuracy: expected at least one sample", [&] { top2.compute(); });
}

// Of 2 x 3 pairs four are in order, and one is a tie.
TEST(Metrics, AreaUnderTheCurve) {
  AUROC auroc;
  auroc.update(tensor({.9, .4}), tensor({1, 0}, kLong));
  auroc.update(tensor({.4, .3, .6}), tensor({1, 0, 0}, kLong));
  EXPECT_NEAR(auroc.compute(), 4.5 / 6, 1e-12);
  AUROC classes;
  classes.update(tensor({.8, .2, .3, .7, .4, .6}).view({3, 2}), tensor({0, 1, 0}, kLong));
  EXPECT_NEAR(classes.compute(), 1, 1e-12);
  classes.reset();
  classes.update(tensor({.5}), tensor({1}, kLong));
  expect_error<ValueError>("AUROC: expected samples of more than one class",
                           [&] { classes.compute(); });
}

// Uniform over C classes is a perplexity of C.
TEST(Metrics, PerplexityOfUniformLogits) {
  Perplexity perplexity(-100);
  perplexity.update(zeros({2, 3, 7}), tensor({0, 1, 2, 3, -100, 5}, kLong).view({2, 3}));
  EXPECT_NEAR(perplexity.compute(), 7, 1e-5);
  perplexity.reset();
  perplexity.update(tensor({0., std::log(3.)}).view({1, 2}), tensor({1}, kLong));
  EXPECT_NEAR(perplexity.compute(), 4. / 3, 1e-6);
}

// ---------------------------------------------------------------------- torchmetrics' values
// 97 samples of 5 classes: what torchmetrics 1.9.0 (on PyTorch 2.15) gives for them, once.
struct Torchmetrics : ::testing::Test {
  static constexpr int64_t N = 97, C = 5;
  Torchmetrics() {
    for (int64_t k = 0; k < N; ++k) {
      const int64_t square = (k * k + k / 3) % C;
      target[k] = square < 4 || k % 3 == 0 ? square : 1;
      for (int64_t c = 0; c < C; ++c)
        scores[k][c] = float((k * 37 + c * (53 + k % 11)) % 101) / 101;
      if (k % 4 != 0) scores[k][target[k].item<int64_t>()] += 0.25;
    }
  }
  ConfusionMatrix matrix_of(const Tensor& targets, optional<int64_t> ignored = nullopt) const {
    ConfusionMatrix matrix(C, ignored);
    for (int64_t from = 0; from < N; from += 40)
      matrix.update(scores.slice(0, from, from + 40), targets.slice(0, from, from + 40));
    return matrix;
  }
  // MulticlassAccuracy, ...Precision, ...Recall, ...F1Score of one average.
  static void expect_scores(const ConfusionMatrix& matrix, Average average,
                            const std::vector<double>& want) {
    const std::vector<double> got = {matrix.accuracy(average), matrix.precision(average),
                                     matrix.recall(average), matrix.f1(average)};
    for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(got[i], want[i], 1e-6) << i;
  }
  Tensor target = zeros({N}, kLong), scores = zeros({N, C});
};

TEST_F(Torchmetrics, OfClasses) {
  const ConfusionMatrix matrix = matrix_of(target);
  EXPECT_EQ(matrix.counts().sum(1).equal(tensor({20, 39, 7, 25, 6})), true);
  expect_scores(matrix, Average::kMicro, {0.391752571, 0.391752571, 0.391752571, 0.391752571});
  expect_scores(matrix, Average::kMacro, {0.368622720, 0.378150433, 0.368622720, 0.336202741});
  expect_scores(matrix, Average::kWeighted, {0.391752571, 0.543921530, 0.391752571, 0.434341609});
  EXPECT_NEAR(matrix.mean_iou(), 0.213767931, 1e-6);  // MulticlassJaccardIndex, macro
}

TEST_F(Torchmetrics, OfAClassThatIsOnlyPredicted) {
  const ConfusionMatrix matrix = matrix_of(where(target.eq(4), zeros_like(target), target));
  expect_scores(matrix, Average::kMacro, {0.260161161, 0.363174587, 0.260161161, 0.293866485});
  expect_scores(matrix, Average::kWeighted, {0.371134013, 0.574799538, 0.371134013, 0.443050325});
  EXPECT_NEAR(matrix.mean_iou(), 0.189974159, 1e-6);
}

TEST_F(Torchmetrics, OfIgnoredTargets) {
  const ConfusionMatrix one_class = matrix_of(target, 2);
  expect_scores(one_class, Average::kMicro, {0.411111116, 0.411111116, 0.411111116, 0.411111116});
  expect_scores(one_class, Average::kMacro, {0.340051293, 0.390325814, 0.340051293, 0.328406274});
  expect_scores(one_class, Average::kWeighted,
                {0.411111116, 0.617028713, 0.411111116, 0.472807825});
  EXPECT_NEAR(one_class.mean_iou(), 0.265376985, 1e-6);
  const Tensor fifth = arange(N).remainder(5).eq(0);
  const ConfusionMatrix no_class = matrix_of(where(fifth, full_like(target, -1), target), -1);
  expect_scores(no_class, Average::kMacro, {0.346435785, 0.348049283, 0.346435785, 0.318196595});
  expect_scores(no_class, Average::kWeighted, {0.376623392, 0.500101864, 0.376623392, 0.410702080});
  EXPECT_NEAR(no_class.mean_iou(), 0.200427890, 1e-6);
}

TEST_F(Torchmetrics, OfRanks) {
  for (const auto& [k, want] : {std::pair(1, 0.391752571), {2, 0.556701005}, {3, 0.742268026}}) {
    TopKAccuracy top(k);  // MulticlassAccuracy(average="micro", top_k=k)
    top.update(scores, target);
    EXPECT_NEAR(top.compute(), want, 1e-6) << k;
  }
  const auto area = [](const Tensor& of, const Tensor& targets) {
    AUROC auroc;
    auroc.update(of, targets);
    return auroc.compute();
  };
  EXPECT_NEAR(area(scores / 2, target), 0.673548639, 1e-6);  // MulticlassAUROC, macro
  const Tensor one = target.eq(1).to(kLong), score = scores.select(1, 1);
  EXPECT_NEAR(area(score / 2, one), 0.696728587, 1e-6);             // BinaryAUROC
  EXPECT_NEAR(area(floor(score * 4) / 8, one), 0.697391689, 1e-6);  // ties
}

TEST_F(Torchmetrics, OfTokens) {
  const Tensor logits = (scores * 3).unsqueeze(0), tokens = target.unsqueeze(0);
  Perplexity all, most(-100);
  all.update(logits, tokens);
  EXPECT_NEAR(all.compute(), 4.345519543, 1e-5);
  const Tensor ninth = arange(N).remainder(9).eq(0);
  most.update(logits, where(ninth, full_like(tokens, -100), tokens));
  EXPECT_NEAR(most.compute(), 4.300739765, 1e-5);
}

TEST(Metrics, BadInputIsRefused) {
  ConfusionMatrix matrix(3);
  expect_error<ValueError>("ConfusionMatrix: expected targets of dtype Long", [&] {
    matrix.update(zeros({2, 3}), zeros({2}));
  });
  expect_error<ValueError>("ConfusionMatrix: expected scores of 3 classes, got [2, 4]", [&] {
    matrix.update(zeros({2, 4}), zeros({2}, kLong));
  });
  expect_error<ValueError>("ConfusionMatrix: expected as many predictions",
                           [&] { matrix.update(zeros({3}, kLong), zeros({2}, kLong)); });
  for (const int64_t none : {3, -1}) {
    expect_error("out of", [&] { matrix.update(zeros({1}, kLong), full({1}, none, kLong)); });
    expect_error("out of", [&] { matrix.update(full({1}, none, kLong), zeros({1}, kLong)); });
  }
  expect_error<ValueError>("ConfusionMatrix: expected at least one class",
                           [] { ConfusionMatrix(0); });
  expect_error<ValueError>("TopKAccuracy: expected scores [N, C] with C of at least 4", [] {
    TopKAccuracy(4).update(zeros({2, 3}), zeros({2}, kLong));
  });
  expect_error<ValueError>("AUROC: expected floating scores", [] {
    AUROC().update(zeros({2, 3, 4}), zeros({2}, kLong));
  });
  expect_error<ValueError>("Perplexity: expected logits [N, L, C]", [] {
    Perplexity().update(zeros({2, 3}), zeros({2, 3}, kLong));
  });
}

}  // namespace
}  // namespace torch::taper::testing
