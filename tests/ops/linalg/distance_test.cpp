#include <taper/ops/linalg/distance.h>

#include <cmath>

#include <taper/framework/autograd/node.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/cross.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>

#include "ops/nn/loss_cases.h"
#include "ops/shared/kinks.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

double norm_of(const std::vector<double>& v, double p) {
  double sum = 0, largest = 0;
  for (double x : v) {
    sum += p == 0 ? x != 0 : std::pow(std::abs(x), p);
    largest = std::max(largest, std::abs(x));
  }
  return p == 0 ? sum : std::isinf(p) ? largest : std::pow(sum, 1 / p);
}

/// Batches of x1 and x2 broadcast; rows are the last dimension.
Array naive_cdist(const Array& x1, const Array& x2, double p) {
  using Shape = std::vector<int64_t>;
  const auto batch = [](const Array& x) { return Shape(x.sizes.begin(), x.sizes.end() - 2); };
  Shape sizes = broadcast(batch(x1), batch(x2));
  const size_t lead = sizes.size();
  sizes.push_back(x1.sizes[x1.sizes.size() - 2]);
  sizes.push_back(x2.sizes[x2.sizes.size() - 2]);
  // The element of `x` in row `row` of the batch that `at` names.
  const auto element = [lead](const Array& x, const Shape& at, int64_t row, int64_t column) {
    Shape place;
    for (size_t d = lead - (x.sizes.size() - 2); d < lead; ++d)
      place.push_back(x.sizes[place.size()] == 1 ? 0 : at[d]);
    place.push_back(row);
    place.push_back(column);
    return x.at(place);
  };
  Array y(sizes);
  for_each_index(sizes, [&](const Shape& at) {
    std::vector<double> v;
    for (int64_t k = 0; k < x1.sizes.back(); ++k)
      v.push_back(element(x1, at, at[lead], k) - element(x2, at, at[lead + 1], k));
    y.at(at) = norm_of(v, p);
  });
  return y;
}

OpCase cdist_case(std::string name, double p) {
  OpCase c;
  c.name = std::move(name);
  c.dtypes = {kFloat, kDouble};
  c.samples = [](ScalarType t) {
    return std::vector<Args>{
        sample_of({{3, 2}, {4, 2}}, t),
        sample_of({{1, 5}, {1, 5}}, t),
        sample_of({{2, 3, 4}, {2, 5, 4}}, t),
        sample_of({{2, 1, 3, 2}, {5, 2, 2}}, t),
        sample_of({{2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 2}, {2, 1, 2, 2}}, t),  // all dimensions
        sample_of({{0, 3}, {2, 3}}, t),
        sample_of({{33, 31}, {7, 31}}, t)};
  };
  c.gradient_samples = [all = c.samples] {
    std::vector<Args> list = all(kDouble);
    list.resize(5);
    list.push_back(sample_of({{27, 2}, {3, 2}}, kDouble));  // many rows: by a product
    return list;
  };
  c.call = [p](const Args& a) { return cdist(a.t[0], a.t[1], p); };
  c.reference = [p](const ArrayArgs& a) { return naive_cdist(a.t[0], a.t[1], p); };
  c.tolerance = 4;
  return c;
}

TAPER_OP_CASES(cdist_norms, {
  OpCase euclidean = cdist_case("cdist", 2);
  const Tensor x = to_tensor(Array({2, 3}), kFloat);
  euclidean.errors = {
      error<Error>("cdist only supports floating-point dtypes, X1 got: Long",
                   [=] {
                     cdist(to_tensor(Array({2, 3}), kLong), x);
                   }),
      error<Error>("cdist only supports at least 2D tensors, X1 got: 1D",
                   [=] { cdist(to_tensor(Array({3}), kFloat), x); }),
      error<Error>("X1 and X2 must have the same number of columns. X1: 2 X2: 3",
                   [=] {
                     cdist(to_tensor(Array({2, 2}), kFloat), x);
                   }),
      error<Error>("cdist only supports non-negative p values", [=] { cdist(x, x, -1); })};
  return std::vector<OpCase>{euclidean, cdist_case("cdist_0", 0), cdist_case("cdist_1", 1),
                             cdist_case("cdist_3", 3), cdist_case("cdist_largest", INFINITY)};
});

