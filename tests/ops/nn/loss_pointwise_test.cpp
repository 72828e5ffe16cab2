#include <taper/ops/nn/loss_pointwise.h>

#include <gtest/gtest.h>

#include <cmath>

#include <taper/framework/autograd/autocast.h>
#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/autograd/node.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/nn/loss_margin.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>

#include "harness/devices.h"
#include "ops/nn/loss_cases.h"
#include "ops/shared/kinks.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

using ElementLoss = std::function<double(double x, double t)>;

OpCase element_case(std::string name,
                    std::function<Tensor(const Tensor&, const Tensor&, int64_t)> op, ElementLoss f,
                    Range x_range = {}, Range t_range = {}) {
  OpCase c;
  c.name = std::move(name);
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16};
  c.samples = [=](ScalarType dtype) {
    Random random(21);
    std::vector<Args> list;
    for (const auto& shape : shapes_of_one(dtype))
      for (int64_t reduction = 0; reduction < 3; ++reduction)
        if (numel_of(shape) > 0 || reduction == 0)
          list.push_back({{random_tensor(shape, dtype, x_range, random),
                           random_tensor(shape, dtype, t_range, random)},
                          {reduction}});
    return list;
  };
  c.call = [op](const Args& a) { return op(a.t[0], a.t[1], a.i[0]); };
  c.reference = [f](const ArrayArgs& a) {
    Array each = a.t[0];
    double total = 0;
    for (size_t i = 0; i < each.v.size(); ++i) total += each.v[i] = f(a.t[0].v[i], a.t[1].v[i]);
    if (a.i[0] == Reduction::None) return Arrays{each};
    return Arrays{Array({}, reduced(total, each.v.size(), a.i[0]))};
  };
  return c;
}

TAPER_OP_CASES(element_losses, {
  std::vector<OpCase> list = {
      element_case(
          "mse_loss", [](auto& x, auto& t, int64_t r) { return mse_loss(x, t, r); },
          [](double x, double t) { return (x - t) * (x - t); }),
      element_case(
          "l1_loss", [](auto& x, auto& t, int64_t r) { return l1_loss(x, t, r); },
          [](double x, double t) { return std::abs(x - t); }, {0, 2}, {3, 5}),
      element_case(
          "smooth_l1_loss",
          [](auto& x, auto& t, int64_t r) { return smooth_l1_loss(x, t, r, 0.7); },
          [](double x, double t) {
            const double d = std::abs(x - t);
            return d < 0.7 ? d * d / 1.4 : d - 0.35;
          }),
      element_case(
          "huber_loss", [](auto& x, auto& t, int64_t r) { return huber_loss(x, t, r, 0.7); },
          [](double x, double t) {
            const double d = std::abs(x - t);
            return d <= 0.7 ? d * d / 2 : 0.7 * (d - 0.35);
          }),
      element_case(
          "binary_cross_entropy",
          [](auto& x, auto& t, int64_t r) { return binary_cross_entropy(x, t, {}, r); },
          [](double x, double t) { return -t * std::log(x) - (1 - t) * std::log(1 - x); },
          {0.1, 0.9}, {0, 1}),
      element_case(
          "binary_cross_entropy_with_logits",
          [](auto& x, auto& t, int64_t r) {
            return binary_cross_entropy_with_logits(x, t, {}, {}, r);
          },
          [](double x, double t) {
            return t * std::log1p(std::exp(-x)) + (1 - t) * (x + std::log1p(std::exp(-x)));
          },
          {-4, 4}, {0, 1}),
      element_case(
          "kl_div", [](auto& x, auto& t, int64_t r) { return kl_div(x, t, r); },
          [](double x, double t) { return t * (std::log(t) - x); }, {-3, 0}, {0.1, 0.9}),
      element_case(
          "kl_div_of_logs", [](auto& x, auto& t, int64_t r) { return kl_div(x, t, r, true); },
          [](double x, double t) { return std::exp(t) * (t - x); }, {-3, 0}, {-3, 0}),
      element_case(
          "poisson_nll_loss_of_logs",
          [](auto& x, auto& t, int64_t r) { return poisson_nll_loss(x, t, true, false, 1e-8, r); },
          [](double x, double t) { return std::exp(x) - t * x; }, {-1, 1}, {0, 4}),
      element_case(
          "poisson_nll_loss_without_stirling",
          [](auto& x, auto& t, int64_t r) { return poisson_nll_loss(x, t, false, false, 0.1, r); },
          [](double x, double t) { return x - t * std::log(x + 0.1); }, {0.5, 3}, {0, 4}),
      element_case(
          "soft_margin_loss", [](auto& x, auto& t, int64_t r) { return soft_margin_loss(x, t, r); },
          [](double x, double t) { return std::log1p(std::exp(-t * x)); }),
  };
  for (const char* name : {"poisson_nll_loss_of_logs", "poisson_nll_loss_without_stirling"})
    case_in(list, name).tolerance = 4;
  case_in(list, "soft_margin_loss").inputs_without_gradient = {1};
  case_in(list, "binary_cross_entropy").errors = {
      error<Error>("all elements of input should be between 0 and 1", [] {
        binary_cross_entropy(to_tensor(Array({2}, 1.5), kFloat), to_tensor(Array({2}), kFloat));
      })};
  case_in(list, "binary_cross_entropy_with_logits").errors = {
      error<ValueError>("Target size ([3]) must be the same as input size ([2])", [] {
        binary_cross_entropy_with_logits(to_tensor(Array({2}), kFloat),
                                         to_tensor(Array({3}), kFloat));
      })};
  return list;
});

