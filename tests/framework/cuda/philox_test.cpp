// The counter-based generator of CUDA devices, and what is drawn from it.
#include <cmath>

#include <taper/framework/cuda/philox.h>
#include <taper/taper.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

using cuda::philox;
using cuda::PhiloxWords;

void expect_words(const PhiloxWords& got, const PhiloxWords& want) {
  for (int i = 0; i < 4; ++i) EXPECT_EQ(got.w[i], want.w[i]) << "word " << i;
}

// The known answers that the authors publish with their code.
TEST(Philox, GivesThePublishedAnswers) {
  expect_words(philox({{0, 0, 0, 0}}, 0, 0), {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}});
  const uint32_t ones = 0xffffffff;
  expect_words(philox({{ones, ones, ones, ones}}, ones, ones),
               {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}});
  expect_words(philox({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0),
               {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}});
}

TEST(Philox, SplitsKeysAndCountersIntoWords) {
  expect_words(philox(0x0000000700000005, 0x0000000300000002), philox({{2, 3, 0, 0}}, 5, 7));
}

TEST(Philox, StaysInsideItsRanges) {
  const uint64_t most = ~uint64_t{0};
  EXPECT_EQ(cuda::unit_double(0), 0);
  EXPECT_EQ(cuda::unit_double(most), 1 - 0x1p-53);
  EXPECT_EQ(cuda::unit_float(~0u), 1 - 0x1p-24f);
  EXPECT_GT(cuda::open_double(0), 0);
  EXPECT_LT(cuda::open_double(most), 1);
  EXPECT_GT(cuda::open_float(0), 0);
  EXPECT_LT(cuda::open_float(~0u), 1);
  EXPECT_EQ(cuda::below(most, 10), 9u);
  EXPECT_EQ(cuda::below(most, 0), most);
  EXPECT_EQ(cuda::below(0, 10), 0u);
}

// ---------------------------------------------------------------- statistics
// Seeds are fixed: a result is right for good, or wrong for good.
class Drawn : public ::testing::TestWithParam<ScalarType> {
 protected:
  static constexpr int64_t kCount = 40001;
  static TensorOptions options() { return TensorOptions(GetParam()).device(kCUDA); }
  static Tensor fresh() {
    cuda::manual_seed(12);
    return empty({kCount}, options());
  }
  // Within five standard errors, and the rounding of 16-bit numbers.
  static void expect_moments(const Tensor& y, double mean, double variance) {
    const Tensor x = y.cpu().to(kDouble);
    const double rounding = elementSize(GetParam()) == 2 ? 0.004 : 0;
    EXPECT_NEAR(x.mean().item<double>(), mean, 5 * std::sqrt(variance / kCount) + rounding);
    EXPECT_NEAR(x.var().item<double>() / variance, 1, 0.06);
  }
};

TEST_P(Drawn, UniformHasItsMomentsAndItsRange) {
  const Tensor y = fresh().uniform_(-1, 3);
  expect_moments(y, 1, 16.0 / 12);
  EXPECT_GE(y.min().item<double>(), -1);
  EXPECT_LT(y.max().item<double>(), 3);
  // Neighbours know nothing of each other.
  const Tensor x = y.cpu().to(kDouble) - 1;
  const double together =
      (x.slice(0, 0, kCount - 1) * x.slice(0, 1)).mean().item<double>() / (16.0 / 12);
  EXPECT_NEAR(together, 0, 0.03);
}

TEST_P(Drawn, NormalHasItsMomentsAndItsTails) {
  const Tensor y = fresh().normal_(2, 3);
  expect_moments(y, 2, 9);
  const Tensor z = (y.cpu().to(kDouble) - 2) / 3;
  EXPECT_NEAR(z.abs().lt(1).to(kDouble).mean().item<double>(), 0.6827, 0.015);
  EXPECT_NEAR(z.abs().gt(2).to(kDouble).mean().item<double>(), 0.0455, 0.006);
  EXPECT_NEAR(z.pow(3).mean().item<double>(), 0, 0.08);
}

TEST_P(Drawn, ExponentialHasItsMomentsAndIsNeverNegative) {
  const Tensor y = fresh().exponential_(2);
  expect_moments(y, 0.5, 0.25);
  EXPECT_GE(y.min().item<double>(), 0);
}

TEST_P(Drawn, BernoulliIsOneAsOftenAsAsked) {
  expect_moments(fresh().bernoulli_(0.3), 0.3, 0.21);
  expect_moments(fresh().bernoulli_(full({kCount}, 0.75, options())), 0.75, 0.1875);
  EXPECT_EQ(fresh().bernoulli_(1.0).cpu().to(kDouble).sum().item<double>(), kCount);
  EXPECT_EQ(fresh().bernoulli_(0.0).cpu().to(kDouble).sum().item<double>(), 0);
}

