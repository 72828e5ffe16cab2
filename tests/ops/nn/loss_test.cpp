#include <taper/ops/nn/loss.h>

#include <gtest/gtest.h>

#include <cmath>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/node.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/distance.h>
#include <taper/ops/nn/loss_margin.h>
#include <taper/ops/nn/loss_nll.h>
#include <taper/ops/nn/loss_pointwise.h>
#include <taper/ops/tensor/factory.h>

#include "ops/linalg/matrix_cases.h"
#include "test_util.h"

namespace taper::testing {
namespace {

// ---------------------------------------------------------------- element by element

using ElementLoss = std::function<double(double x, double t)>;

double reduced(double total, size_t count, int64_t reduction) {
  return reduction == Reduction::Mean ? total / static_cast<double>(count) : total;
}

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
          "soft_margin_loss", [](auto& x, auto& t, int64_t r) { return soft_margin_loss(x, t, r); },
          [](double x, double t) { return std::log1p(std::exp(-t * x)); }),
  };
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

// ---------------------------------------------------------------- classes

// t[0]: scores or log probabilities [N, C, S], t[1]: targets [N, S], t[2]: weights [C];
// i: reduction, ignored target.
double class_losses(const ArrayArgs& a, bool scores, Array& losses) {
  const Array& x = a.t[0];
  const int64_t classes = x.sizes[1], inner = x.dim() > 2 ? x.sizes[2] : 1;
  double weights = 0;
  for (size_t k = 0; k < losses.v.size(); ++k) {
    const int64_t n = static_cast<int64_t>(k) / inner, s = static_cast<int64_t>(k) % inner;
    const int64_t c = static_cast<int64_t>(a.t[1].v[k]);
    losses.v[k] = 0;
    if (c == a.i[1]) continue;
    auto value = [&](int64_t j) { return x.v[(n * classes + j) * inner + s]; };
    double sum = 0;
    for (int64_t j = 0; j < classes; ++j) sum += std::exp(value(j));
    const double w = a.t.size() > 2 ? a.t[2].v[c] : 1;
    losses.v[k] = w * ((scores ? std::log(sum) : 0) - value(c));
    weights += w;
  }
  return weights;
}

OpCase class_case(std::string name, bool scores) {
  OpCase c;
  c.name = std::move(name);
  c.dtypes = {kFloat, kDouble};
  c.inputs_without_gradient = {2};
  c.samples = [](ScalarType dtype) {
    Random random(31);
    std::vector<Args> list;
    const std::vector<std::vector<int64_t>> shapes = {{1, 1},  {4, 3},    {16, 10},
                                                      {5, 33}, {3, 1025}, {2, 3, 5}};
    for (const auto& shape : shapes)
      for (int64_t reduction = 0; reduction < 3; ++reduction)
        for (const bool weighted : {false, true}) {
          std::vector<int64_t> at = shape;
          at.erase(at.begin() + 1);
          Args a{
              {random_tensor(shape, dtype, {-4, 4}, random), random_index(at, 0, shape[1], random)},
              {reduction, shape[1] > 1 ? 1 : -100}};
          if (weighted) a.t.push_back(random_tensor({shape[1]}, dtype, {0.1, 2}, random));
          set_element(a.t[1], 0, 0);  // at least one target counts
          list.push_back(std::move(a));
        }
    return list;
  };
  c.call = [scores](const Args& a) {
    const optional<Tensor> w = a.t.size() > 2 ? optional<Tensor>(a.t[2]) : nullopt;
    return scores ? cross_entropy_loss(a.t[0], a.t[1], w, a.i[0], a.i[1])
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
  return std::vector<OpCase>{class_case("nll_loss", false), class_case("cross_entropy_loss", true)};
});