// A difference of 0.001 beside numbers of 1000 is lost in a product of floats.
TEST(Cdist, GoesByAProductWhereItIsTold) {
  const Tensor x = tensor_of({1, 1}, {1000}, kFloat), near = tensor_of({1, 1}, {1000.001}, kFloat);
  const Tensor far = tensor_of({1, 1}, {1003}, kFloat);
  for (int64_t mode : {0, 1, 2}) EXPECT_EQ(cdist(x, far, 2, mode).item<float>(), 3) << mode;
  const float difference = near.item<float>() - 1000;
  EXPECT_EQ(cdist(x, near, 2, 2).item<float>(), difference);
  EXPECT_EQ(cdist(x, near, 2, 0).item<float>(), difference);
  EXPECT_NE(cdist(x, near, 2, 1).item<float>(), difference);
  expect_error("possible modes: 0, 1, 2, but was: 3", [&] { cdist(x, far, 2, 3); });
}

Array naive_pdist(const Array& x, double p) {
  const int64_t n = x.sizes[0];
  Array y({n * (n - 1) / 2});
  int64_t at = 0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i + 1; j < n; ++j) {
      std::vector<double> v;
      for (int64_t k = 0; k < x.sizes[1]; ++k) v.push_back(x.at({i, k}) - x.at({j, k}));
      y.at({at++}) = norm_of(v, p);
    }
  return y;
}

OpCase pdist_case(std::string name, double p) {
  OpCase c;
  c.name = std::move(name);
  c.dtypes = {kFloat, kDouble};
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{3, 2}}, t),   sample_of({{1, 5}}, t),
                             sample_of({{0, 3}}, t),   sample_of({{5, 7}}, t),
                             sample_of({{70, 33}}, t), sample_of({{3, 300}}, t)};
  };
  c.gradient_samples = [all = c.samples] {
    std::vector<Args> list = all(kDouble);
    list.resize(4);
    return list;
  };
  c.call = [p](const Args& a) { return pdist(a.t[0], p); };
  c.reference = [p](const ArrayArgs& a) { return naive_pdist(a.t[0], p); };
  c.tolerance = 4;
  return c;
}

TAPER_OP_CASES(pdist_norms, {
  OpCase euclidean = pdist_case("pdist", 2);
  const Tensor x = to_tensor(Array({2, 3}), kFloat);
  euclidean.errors = {
      error<Error>("pdist only supports 2D tensors, got: 1D",
                   [] { pdist(to_tensor(Array({3}), kFloat)); }),
      error<Error>("pdist only supports floating-point dtypes",
                   [] {
                     pdist(to_tensor(Array({3, 2}), kLong));
                   }),
      error<Error>("pdist only supports non-negative p values", [=] { pdist(x, -1); })};
  return std::vector<OpCase>{euclidean,
                             pdist_case("pdist_0", 0),
                             pdist_case("pdist_1", 1),
                             pdist_case("pdist_1_5", 1.5),
                             pdist_case("pdist_3", 3),
                             pdist_case("pdist_largest", INFINITY)};
});

TEST(Pdist, HasNoGradientWhereRowsAreEqual) {
  for (double p : std::vector<double>{0.5, 1, 2, 3, INFINITY}) {
    const Tensor x = tensor_of({3, 2}, {1, 2, 1, 2, 4, 2}, kDouble).requires_grad_();
    const Tensor y = pdist(x, p);
    EXPECT_EQ(y.grad_fn()->name(), "PdistBackward0");
    y.sum().backward();
    const std::vector<double> expected{-1, 0, -1, 0, 2, 0}, found = values_of(x.grad());
    for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(found[i], expected[i], 1e-14) << p;
  }
}

TEST(Pdist, KeepsNanAndNarrowDtypes) {
  const Tensor x = tensor_of({3, 3}, {0, NAN, 5, 1, 2, 3, 0, 2, 7});
  for (double p : std::vector<double>{0, 1, 2, 3, INFINITY}) {
    EXPECT_TRUE(std::isnan(pdist(x, p)[0].item<double>())) << p;
    EXPECT_FALSE(std::isnan(pdist(x, p)[2].item<double>())) << p;
  }
  const Tensor y = tensor_of({2, 2}, {1, 2, 4, 6});
  EXPECT_EQ(pdist(y.to(kHalf)).scalar_type(), kHalf);
  EXPECT_EQ(pdist(y.to(kBFloat16)).item<double>(), 5);
}

