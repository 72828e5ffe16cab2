#include <taper/ops/nn/loss_nll.h>

#include <gtest/gtest.h>

#include <cmath>

#include <taper/framework/autograd/autocast.h>
#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/node.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>

#include "harness/devices.h"
#include "ops/nn/loss_cases.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

// t[0]: scores or log probabilities [N, C, S], t[1]: targets [N, S], t[2]: weights [C];
// i: reduction, ignored target; d: smoothing, if any.
double class_losses(const ArrayArgs& a, bool scores, Array& losses) {
  const Array& x = a.t[0];
  const int64_t classes = x.sizes[1], inner = x.numel() / (x.sizes[0] * classes);
  double weights = 0;
  for (size_t k = 0; k < losses.v.size(); ++k) {
    const int64_t n = static_cast<int64_t>(k) / inner, s = static_cast<int64_t>(k) % inner;
    const int64_t c = static_cast<int64_t>(a.t[1].v[k]);
    losses.v[k] = 0;
    if (c == a.i[1]) continue;
    auto value = [&](int64_t j) { return x.v[(n * classes + j) * inner + s]; };
    const auto weight = [&](int64_t j) { return a.t.size() > 2 ? a.t[2].v[j] : 1; };
    const double smoothing = a.d.empty() ? 0 : a.d[0];
    double sum = 0, all = 0;
    for (int64_t j = 0; j < classes; ++j) sum += std::exp(value(j));
    const auto loss = [&](int64_t j) {
      return weight(j) * ((scores ? std::log(sum) : 0) - value(j));
    };
    for (int64_t j = 0; j < classes; ++j) all += loss(j);
    losses.v[k] = (1 - smoothing) * loss(c) + smoothing / static_cast<double>(classes) * all;
    weights += weight(c);
  }
  return weights;
}

OpCase class_case(std::string name, bool scores, std::vector<double> smoothing = {}) {
  OpCase c;
  c.name = std::move(name);
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16};
  c.inputs_without_gradient = {2};
  c.samples = [smoothing](ScalarType dtype) {
    Random random(31);
    std::vector<Args> list;
    const std::vector<std::vector<int64_t>> shapes = {{1, 1},  {4, 3},    {16, 10},  {5, 32},
                                                      {5, 33}, {3, 1025}, {2, 3, 5}, {2, 16, 3, 3}};
    for (const auto& shape : shapes)
      for (int64_t reduction = 0; reduction < 3; ++reduction)
        for (const bool weighted : {false, true}) {
          std::vector<int64_t> at = shape;
          at.erase(at.begin() + 1);
          Args a{
              {random_tensor(shape, dtype, {-4, 4}, random), random_index(at, 0, shape[1], random)},
              {reduction, shape[1] > 1 ? 1 : -100},
              smoothing};
          if (weighted) a.t.push_back(random_tensor({shape[1]}, dtype, {0.1, 2}, random));
          set_element(a.t[1], 0, 0);  // at least one target counts
          list.push_back(std::move(a));
        }
    return list;
  };
  c.call = [scores](const Args& a) {
    const optional<Tensor> w = a.t.size() > 2 ? optional<Tensor>(a.t[2]) : nullopt;
    return scores ? cross_entropy_loss(a.t[0], a.t[1], w, a.i[0], a.i[1], a.d.empty() ? 0 : a.d[0])
                  : nll_loss_nd(a.t[0], a.t[1], w, a.i[0], a.i[1]);
  };
  c.reference = [scores](const ArrayArgs& a) {
    Array losses(a.t[1].sizes);
    const double weights = class_losses(a, scores, losses);
    if (a.i[0] == Reduction::None) return Arrays{losses};
    double total = 0;
    for (double v : losses.v) total += v;
    return Arrays{Array({}, a.i[0] == Reduction::Mean ? total / weights : total)};
  };
  c.errors = {error<IndexError>("Target 3 is out of bounds.", [scores] {
    const Tensor x = to_tensor(Array({2, 3}), kFloat), t = to_tensor(Array({2}, 3), kLong);
    scores ? cross_entropy_loss(x, t) : nll_loss(x, t);
  })};
  c.errors.push_back(error<Error>("expected scalar type Long but found Int", [scores] {
    const Tensor x = to_tensor(Array({2, 3}), kFloat), t = to_tensor(Array({2}), kInt);
    scores ? cross_entropy_loss(x, t) : nll_loss(x, t);
  }));
  c.errors.push_back(
      error<ValueError>("Expected input batch_size (2) to match target batch_size (4).", [scores] {
        const Tensor x = to_tensor(Array({2, 3}), kFloat), t = to_tensor(Array({4}), kLong);
        scores ? cross_entropy_loss(x, t) : nll_loss_nd(x, t);
      }));
  return c;
}

