// The rarer distributions. Expected values are PyTorch 1.13's after manual_seed(5); the last number
// is the generator's next, which tells how many were drawn.
#include <taper/ops/random/distributions.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include <taper/framework/autograd/node.h>
#include <taper/framework/random/random.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>

#include "harness/devices.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

double next_double() { return rand({}, kDouble).item<double>(); }

TEST(Distributions, EqualPyTorch) {
  struct Case {
    std::string name;
    std::function<Tensor()> run;
    std::vector<double> expected;
    double next;
  };
  const std::vector<Case> cases{
      {"geometric",
       [] { return empty({6}).geometric_(0.3); },
       {2, 4, 3, 4, 4, 1},
       0.5792977114381994},
      {"geometric.long",
       [] { return empty({4}, kLong).geometric_(0.1); },
       {5, 13, 10, 11},
       0.2661171387772723},
      {"cauchy",
       [] { return empty({5}).cauchy_(1, 2); },
       {1.956639051437378, -0.8809894323348999, 0.06521523743867874, -0.3125620484352112,
        -0.8070698976516724},
       0.8514286979373009},
      {"log_normal",
       [] { return empty({20}).log_normal_(0.5, 0.25); },
       {1.4598078727722168, 1.4177124500274658, 1.4340118169784546, 1.948151707649231,
        1.5693260431289673, 2.679676055908203,  1.1613399982452393, 1.3625538349151611,
        1.9305469989776611, 1.3168153762817383, 1.4341202974319458, 1.959481120109558,
        1.7430119514465332, 1.3957664966583252, 1.956506609916687,  1.9031308889389038,
        1.4251532554626465, 1.9976776838302612, 1.6724225282669067, 1.224651575088501},
       0.6549981746058934},
      {"poisson",
       [] {
         return poisson(values({0.5, 3, 12, 100, 0, 9.9, 50, 1000}));
       },
       {1, 2, 16, 107, 0, 8, 56, 1014},
       0.03668980281974554},
      {"poisson.double",
       [] {
         return poisson(values({20, 20, 20, 20, 20}, kDouble));
       },
       {22, 18, 17, 21, 25},
       0.3581188437742612},
      {"binomial",
       [] {
         return binomial(values({5, 100, 100, 40, 1000, 0, 3}),
                         values({0.5, 0.3, 0.9, 0.01, 0.5, 0.5, 1}));
       },
       {3, 27, 89, 1, 493, 0, 3},
       0.8012906277372395}};
  for (const Case& c : cases) {
    manual_seed(5);
    const std::vector<double> got = values_of(c.run());
    ASSERT_EQ(got.size(), c.expected.size()) << c.name;
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(got[i], c.expected[i], 1e-6 * std::abs(c.expected[i])) << c.name << ' ' << i;
    EXPECT_EQ(next_double(), c.next) << c.name;
  }
}

TEST(Distributions, FunctionsLeaveTheirInputAlone) {
  const Tensor x = zeros({3, 4});
  for (const Tensor& y : {uniform(x, 1, 2), exponential(x), random(x, 1, 5), random(x, 5),
                          random(x), geometric(x, 0.5), cauchy(x), log_normal(x)}) {
    EXPECT_EQ(y.sizes(), x.sizes());
    EXPECT_FALSE(y.eq(0).all().item<bool>());
  }
  EXPECT_TRUE(x.eq(0).all().item<bool>());
}

// Means and variances, on every kind of device.
TEST(Distributions, HaveTheirMoments) {
  std::vector<Device> devices{kCPU};
  if (cuda::is_available()) devices.push_back(device_at(0));
  for (const Device& device : devices) {
    manual_seed(1);
    cuda::manual_seed_all(1);
    const auto check = [&](const Tensor& y, double mean, double variance) {
      const Tensor v = y.to(kCPU, kDouble);
      const double n = static_cast<double>(v.numel());
      EXPECT_NEAR(v.mean().item<double>(), mean, 5 * std::sqrt(variance / n)) << device;
      EXPECT_NEAR(v.var().item<double>() / variance, 1, 0.1) << device;
    };
    const TensorOptions options = TensorOptions(kFloat).device(device);
    for (double rate : {0.7, 9.0, 40.0}) check(poisson(full({20000}, rate, options)), rate, rate);
    for (double p : {0.02, 0.4, 0.95})
      check(binomial(full({20000}, 60, options), full({1}, p, options)), 60 * p, 60 * p * (1 - p));
    check(empty({20000}, options).geometric_(0.3), 1 / 0.3, 0.7 / 0.09);
  }
}

TEST(Distributions, GradientsAreZero) {
  Tensor rates = ones({3}).requires_grad_();
  poisson(rates).sum().backward();
  expect_values(rates.grad(), {3}, {0, 0, 0});
  Tensor count = full({2, 1}, 5.0).requires_grad_(), prob = full({3}, 0.5).requires_grad_();
  binomial(count, prob).sum().backward();
  expect_values(count.grad(), {2, 1}, {0, 0});
  expect_values(prob.grad(), {3}, {0, 0, 0});
  Tensor x = ones({2}).requires_grad_();
  Tensor y = x * 2;
  y.cauchy_();
  EXPECT_EQ(y.grad_fn()->name(), "CauchyBackward0");
  y.sum().backward();
  expect_values(x.grad(), {2}, {0, 0});
}

TEST(Distributions, Errors) {
  const Tensor whole = ones({2}, kLong), x = ones({2});
  expect_error("geometric_ expects p to be in (0, 1), but got p=0", [&] { x.geometric_(0); });
  expect_error("log_normal_ expects std > 0.0, but found std=0", [&] { x.log_normal_(0, 0); });
  expect_error("cauchy_ expects sigma > 0.0, but found sigma=-1", [&] { x.cauchy_(0, -1); });
  expect_error("invalid Poisson rate, expected rate to be non-negative", [&] { poisson(-x); });
  expect_error("\"poisson_cpu\" not implemented for 'Long'", [&] { poisson(whole); });
  expect_error("\"cauchy_cpu\" not implemented for 'Long'", [&] { whole.cauchy_(); });
  expect_error("\"log_normal_cpu\" not implemented for 'Long'", [&] { whole.log_normal_(); });
  expect_error("binomial: expected count and prob of one dtype",
               [&] { binomial(x, x.to(kDouble)); });
  expect_values(x, {2}, {1, 1});
}

}  // namespace
}  // namespace torch::taper::testing