TAPER_OP_CASES(poisson_losses, {
  std::vector<OpCase> list;
  for (const bool log_input : {true, false}) {
    OpCase c;
    c.name = log_input ? "poisson_nll_loss" : "poisson_nll_loss_of_rates";
    c.samples = [](ScalarType t) {
      std::vector<Args> samples;
      for (int64_t reduction = 0; reduction < 3; ++reduction)
        samples.push_back(sample_of({{2, 3}, {2, 3}}, t, {0.2, 3}, {reduction}));
      return samples;
    };
    c.call = [=](const Args& a) {
      return poisson_nll_loss(a.t[0], a.t[1], log_input, true, 1e-8, a.i[0]);
    };
    c.reference = [=](const ArrayArgs& a) {
      Numbers losses;
      for (size_t i = 0; i < a.t[0].v.size(); ++i) {
        const double x = a.t[0].v[i], t = a.t[1].v[i];
        const double stirling = t > 1 ? t * std::log(t) - t + 0.5 * std::log(2 * M_PI * t) : 0;
        losses.push_back((log_input ? std::exp(x) - t * x : x - t * std::log(x + 1e-8)) + stirling);
      }
      return reduced(a, a.t[0].sizes, losses);
    };
    c.inputs_without_gradient = {1};
    list.push_back(c);
  }
  return list;
});

TEST(BceWithLogits, WeightsMultiplyTheTerms) {
  const Args a = sample_of({{2, 3}, {2, 3}, {3}}, kDouble, {0.1, 0.9});
  const Tensor &x = a.t[0], &t = a.t[1], &w = a.t[2];
  const Tensor positive = binary_cross_entropy_with_logits(x, t, {}, w, Reduction::Sum);
  const Tensor p = x.sigmoid();
  const Tensor want = w.mul(t).mul(p.log()).add(t.neg().add(1).mul(p.neg().log1p())).sum().neg();
  EXPECT_NEAR(positive.item<double>(), want.item<double>(), 1e-12);
  const Tensor weighted = binary_cross_entropy_with_logits(x, t, w, {}, Reduction::Sum);
  const Tensor each = binary_cross_entropy_with_logits(x, t, {}, {}, Reduction::None);
  EXPECT_NEAR(weighted.item<double>(), each.mul(w).sum().item<double>(), 1e-12);
}

TEST(MseLoss, BroadcastsAndReducesGradients) {
  const Tensor x = sample_of({{2, 3}}, kFloat).t[0].set_requires_grad(true);
  const Tensor t = sample_of({{3}}, kFloat).t[0].set_requires_grad(true);
  mse_loss(x, t, Reduction::Sum).backward();
  EXPECT_TRUE(t.grad().allclose(x.grad().sum(0).neg()));
  EXPECT_EQ(mse_loss(x, t).grad_fn()->name(), "MseLossBackward0");
}

// Of 16 bits x is not cast, beside targets of 16 bits or 32; what is computed of it is f32.
using PointwiseLoss = Tensor (*)(const Tensor&, const Tensor&, int64_t);
const PointwiseLoss kPointwiseLosses[] = {
    [](const Tensor& x, const Tensor& t, int64_t r) { return mse_loss(x, t, r); },
    [](const Tensor& x, const Tensor& t, int64_t r) { return smooth_l1_loss(x, t, r, 0.7); },
    [](const Tensor& x, const Tensor& t, int64_t r) { return huber_loss(x, t, r, 0.7); },
    [](const Tensor& x, const Tensor& t, int64_t r) { return binary_cross_entropy(x, t, {}, r); },
    [](const Tensor& x, const Tensor& t, int64_t r) {
      return binary_cross_entropy_with_logits(x, t, {}, {}, r);
    }};