TAPER_OP_CASES(class_losses_, {
  return std::vector<OpCase>{class_case("nll_loss", false), class_case("cross_entropy_loss", true),
                             class_case("cross_entropy_loss_smoothed", true, {0.3})};
});

// Probabilities as targets, and smoothing, which is the same with mixed targets. t[2]: weights, if
// any.
Arrays mixture_reference(const ArrayArgs& a) {
  const Array& x = a.t[0];
  const int64_t classes = x.sizes[1], inner = x.numel() / (x.sizes[0] * classes);
  std::vector<int64_t> sizes = x.sizes;
  sizes.erase(sizes.begin() + 1);
  Array losses(sizes);
  double total = 0;
  for (size_t k = 0; k < losses.v.size(); ++k) {
    const int64_t n = static_cast<int64_t>(k) / inner, s = static_cast<int64_t>(k) % inner;
    const auto place = [&](int64_t j) { return (n * classes + j) * inner + s; };
    double sum = 0;
    for (int64_t j = 0; j < classes; ++j) sum += std::exp(x.v[place(j)]);
    for (int64_t j = 0; j < classes; ++j) {
      const double p = a.t[1].v[place(j)] * (1 - a.d[0]) + a.d[0] / static_cast<double>(classes);
      const double w = a.t.size() > 2 ? a.t[2].v[j] : 1;
      losses.v[k] -= w * p * (x.v[place(j)] - std::log(sum));
    }
    total += losses.v[k];
  }
  if (a.i[0] == Reduction::None) return Arrays{losses};
  return Arrays{Array({}, reduced(total, losses.v.size(), a.i[0]))};
}

TAPER_OP_CASES(soft_targets, {
  OpCase c;
  c.name = "cross_entropy_loss_probabilities";
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16};
  c.inputs_without_gradient = {2};
  c.samples = [](ScalarType dtype) {
    Random random(32);
    std::vector<Args> list;
    for (const auto& shape : std::vector<std::vector<int64_t>>{
             {1, 1}, {4, 5}, {3, 32}, {2, 1025}, {2, 3, 5}, {2, 16, 3, 3}})
      for (int64_t reduction = 0; reduction < 3; ++reduction)
        for (const double smoothing : {0.0, 0.2}) {
          Args a{{random_tensor(shape, dtype, {-2, 2}, random),
                  random_tensor(shape, dtype, {0, 1}, random)},
                 {reduction},
                 {smoothing}};
          if (smoothing > 0) a.t.push_back(random_tensor({shape[1]}, dtype, {0.1, 2}, random));
          list.push_back(std::move(a));
        }
    return list;
  };
  c.call = [](const Args& a) {
    const optional<Tensor> w = a.t.size() > 2 ? optional<Tensor>(a.t[2]) : nullopt;
    return cross_entropy_loss(a.t[0], a.t[1], w, a.i[0], -100, a.d[0]);
  };
  c.reference = mixture_reference;
  return std::vector<OpCase>{c};
});