TEST_P(Drawn, DropoutKeepsTheMean) {
  cuda::manual_seed(4);
  const Tensor y = dropout(ones({kCount}, options()), 0.25, true).cpu().to(kDouble);
  EXPECT_NEAR(y.mean().item<double>(), 1, 0.02);
  EXPECT_NEAR(y.eq(0).to(kDouble).mean().item<double>(), 0.25, 0.02);
}

INSTANTIATE_TEST_SUITE_P(Cuda, Drawn, ::testing::Values(kFloat, kDouble, kHalf, kBFloat16),
                         [](const auto& info) { return toString(info.param); });

/// sum of (found - expected)^2 / expected over the numbers below `bins`.
double chi_square(const Tensor& y, const std::vector<double>& expected) {
  const std::vector<double> v = values_of(y.cpu());
  std::vector<double> found(expected.size(), 0);
  for (double value : v) found.at(static_cast<size_t>(value)) += 1;
  double total = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(expected[i] > 0 || found[i] == 0) << i;
    const double want = expected[i] * static_cast<double>(v.size());
    if (want > 0) total += (found[i] - want) * (found[i] - want) / want;
  }
  return total;
}

TEST(DrawnIntegers, AreEquallyLikely) {
  cuda::manual_seed(5);
  const std::vector<double> tenth(10, 0.1);  // 9 degrees of freedom: above 33.7 once in 10000
  for (ScalarType dtype : {kByte, kInt, kLong, kFloat, kHalf})
    EXPECT_LT(chi_square(randint(0, 10, {20000}, TensorOptions(dtype).device(kCUDA)), tenth), 33.7)
        << toString(dtype);
  const Tensor wide = empty({20000}, TensorOptions(kLong).device(kCUDA)).random_(0, INT64_MAX);
  EXPECT_LT(chi_square(wide.cpu().to(kDouble).div(0x1p63).mul(10).floor(), tenth), 33.7);
  const Tensor whole =
      empty({20000}, TensorOptions(kLong).device(kCUDA)).random_(INT64_MIN, optional<int64_t>());
  EXPECT_NEAR(whole.lt(0).to(kDouble).mean().item<double>(), 0.5, 0.02);
  const Tensor bytes = empty({20000}, TensorOptions(kChar).device(kCUDA)).random_();
  EXPECT_LT(chi_square(bytes, std::vector<double>(128, 1.0 / 128)), 193);
}

TEST(DrawnIntegers, MultinomialFollowsItsWeights) {
  cuda::manual_seed(6);
  const Tensor p = tensor({0., 1., 2., 0., 5., 2.}).to(kCUDA);
  EXPECT_LT(chi_square(p.multinomial(20000, true), {0, 0.1, 0.2, 0, 0.5, 0.2}), 21.1);
  const Tensor two = stack({p, p.flip({0})}).multinomial(20000, true);
  EXPECT_LT(chi_square(two[1], {0.2, 0.5, 0, 0.2, 0.1, 0}), 21.1);
}

TEST(DrawnIntegers, PermutationsHoldAllNumbersAndAreEquallyLikely) {
  cuda::manual_seed(7);
  const Tensor y = randperm(5000, kCUDA).cpu();
  EXPECT_TRUE(std::get<0>(y.sort()).equal(arange(5000)));
  EXPECT_FALSE(y.equal(arange(5000)));
  std::vector<double> which;
  for (int i = 0; i < 600; ++i) {
    const std::vector<double> v = values_of(randperm(3, kCUDA).cpu());
    which.push_back(v[0] * 2 + (v[1] > v[2] ? 1 : 0));
  }
  EXPECT_LT(chi_square(values(which), std::vector<double>(6, 1.0 / 6)), 25.7);
}

TEST(DrawnNumbers, DependOnTheSeedAndThePlaceOnly) {
  const auto draw = [](const Tensor& y) {
    cuda::manual_seed(8);
    return y.uniform_().cpu();
  };
  const Tensor all = draw(empty({10, 10}, kCUDA));
  EXPECT_TRUE(draw(empty({7}, kCUDA)).equal(all.flatten().slice(0, 0, 7)));
  EXPECT_TRUE(draw(empty({10, 20}, kCUDA).slice(1, 0, 20, 2)).equal(all));
  const Tensor next = empty({10, 10}, kCUDA).uniform_().cpu();
  EXPECT_FALSE(next.equal(all));
}

}  // namespace
}  // namespace torch::taper::testing