// Probabilities as targets, and smoothing, which is the same with mixed targets.
TAPER_OP_CASES(soft_targets, {
  OpCase c;
  c.name = "cross_entropy_loss_probabilities";
  c.samples = [](ScalarType dtype) {
    std::vector<Args> list;
    for (int64_t reduction = 0; reduction < 3; ++reduction)
      for (const double smoothing : {0.0, 0.2})
        list.push_back(sample_of({{4, 5}, {4, 5}}, dtype, {-2, 2}, {reduction}, {smoothing}));
    return list;
  };
  c.call = [](const Args& a) {
    return cross_entropy_loss(a.t[0], a.t[1], {}, a.i[0], -100, a.d[0]);
  };
  c.reference = [](const ArrayArgs& a) {
    Array losses({4});
    double total = 0;
    for (int64_t n = 0; n < 4; ++n) {
      double sum = 0;
      for (int64_t k = 0; k < 5; ++k) sum += std::exp(a.t[0].at({n, k}));
      for (int64_t k = 0; k < 5; ++k) {
        const double p = a.t[1].at({n, k}) * (1 - a.d[0]) + a.d[0] / 5;
        losses.v[n] -= p * (a.t[0].at({n, k}) - std::log(sum));
      }
      total += losses.v[n];
    }
    if (a.i[0] == Reduction::None) return Arrays{losses};
    return Arrays{Array({}, reduced(total, 4, a.i[0]))};
  };
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

TEST(MarginLosses, ByHand) {
  Array one({2}), other({2});
  one.v = {1, 2};
  other.v = {2, 1};
  const Tensor a = to_tensor(one, kDouble), b = to_tensor(other, kDouble);
  EXPECT_DOUBLE_EQ(margin_ranking_loss(a, b, a, 0.5).item<double>(), 0.75);
  EXPECT_DOUBLE_EQ(hinge_embedding_loss(a, b.sub(b).add(1)).item<double>(), 1.5);
  EXPECT_NEAR(triplet_margin_loss(a, b, a, 1.0, 2.0, 0.0).item<double>(), std::sqrt(2.0) + 1, 1e-9);
  EXPECT_NEAR(cosine_similarity(a, b, 0).item<double>(), 0.8, 1e-12);
}

TEST(KlDiv, ANegativeProbabilityIsNoNumber) {
  const Tensor t = tensor({0.5f, 0.f, -0.5f});
  const Tensor loss = kl_div(zeros({3}), t, Reduction::None);
  EXPECT_FLOAT_EQ(loss[0].item<float>(), 0.5f * std::log(0.5f));
  EXPECT_EQ(loss[1].item<float>(), 0);
  EXPECT_TRUE(std::isnan(loss[2].item<float>()));
}

TEST(CosineSimilarity, BroadcastsAlongItsDimensionToo) {
  const Tensor x = tensor({{3.f, 4.f}, {1.f, 0.f}}), y = tensor({{2.f}, {-1.f}});
  const float half = std::sqrt(0.5f);  // y is (2, 2) and (-1, -1)
  const Tensor expected = tensor({1.4f * half, -half});
  EXPECT_TRUE(cosine_similarity(x, y, 1, 1e-8).allclose(expected));
  EXPECT_TRUE(
      cosine_similarity(x, ones({2}), -2, 1e-8).allclose(tensor({4 / std::sqrt(20.f), half})));
}

TEST(CosineSimilarity, PromotesAndRefusesIntegers) {
  const Tensor x = tensor({3.f, 4.f}), n = tensor({4, 3}, kLong);
  EXPECT_FLOAT_EQ(cosine_similarity(x, n, 0, 1e-8).item<float>(), 0.96f);
  EXPECT_NE(message_of([&] { cosine_similarity(n, n, 0, 1e-8); }).find("floating point"),
            std::string::npos);
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

TEST(Losses, OfMarginsHaveNoGradientAtTheirKinks) {
  const auto gradient = [](const std::function<Tensor(const Tensor&)>& loss) {
    const Tensor x = tensor_of({1, 4}, {0, 1, 0, 0}, kDouble).requires_grad_();
    loss(x).backward();
    return values_of(x.grad());
  };
  using Values = std::vector<double>;
  EXPECT_EQ(gradient([](const Tensor& x) { return multi_margin_loss(x, values({1}, kLong)); }),
            Values({0, 0, 0, 0}));
  EXPECT_EQ(gradient([](const Tensor& x) {
              return multilabel_margin_loss(x, tensor_of({1, 4}, {1, -1, -1, 0}, kLong));
            }),
            Values({0, 0, 0, 0}));
  EXPECT_EQ(gradient([](const Tensor& x) {
              return multilabel_margin_loss(x, tensor_of({1, 4}, {1, 0, -1, 0}, kLong));
            }),
            Values({-0.5, 0, 0.25, 0.25}));
  expect_error("argument #2 'target' is out of range", [&] {
    multilabel_margin_loss(zeros({1, 2}), tensor_of({1, 2}, {-2, -1}, kLong));
  });
}

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
    for_each_index(y.sizes, [&](const Sizes& at) {
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

}  // namespace
}  // namespace taper::testing