// Numbers: how to reduce, the class that does not count.
TAPER_OP_CASES(losses_of_images, {
  OpCase c;
  c.name = "nll_loss2d";
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    Random random(4);
    for (int64_t reduction = 0; reduction < 3; ++reduction)
      for (int64_t ignored : {-100, 1})
        list.push_back(
            {{random_tensor({2, 3, 2, 4}, t, {}, random), random_index({2, 2, 4}, 0, 3, random),
              random_tensor({3}, t, {0.2, 2}, random)},
             {reduction, ignored}});
    return list;
  };
  c.call = [](const Args& a) { return nll_loss2d(a.t[0], a.t[1], a.t[2], a.i[0], a.i[1]); };
  c.reference = [](const ArrayArgs& a) {
    Array y(a.t[1].sizes);
    double sum = 0, weights = 0;
    for_each_index(y.sizes, [&](const std::vector<int64_t>& at) {
      const auto target = static_cast<int64_t>(a.t[1].at(at));
      if (target == a.i[1]) return;
      const double weight = a.t[2].at({target});
      y.at(at) = -weight * a.t[0].at({at[0], target, at[1], at[2]});
      sum += y.at(at);
      weights += weight;
    });
    if (a.i[0] == Reduction::None) return y;
    return Array({}, a.i[0] == Reduction::Mean ? sum / weights : sum);
  };
  c.inputs_without_gradient = {2};
  c.tolerance = 4;
  return std::vector<OpCase>{c};
});

Array row(std::vector<double> v) {
  Array a({static_cast<int64_t>(v.size())});
  a.v = std::move(v);
  return a;
}
Tensor classes(std::vector<double> v) { return to_tensor(row(std::move(v)), kLong); }

TEST(CrossEntropy, SmoothingEqualsMixedProbabilities) {
  const Tensor x = sample_of({{3, 4}}, kDouble).t[0];
  Array p({3, 4}, 0.1 / 4);
  p.v[1] += 0.9;
  p.v[4 + 3] += 0.9;
  p.v[8] += 0.9;
  const Tensor hard = cross_entropy_loss(x, classes({1, 3, 0}), {}, 1, -100, 0.1);
  EXPECT_NEAR(hard.item<double>(), cross_entropy_loss(x, to_tensor(p, kDouble)).item<double>(),
              1e-12);
  const Tensor w = sample_of({{4}}, kDouble, {0.5, 2}).t[0];
  const Tensor weighted = cross_entropy_loss(x, classes({1, 3, 0}), w, 2, -100, 0.1);
  EXPECT_NEAR(weighted.item<double>(),
              cross_entropy_loss(x, to_tensor(p, kDouble), w, 2).item<double>(), 1e-12);
}

TEST(CrossEntropy, IgnoredTargetsCountForNothing) {
  const Tensor x = sample_of({{3, 4}}, kFloat).t[0].set_requires_grad(true);
  const Tensor all = cross_entropy_loss(x, classes({1, -100, 0}));
  const Tensor two =
      cross_entropy_loss(x.detach().index_select(0, classes({0, 2})), classes({1, 0}));
  EXPECT_FLOAT_EQ(all.item<float>(), two.item<float>());
  all.backward();
  EXPECT_EQ(x.grad()[1].abs().sum().item<float>(), 0);
  EXPECT_TRUE(std::isnan(cross_entropy_loss(x, classes({-100, -100, -100})).item<float>()));
}