TEST(Cdist, HasNoGradientWhereRowsAreEqual) {
  for (double p : std::vector<double>{0.5, 1, 2, 3, INFINITY}) {
    const Tensor x = tensor_of({1, 2}, {1, 2}, kDouble).requires_grad_();
    const Tensor y = tensor_of({2, 2}, {1, 2, 4, 2}, kDouble);
    cdist(x, y, p).sum().backward();
    EXPECT_EQ(values_of(x.grad()), (std::vector<double>{-1, 0})) << p;
    EXPECT_EQ(cdist(x, y, p).grad_fn()->name(), "CdistBackward0");
  }
}

// ---------------------------------------------------------------------- pairs of rows
TAPER_OP_CASES(pairs, {
  OpCase similarity = loss_case(
      "cosine_similarity", {{{3, 5}, {3, 5}}, {{1, 4}, {1, 4}}},
      [](const Args& a) { return cosine_similarity(a.t[0], a.t[1], 1); },
      [](const ArrayArgs& a) {
        Array y({a.t[0].size(0)});
        for (int64_t r = 0; r < y.numel(); ++r) y.v[r] = cosine(row(a.t[0], r), row(a.t[1], r));
        return y;
      },
      0);
  similarity.errors = {error<IndexError>("Dimension out of range", [] {
    cosine_similarity(numbers({2, 3}), numbers({2, 3}), 2);
  })};
  const auto distances = [](double p) {
    return [p](const ArrayArgs& a) {
      Array y({a.t[0].size(0)});
      for (int64_t r = 0; r < y.numel(); ++r) y.v[r] = distance(row(a.t[0], r), row(a.t[1], r), p);
      return y;
    };
  };
  std::vector<OpCase> list = {similarity};
  for (const int p : {1, 2, 3})
    list.push_back(loss_case(
        "pairwise_distance_" + std::to_string(p), {{{3, 5}, {3, 5}}, {{1, 4}, {1, 4}}},
        [p](const Args& a) { return pairwise_distance(a.t[0], a.t[1], p); }, distances(p), 0));
  return list;
});

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

TAPER_OP_CASES(cross_case, {
  OpCase c;
  c.name = "cross";
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{4, 3}, {4, 3}}, t), sample_of({{3}, {3}}, t),
                             sample_of({{0, 3}, {0, 3}}, t)};
  };
  c.call = [](const Args& a) { return cross(a.t[0], a.t[1]); };
  c.reference = [](const ArrayArgs& a) {
    Array y(a.t[0].sizes);
    for (size_t i = 0; i < y.v.size(); ++i) {
      const size_t row = i / 3 * 3, p = row + (i - row + 1) % 3, q = row + (i - row + 2) % 3;
      y.v[i] = a.t[0].v[p] * a.t[1].v[q] - a.t[0].v[q] * a.t[1].v[p];
    }
    return y;
  };
  c.errors = {error<Error>("no dimension of size 3 in input",
                           [] {
                             cross(numbers({2, 4}), numbers({2, 4}));
                           }),
              error<Error>("linalg.cross: inputs dimension 0 must have length 3. Got 2 and 2", [] {
                cross(numbers({2, 3}), numbers({2, 3}), 0);
              })};
  return std::vector<OpCase>{c};
});

TEST(Distances, GradientsOfEqualPointsAreNone) {
  const auto none = [](const char* name, std::function<Tensor(const Tensor&)> call) {
    return Kink{name, std::move(call), {1, 2, 1, 2}, {0, 0, 0, 0}, {2, 2}};
  };
  expect_kinks({
      none(OF_X(pdist(x))),
      none(OF_X(pdist(x, 1))),
      none(OF_X(pdist(x, 3))),
      none(OF_X(pdist(x, INFINITY))),
      none(OF_X(cdist(x, x.detach()))),
      none(OF_X(cdist(x, x.detach(), 1))),
      none(OF_X(cdist(x.detach(), x, 3))),
      none(OF_X(cdist(x, x.detach(), INFINITY))),
  });
}

}  // namespace
}  // namespace torch::taper::testing