struct LossResults {
  Tensor y, gx, gt;
};
/// The loss, and gradients with a cotangent that depends on it, all as f64.
LossResults results_of(PointwiseLoss loss, const Tensor& x, const Tensor& t, int64_t reduction) {
  const Tensor a = x.detach().requires_grad_(), b = t.detach().requires_grad_();
  const Tensor y = loss(a, b, reduction);
  const Tensor wide = y.to(kDouble);
  wide.mul(wide.detach().add(1)).sum().div(static_cast<double>(x.numel())).backward();
  EXPECT_EQ(a.grad().scalar_type(), x.scalar_type());
  EXPECT_EQ(b.grad().scalar_type(), t.scalar_type());
  return {y.detach().cpu().to(kDouble), a.grad().cpu().to(kDouble), b.grad().cpu().to(kDouble)};
}
void expect_near_double(PointwiseLoss loss, const Tensor& x, const Tensor& t, int64_t reduction,
                        double of_y) {
  const auto exact = [](const Tensor& v) { return v.cpu().to(kDouble); };
  const LossResults want = results_of(loss, exact(x), exact(t), reduction),
                    got = results_of(loss, x, t, reduction);
  const auto rounding = [](const Tensor& v) {
    return v.scalar_type() == kHalf ? 0x1p-9 : v.scalar_type() == kBFloat16 ? 0x1p-6 : 2e-5;
  };
  // The cotangent has the loss's rounding, too.
  EXPECT_TRUE(got.y.allclose(want.y, of_y, 1e-6));
  EXPECT_TRUE(got.gx.allclose(want.gx, rounding(x) + of_y, 1e-6));
  EXPECT_TRUE(got.gt.allclose(want.gt, rounding(t) + of_y, 1e-6));
}

void compare_narrow_losses(Device device) {
  Random random(22);
  for (const int64_t n : {3, 5000, 9001})
    for (const ScalarType dtype : {kHalf, kBFloat16})
      for (const ScalarType of_t : {dtype, kFloat})
        for (const int64_t offset : {0, 1})  // one element on, packs are not aligned
          for (const int64_t reduction : {Reduction::None, Reduction::Mean, Reduction::Sum}) {
            const auto numbers_in = [&](ScalarType d) {
              const Tensor all = random_tensor({n + 1}, kFloat, {0.01, 0.99}, random).to(device, d);
              return all.slice(0, offset, offset + n);
            };
            const Tensor x = numbers_in(dtype), t = numbers_in(of_t);
            const double of_y = of_t == kFloat ? 1e-4 : dtype == kHalf ? 0x1p-10 : 0x1p-7;
            for (const PointwiseLoss& loss : kPointwiseLosses) {
              SCOPED_TRACE(::testing::Message()
                           << "loss " << &loss - kPointwiseLosses << " of " << n << ' ' << dtype
                           << " and " << of_t << ", reduction " << reduction);
              expect_near_double(loss, x, t, reduction, of_y);
            }
          }
}
TEST(Losses, Of16BitsAreComputedIn32) { compare_narrow_losses(kCPU); }
TEST(CudaKernelsOfWarps, LossesOf16Bits) {
  TAPER_NEEDS_DEVICES(1);
  compare_narrow_losses(device_at(0));
}