// The gradient is made with the loss; the first backward takes it, later ones make it anew.
TEST(CrossEntropy, EachBackwardGetsAGradientOfItsOwn) {
  const Tensor x = sample_of({{5, 33}}, kFloat).t[0].set_requires_grad(true);
  const Tensor t = classes({1, 3, -100, 32, 0});
  const Tensor w = sample_of({{33}}, kFloat, {0.5, 2}).t[0];
  for (const int64_t reduction : {Reduction::Mean, Reduction::Sum}) {
    const Tensor loss = cross_entropy_loss(x, t, w, reduction);
    const auto gradient = [&](double gy) {
      return autograd::grad({loss}, {x}, {to_tensor(Array({}, gy), kFloat)}, true)[0];
    };
    const Tensor tripled = gradient(3);
    const Tensor plain = gradient(1);
    EXPECT_TRUE(tripled.equal(gradient(3)));
    EXPECT_TRUE(plain.equal(gradient(1)));
    EXPECT_TRUE(tripled.equal(plain.mul(3)));
    const Tensor p = x.detach().softmax(1), weight = w.index_select(0, classes({1, 3, 1, 32, 0}));
    Tensor want = p.sub(classes({1, 3, 1, 32, 0}).unsqueeze(1).eq(arange(33)).to(kFloat));
    want = want.mul(weight.mul(to_tensor(row({1, 1, 0, 1, 1}), kFloat)).unsqueeze(1));
    if (reduction == Reduction::Mean) want = want.div(weight.sum().sub(weight[2]));
    EXPECT_TRUE(plain.allclose(want, 1e-5, 1e-7));
  }
}

// Positions of images, in blocks with a rest, are computed as the rows of a matrix are.
TEST(CrossEntropy, ImagesAreRowsInAnotherOrder) {
  Random random(9);
  const Tensor scores = random_tensor({2, 21, 37, 41}, kFloat, {-9, 9}, random);
  const Tensor target = random_index({2, 37, 41}, -1, 21, random);
  const Tensor weight = random_tensor({21}, kFloat, {0.1, 2}, random);
  for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16})
    for (const int64_t reduction : {Reduction::None, Reduction::Mean, Reduction::Sum})
      for (const double smoothing : {0.0, 0.3}) {
        const auto results = [&](bool rows) {
          const Tensor x = scores.detach().clone().to(dtype).requires_grad_();
          const optional<Tensor> w = smoothing > 0 ? optional<Tensor>(weight) : nullopt;
          const Tensor y = rows ? cross_entropy_loss(x.movedim(1, -1).reshape({-1, 21}),
                                                     target.flatten(), w, reduction, -1, smoothing)
                                : cross_entropy_loss(x, target, w, reduction, -1, smoothing);
          const Tensor g = y.to(kFloat).detach().add(1);
          y.to(kFloat).reshape({-1}).mul(g.reshape({-1})).sum().backward();
          return std::pair(y.detach().reshape({-1}).to(kDouble), x.grad());
        };
        const auto [y, gx] = results(false);
        const auto [want, of_rows] = results(true);
        const double rounding = dtype == kHalf ? 0x1p-9 : dtype == kBFloat16 ? 0x1p-6 : 1e-5;
        EXPECT_TRUE(y.allclose(want, rounding, 1e-5)) << dtype << reduction << smoothing;
        EXPECT_EQ(gx.scalar_type(), dtype);
        const Tensor of = of_rows.to(kDouble);
        const double largest = of.abs().max().item<double>();
        EXPECT_TRUE(gx.to(kDouble).allclose(of, 2 * rounding, 1e-6 * largest))
            << dtype << reduction << smoothing;
      }
}
TEST(CrossEntropy, IgnoredPositionsOfImagesMayHoldAnything) {
  for (const ScalarType dtype : {kFloat, kBFloat16}) {
    const Tensor x = sample_of({{1, 3, 2, 300}}, kFloat).t[0].to(dtype);
    Tensor t = zeros({1, 2, 300}, kLong);
    x.select(3, 7).fill_(std::nan(""));
    x.select(3, 8).fill_(INFINITY);
    t.slice(2, 7, 9).fill_(-100);
    const Tensor leaf = x.clone().requires_grad_();
    const Tensor loss = cross_entropy_loss(leaf, t);
    EXPECT_TRUE(std::isfinite(loss.to(kFloat).item<float>()));
    EXPECT_EQ(loss.grad_fn()->name(), dtype == kFloat ? "NllLoss2DBackward0" : "ToCopyBackward0");
    loss.backward();
    EXPECT_EQ(leaf.grad().slice(3, 7, 9).abs().sum().to(kFloat).item<float>(), 0);
    EXPECT_TRUE(leaf.grad().isfinite().all().item<bool>());
  }
}

