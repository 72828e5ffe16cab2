// Metrics: values worked out by hand from their definitions, and in parts as in one.
#include <gtest/gtest.h>

#include <cmath>

#include <taper/taper.h>
#include <taper/utils/metrics.h>

#include "test_util.h"

namespace taper::testing {
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
}  // namespace taper::testing
