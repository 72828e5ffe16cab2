#include <taper/ops/nn/loss_margin.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/distance.h>
#include <taper/ops/tensor/factory.h>

#include "ops/nn/loss_cases.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

TAPER_OP_CASES(margins_of_pairs, {
  OpCase cosines = loss_case(
      "cosine_embedding_loss", {{{3, 5}, {3, 5}, {3}}},
      [](const Args& a) { return cosine_embedding_loss(a.t[0], a.t[1], a.t[2], 0.1, a.i[0]); },
      [](const ArrayArgs& a) {
        Numbers losses;
        for (int64_t r = 0; r < a.t[0].size(0); ++r) {
          const double c = cosine(row(a.t[0], r), row(a.t[1], r));
          losses.push_back(a.t[2].v[r] > 0 ? 1 - c : std::max(0.0, c - 0.1));
        }
        return reduced(a, {a.t[0].size(0)}, losses);
      },
      2);
  OpCase ranking = loss_case(
      "margin_ranking_loss", {{{7}, {7}, {7}}, {{2, 3}, {2, 3}, {2, 3}}},
      [](const Args& a) { return margin_ranking_loss(a.t[0], a.t[1], a.t[2], 0.4, a.i[0]); },
      [](const ArrayArgs& a) {
        Numbers losses;
        for (size_t i = 0; i < a.t[0].v.size(); ++i)
          losses.push_back(std::max(0.0, -a.t[2].v[i] * (a.t[0].v[i] - a.t[1].v[i]) + 0.4));
        return reduced(a, a.t[0].sizes, losses);
      },
      2);
  OpCase hinge = loss_case(
      "hinge_embedding_loss", {{{7}, {7}}, {{2, 3}, {2, 3}}},
      [](const Args& a) { return hinge_embedding_loss(a.t[0], a.t[1], 0.7, a.i[0]); },
      [](const ArrayArgs& a) {
        Numbers losses;
        for (size_t i = 0; i < a.t[0].v.size(); ++i) {
          const double x = a.t[0].v[i];
          losses.push_back(a.t[1].v[i] > 0 ? x : std::max(0.0, 0.7 - x));
        }
        return reduced(a, a.t[0].sizes, losses);
      },
      1);
  std::vector<OpCase> list = {cosines, ranking, hinge};
  for (const bool swap : {false, true})
    list.push_back(loss_case(
        swap ? "triplet_margin_loss_swap" : "triplet_margin_loss", {{{3, 5}, {3, 5}, {3, 5}}},
        [swap](const Args& a) {
          return triplet_margin_loss(a.t[0], a.t[1], a.t[2], 0.9, 2, 1e-6, swap, a.i[0]);
        },
        [swap](const ArrayArgs& a) {
          Numbers losses;
          for (int64_t r = 0; r < a.t[0].size(0); ++r) {
            const Numbers x = row(a.t[0], r), p = row(a.t[1], r), n = row(a.t[2], r);
            double far = distance(x, n, 2);
            if (swap) far = std::min(far, distance(p, n, 2));
            losses.push_back(std::max(0.0, distance(x, p, 2) - far + 0.9));
          }
          return reduced(a, {a.t[0].size(0)}, losses);
        },
        0));
  return list;
});

// ---------------------------------------------------------------------- classes
/// Scores and classes [N]; or, `several`, lists of classes that end with -1.
std::vector<Args> class_samples(ScalarType t, bool several) {
  std::vector<Args> list;
  for (int64_t reduction = 0; reduction < 3; ++reduction) {
    Args a = sample_of({{3, 4}}, t, {-2, 2}, {reduction});
    a.t.push_back(several ? tensor_of({3, 4}, {2, 0, -1, 3, -1, 0, 1, 2, 0, 1, 2, 3}, kLong)
                          : values({3, 0, 2}, kLong));
    list.push_back(a);
  }
  return list;
}
OpCase class_case(std::string name, bool several, std::function<Results(const Args&)> call,
                  std::function<double(const Numbers& x, const Numbers& classes)> loss) {
  OpCase c;
  c.name = std::move(name);
  c.samples = [several](ScalarType t) { return class_samples(t, several); };
  c.call = std::move(call);
  c.reference = [loss, several](const ArrayArgs& a) {
    Numbers losses;
    for (int64_t r = 0; r < 3; ++r)
      losses.push_back(loss(row(a.t[0], r), several ? row(a.t[1], r) : Numbers{a.t[1].v[r]}));
    return reduced(a, {3}, losses);
  };
  return c;
}
double over_the_margin(const Numbers& x, size_t right, size_t other, int p) {
  return std::pow(std::max(0.0, 0.8 - x[right] + x[other]), p) / static_cast<double>(x.size());
}

TAPER_OP_CASES(margins_of_classes, {
  std::vector<OpCase> list;
  for (const int p : {1, 2})
    list.push_back(class_case(
        "multi_margin_loss_" + std::to_string(p), false,
        [p](const Args& a) { return multi_margin_loss(a.t[0], a.t[1], p, 0.8, {}, a.i[0]); },
        [p](const Numbers& x, const Numbers& classes) {
          const auto right = static_cast<size_t>(classes[0]);
          double sum = 0;
          for (size_t c = 0; c < x.size(); ++c)
            if (c != right) sum += over_the_margin(x, right, c, p);
          return sum;
        }));
  list.push_back(class_case(
      "multilabel_margin_loss", true,
      [](const Args& a) { return multilabel_margin_loss(a.t[0], a.t[1], a.i[0]); },
      [](const Numbers& x, const Numbers& classes) {
        const Numbers right(classes.begin(), std::find(classes.begin(), classes.end(), -1));
        double sum = 0;
        for (double r : right)
          for (size_t c = 0; c < x.size(); ++c)
            if (std::find(right.begin(), right.end(), static_cast<double>(c)) == right.end())
              sum += std::max(0.0, 1 - x[static_cast<size_t>(r)] + x[c]);
        return sum / static_cast<double>(x.size());
      }));
  return list;
});

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

}  // namespace
}  // namespace torch::taper::testing