TEST(CrossEntropy, GradientsAddUpInALeaf) {
  const Tensor x = sample_of({{3, 4}}, kDouble).t[0].set_requires_grad(true);
  const Tensor loss = cross_entropy_loss(x, classes({1, 3, 0}));
  loss.backward({}, true);
  const Tensor once = x.grad().clone();
  loss.backward({}, true);
  EXPECT_TRUE(x.grad().equal(once.mul(2)));
  const Tensor g = autograd::grad({loss}, {x}, {}, true, true)[0];  // differentiable
  EXPECT_TRUE(g.allclose(once));
  EXPECT_TRUE(autograd::grad({g.square().sum()}, {x})[0].abs().sum().item<double>() > 0);
}

TEST(CrossEntropy, OneSampleWithoutABatch) {
  const Tensor x = sample_of({{4}}, kFloat).t[0];
  Array t(std::vector<int64_t>{});
  t.v = {2};
  const Tensor loss = cross_entropy_loss(x, to_tensor(t, kLong));
  EXPECT_FLOAT_EQ(loss.item<float>(), -x.log_softmax(0)[2].item<float>());
}

TEST(CrossEntropy, RejectsWhatItCannotTake) {
  const Tensor x = sample_of({{3, 4}}, kFloat).t[0];
  EXPECT_THROW(cross_entropy_loss(x, classes({0, 1, 2}), {}, 1, -100, 2.0), Error);
  EXPECT_THROW(cross_entropy_loss(x, classes({0, 1, 2}), classes({1, 1, 1})), Error);
  EXPECT_THROW(cross_entropy_loss(x, x, {}, 1, 2), Error);
  EXPECT_THROW(cross_entropy_loss(x, classes({0, 1, 2}), {}, 7), Error);
}

// Scores of 16 bits are not cast, and what is computed of them is f32.
using ClassLoss = Tensor (*)(const Tensor& x, const Tensor& target, const Tensor& w,
                             int64_t reduction);
const ClassLoss kClassLosses[] = {[](const Tensor& x, const Tensor& t, const Tensor& w, int64_t r) {
                                    return cross_entropy_loss(x, t, w, r, -1);
                                  },
                                  [](const Tensor& x, const Tensor& t, const Tensor& w, int64_t r) {
                                    return cross_entropy_loss(x, t, w, r, -1, 0.3);
                                  },
                                  [](const Tensor& x, const Tensor& t, const Tensor& w, int64_t r) {
                                    return nll_loss_nd(x, t, w, r, -1);
                                  }};
const ClassLoss kOfProbabilities = [](const Tensor& x, const Tensor& t, const Tensor& w,
                                      int64_t r) {
  return cross_entropy_loss(x, t, w, r, -100, 0.3);
};