TEST(Losses, Of16BitsAreOf32UnderAutocast) {
  const Tensor x = numbers({7}, kFloat).to(kBFloat16), t = numbers({7}, kFloat).abs();
  const Tensor p = x.sigmoid(), q = t.clamp_max(1);
  for (const int64_t reduction : {Reduction::None, Reduction::Sum})
    for (const PointwiseLoss loss : kPointwiseLosses) {
      EXPECT_EQ(loss(p, q.to(kBFloat16), reduction).scalar_type(), kBFloat16);
      EXPECT_EQ(loss(p, q, reduction).scalar_type(), kFloat);
      const autocast guard(kCPU, kBFloat16);
      const Tensor y = loss(p, q.to(kBFloat16), reduction);
      EXPECT_EQ(y.scalar_type(), kFloat);
      EXPECT_TRUE(y.allclose(loss(p.to(kFloat), q.to(kBFloat16).to(kFloat), reduction)));
    }
}
// What PyTorch composes of ops: under autocast 16 bits are read as they are, and computed with as
// f32 would be.
const PointwiseLoss kOnePassLosses[] = {
    [](const Tensor& x, const Tensor& t, int64_t r) { return l1_loss(x, t, r); },
    [](const Tensor& x, const Tensor& t, int64_t r) { return smooth_l1_loss(x, t, r, 0); },
    [](const Tensor& x, const Tensor& t, int64_t r) { return kl_div(x, t, r); },
    [](const Tensor& x, const Tensor& t, int64_t r) { return kl_div(x, t, r, true); },
    [](const Tensor& x, const Tensor& t, int64_t r) {
      return poisson_nll_loss(x, t, true, false, 1e-8, r);
    },
    [](const Tensor& x, const Tensor& t, int64_t r) {
      return poisson_nll_loss(x, t, false, false, 0.1, r);
    },
    [](const Tensor& x, const Tensor& t, int64_t r) { return soft_margin_loss(x, t.detach(), r); }};
void compare_one_pass_losses(Device device) {
  Random random(23);
  for (const int64_t n : {3, 5001})
    for (const ScalarType dtype : {kHalf, kBFloat16})
      for (const ScalarType of_t : {dtype, kFloat})
        for (const int64_t reduction : {Reduction::None, Reduction::Mean, Reduction::Sum})
          for (const PointwiseLoss& loss : kOnePassLosses) {
            const auto numbers_in = [&](ScalarType d) {
              return random_tensor({n}, kFloat, {0.01, 0.99}, random).to(device, d);
            };
            const Tensor x = numbers_in(dtype), t = numbers_in(of_t);
            const auto results = [&](ScalarType of, bool cast) {
              const Tensor a = x.detach().clone().to(of).requires_grad_();
              const autocast guard(device, dtype, cast);
              const Tensor y = loss(a, of == dtype ? t : t.to(of), reduction);
              EXPECT_EQ(y.scalar_type(), of == dtype ? kFloat : of);
              y.sum().backward();
              EXPECT_EQ(a.grad().scalar_type(), of);
              return std::pair(y.detach().cpu().to(kDouble), a.grad().cpu().to(kDouble));
            };
            const auto [y, gx] = results(dtype, true);
            const auto [want, of_wide] = results(kDouble, false);
            SCOPED_TRACE(::testing::Message() << "loss " << &loss - kOnePassLosses << " of " << n
                                              << ' ' << dtype << ' ' << reduction);
            EXPECT_TRUE(y.allclose(want, 1e-4, 1e-5));
            EXPECT_TRUE(gx.allclose(of_wide, dtype == kHalf ? 0x1p-10 : 0x1p-7, 1e-7));
          }
}
TEST(Losses, OfOnePassRead16BitsUnderAutocast) { compare_one_pass_losses(kCPU); }
TEST(CudaKernelsOfWarps, LossesOfOnePassRead16Bits) {
  TAPER_NEEDS_DEVICES(1);
  compare_one_pass_losses(device_at(0));
}
TEST(Losses, OfOnePassAreDifferentiatedTwice) {
  Random random(24);
  const Tensor t = random_tensor({6}, kDouble, {0.1, 0.9}, random);
  for (const PointwiseLoss& loss : kOnePassLosses) {
    const Tensor x = random_tensor({6}, kDouble, {0.1, 0.9}, random).requires_grad_();
    const auto gradient = [&](const Tensor& at) {
      return autograd::grad({loss(at, t, Reduction::Sum)}, {at}, {}, true, true)[0];
    };
    const Tensor gx = gradient(x);
    if (!gx.requires_grad()) continue;  // linear in x
    const Tensor second = autograd::grad({gx.mul(gx).sum()}, {x})[0];
    const double step = 1e-6;
    const Tensor above = gradient(x.detach().add(step).requires_grad_()).detach(),
                 below = gradient(x.detach().sub(step).requires_grad_()).detach();
    const Tensor want = above.mul(above).sub(below.mul(below)).div(2 * step);
    EXPECT_TRUE(second.allclose(want, 1e-5, 1e-6)) << &loss - kOnePassLosses;
  }
}
TEST(L1Loss, HasNoSlopeAtItsTarget) {
  const Tensor x = tensor({1.f, 2.f, 3.f}).requires_grad_();
  l1_loss(x, tensor({1.f, 1.f, 4.f}), Reduction::Sum).backward();
  EXPECT_TRUE(x.grad().equal(tensor({0.f, 1.f, -1.f})));
}
// Without autocast each op rounds to 16 bits, as PyTorch's do.
TEST(L1Loss, Of16BitsIsTheOps) {
  const Tensor x = numbers({999}, kFloat).to(kBFloat16),
               t = numbers({999}, kFloat).mul(0.3).to(kBFloat16);
  EXPECT_TRUE(l1_loss(x, t).equal(x.sub(t).abs().mean()));
  EXPECT_TRUE(kl_div(x, t, Reduction::Sum, true).equal(t.exp().mul(t.sub(x)).sum()));
}