/// The loss times `scale` (as by GradScaler: x's gradients are less than f16 has).
void expect_narrow_loss(Device d, ClassLoss loss, const Tensor& scores, const Tensor& target,
                        int64_t reduction, double scale) {
  Random random(6);
  const Tensor w = random_tensor({scores.size(1)}, kFloat, {0.1, 2}, random);
  const auto results = [&](Device device, ScalarType of, bool cast) {
    const Tensor x = scores.detach().to(device, of).requires_grad_();
    const autocast guard(device, device.is_cpu() ? kBFloat16 : kHalf, cast);
    const Tensor y = loss(x, target.to(device), w.to(device), reduction);
    y.to(kFloat).sum().mul(scale).backward();
    return std::pair(y.detach().cpu(), x.grad().cpu());
  };
  const auto [y, gx] = results(kCPU, kDouble, false);
  const auto [narrow, g] = results(d, scores.scalar_type(), true);
  EXPECT_EQ(narrow.scalar_type(), kFloat);
  EXPECT_TRUE(narrow.to(kDouble).allclose(y, 1e-5, 1e-5));
  EXPECT_EQ(g.scalar_type(), scores.scalar_type());
  const double rounding = scores.scalar_type() == kHalf ? 0x1p-10 : 0x1p-7;
  EXPECT_TRUE(g.to(kDouble).allclose(gx, rounding, 1e-7));
  if (reduction != Reduction::Mean || scale > 1) return;
  EXPECT_EQ(results(d, scores.scalar_type(), false).first.scalar_type(), scores.scalar_type());
  const auto [wide, of_wide] = results(d, kFloat, false);
  EXPECT_TRUE(wide.to(kDouble).allclose(y, 1e-5, 1e-5));
  EXPECT_TRUE(of_wide.to(kDouble).allclose(gx, 1e-4, 1e-6 * scale));
}
void compare_narrow_losses(Device d) {
  Random random(5);
  for (const auto& shape : std::vector<std::vector<int64_t>>{{9, 40}, {3, 7}, {2, 16, 3}})
    for (ScalarType dtype : {kHalf, kBFloat16})
      for (int64_t reduction : {Reduction::None, Reduction::Mean, Reduction::Sum})
        for (double scale : {1.0, 65536.0}) {
          if (scale > 1 && reduction != Reduction::Mean) continue;           // more than f16 has
          if (dtype == kBFloat16 && reduction != Reduction::None) continue;  // takes as long
          std::vector<int64_t> at = shape;
          at.erase(at.begin() + 1);
          const Tensor scores = random_tensor(shape, kFloat, {-14, 4}, random).to(dtype);
          const Tensor target = random_index(at, -1, shape[1], random);
          for (const ClassLoss& loss : kClassLosses) {
            SCOPED_TRACE(::testing::Message() << "loss " << &loss - kClassLosses << " of " << dtype
                                              << ", reduction " << reduction);
            expect_narrow_loss(d, loss, scores, target, reduction, scale);
          }
          const Tensor p = random_tensor(shape, kFloat, {0, 0.1}, random);
          SCOPED_TRACE(::testing::Message() << dtype << ", reduction " << reduction);
          expect_narrow_loss(d, kOfProbabilities, scores, p, reduction, scale);
          expect_narrow_loss(d, kOfProbabilities, scores, p.to(dtype), reduction, scale);
        }
}
TEST(CrossEntropy, Of16BitsIsComputedIn32) { compare_narrow_losses(kCPU); }
TEST(CudaKernelsOfWarps, CrossEntropyOf16Bits) {
  TAPER_NEEDS_DEVICES(1);
  compare_narrow_losses(device_at(0));
}
TEST(CudaKernelsOfWarps, CrossEntropyOf16BitsIsDifferentiatedTwice) {
  TAPER_NEEDS_DEVICES(1);
  Random random(6);
  const Tensor scores = random_tensor({9, 7}, kFloat, {-2, 2}, random).to(kBFloat16);
  const Tensor target = random_index({9}, 0, 7, random), w = ones({7}),
               p = random_tensor({9, 7}, kFloat, {0, 1}, random);
  const auto second = [&](Device d, ScalarType of, ClassLoss loss, const Tensor& t) {
    const Tensor x = scores.to(d, of).requires_grad_();
    const Tensor y = loss(x, t.to(d), w.to(d), Reduction::Sum);
    const Tensor gx = autograd::grad({y}, {x}, {}, true, true)[0];
    return autograd::grad({gx.mul(gx).sum()}, {x})[0].cpu().to(kFloat);
  };
  for (const auto& [loss, t] :
       {std::pair(kClassLosses[0], target), {kClassLosses[1], target}, {kOfProbabilities, p}})
    EXPECT_TRUE(second(device_at(0), kBFloat16, loss, t)
                    .allclose(second(kCPU, kFloat, loss, t), 0.05, 0.02));
}

}  // namespace
}  // namespace torch::taper::testing