TEST(Losses, Of16BitsAreDifferentiatedTwice) {
  const Tensor t = numbers({5}, kFloat).to(kBFloat16);
  const auto second = [&](ScalarType dtype) {
    const Tensor x = numbers({5}, kFloat).mul(0.7).to(kBFloat16).to(dtype).requires_grad_();
    const Tensor y = binary_cross_entropy_with_logits(x, t.to(dtype), {}, {}, Reduction::Sum);
    const Tensor gx = autograd::grad({y}, {x}, {}, true, true)[0];
    return autograd::grad({gx.mul(gx).sum()}, {x})[0].to(kDouble);
  };
  EXPECT_TRUE(second(kBFloat16).allclose(second(kDouble), 0x1p-6, 1e-3));
}

TEST(KlDiv, ANegativeProbabilityIsNoNumber) {
  const Tensor t = tensor({0.5f, 0.f, -0.5f});
  const Tensor loss = kl_div(zeros({3}), t, Reduction::None);
  EXPECT_FLOAT_EQ(loss[0].item<float>(), 0.5f * std::log(0.5f));
  EXPECT_EQ(loss[1].item<float>(), 0);
  EXPECT_TRUE(std::isnan(loss[2].item<float>()));
}

// Where LibTorch has no derivative, a gradient that is asked for is not lost in silence.
TEST(Losses, RefuseArgumentsWithoutADerivative) {
  const Tensor x = numbers({3}, kDouble).abs().add(0.1).clamp_max(0.9);
  const Tensor k = ones({3}, kDouble).requires_grad_(), whole = values({1}, kLong);
  const auto refused = [](const char* argument, const std::function<void()>& body) {
    expect_error(std::string("is not differentiable with respect to argument '") + argument + "'",
                 body);
  };
  refused("target", [&] { soft_margin_loss(x, k); });
  refused("weight", [&] { binary_cross_entropy(x, x, k); });
  refused("weight", [&] { binary_cross_entropy_with_logits(x, x, k); });
  refused("pos_weight", [&] { binary_cross_entropy_with_logits(x, x, {}, k); });
  refused("weight", [&] { multi_margin_loss(x.view({1, 3}), whole, 1, 1, k); });
  EXPECT_TRUE(binary_cross_entropy(x, k).requires_grad());  // by the target
  const NoGradGuard no_grad;
  EXPECT_NO_THROW(soft_margin_loss(x, k));
}

TEST(Losses, GradientsAtTheirCorners) {
  constexpr int64_t kSum = Reduction::Sum;
  expect_kinks({
      {OF_X(l1_loss(x, zeros_like(x), kSum)), {-1, 0, 1}, {-1, 0, 1}},
      {OF_X(smooth_l1_loss(x, zeros_like(x), kSum, 0)), {-1, 0, 1}, {-1, 0, 1}},
      {OF_X(smooth_l1_loss(x, zeros_like(x), kSum, 2)), {-2, 0, 1, 2}, {-1, 0, 0.5, 1}},
      {OF_X(huber_loss(x, zeros_like(x), kSum, 2)), {-2, 0, 1, 2}, {-2, 0, 1, 2}},
      {OF_X(binary_cross_entropy_with_logits(x, ones_like(x), {}, {}, kSum)), {0}, {-0.5}},
      {OF_X(binary_cross_entropy(x, zeros_like(x), {}, kSum)), {0, 0.5}, {0, 2}},
      {OF_X(hinge_embedding_loss(x, full_like(x, -1), 1, kSum)), {0, 1, 2}, {-1, -1, 0}},
      {OF_X(margin_ranking_loss(x, zeros_like(x), ones_like(x), 1, kSum)), {0, 1, 2}, {-1, -1, 0}},
      {OF_X(soft_margin_loss(x, ones_like(x), kSum)), {0}, {-0.5}},
  });
}

}  // namespace
}  // namespace torch::taper::testing
