// Differences of neighbours. Expected values are PyTorch 1.13's.
#include <taper/ops/reduce/gradient.h>

#include <algorithm>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/reduce/trapezoid.h>
#include <taper/ops/tensor/factory.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

const Tensor kPoints = values({1, 2, 4, 7, 3, 1, 9, 2, 5, 5, 2, 0}).view({3, 4});

void expect_near(const Tensor& y, const std::vector<double>& expected) {
  const std::vector<double> got = values_of(y);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 2e-6) << i;
}

TAPER_OP_CASES(differences, {
  OpCase d;
  d.name = "diff";
  d.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{5}}, t, {}, {1, 0}), sample_of({{3, 4}}, t, {}, {2, 0}),
                             sample_of({{2, 33}}, t, {}, {1, -1}),
                             sample_of({{2, 0}}, t, {}, {1, 1})};
  };
  d.call = [](const Args& a) { return diff(a.t[0], a.i[0], a.i[1]); };
  d.reference = [](const ArrayArgs& a) {
    Array x = a.t[0];
    const auto dim = static_cast<size_t>(a.i[1] < 0 ? a.i[1] + x.dim() : a.i[1]);
    for (int64_t n = 0; n < a.i[0] && x.sizes[dim] > 0; ++n) {
      std::vector<int64_t> sizes = x.sizes;
      --sizes[dim];
      Array y(sizes);
      for_each_index(sizes, [&](std::vector<int64_t> at) {
        double& to = y.at(at);
        to = -x.at(at);
        ++at[dim];
        to += x.at(at);
      });
      x = y;
    }
    return x;
  };
  d.errors = {error<Error>("diff expects input to be at least one-dimensional",
                           [] { diff(tensor_of({}, {1})); })};
  return std::vector<OpCase>{d};
});

OpCase gradient_case() {
  OpCase c;
  c.name = "gradient";
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{5}}, t, {}, {1}), sample_of({{4, 33}}, t, {}, {1}),
                             sample_of({{2, 3}}, t, {}, {1}), sample_of({{3, 5}}, t, {}, {2})};
  };
  c.call = [](const Args& a) {
    return Results(gradient(a.t[0], optional<Scalar>(0.5), -1, a.i[0]));
  };
  c.reference = [](const ArrayArgs& a) {
    Array y = a.t[0];
    const int64_t n = y.sizes.back();
    for_each_index(y.sizes, [&](const std::vector<int64_t>& at) {
      const auto x = [&](int64_t i) {
        std::vector<int64_t> place = at;
        place.back() = i;
        return a.t[0].at(place);
      };
      const int64_t i = at.back();
      const bool first = i == 0, last = i == n - 1, wide = a.i[0] == 2;
      const double inner = (x(std::min(i + 1, n - 1)) - x(std::max<int64_t>(i - 1, 0)));
      double d = first || last ? inner / 0.5 : inner;
      if (wide && first) d = (-3 * x(0) + 4 * x(1) - x(2));
      if (wide && last) d = (3 * x(n - 1) - 4 * x(n - 2) + x(n - 3));
      y.at(at) = d;
    });
    return Arrays(y);
  };
  c.tolerance = 4;
  c.errors = {
      error<Error>("torch.gradient only supports edge_order=1 and edge_order=2.",
                   [] { gradient(kPoints, nullopt, nullopt, 3); }),
      error<Error>("torch.gradient expected each dimension size to be at least edge_order+1",
                   [] { gradient(ones({1})); }),
      error<Error>("but got a list of length 1", [] {
        const std::vector<Scalar> one_number(1, Scalar(1.0));
        gradient(kPoints, ArrayRef<Scalar>(one_number));
      })};
  return c;
}
TAPER_OP_CASES(gradients, { return std::vector<OpCase>{gradient_case()}; });

TEST(Gradient, EqualsPyTorchs) {
  auto plain = gradient(kPoints);
  expect_near(plain[0], {2, -1, 5, -5, 2, 1.5, -1, -3.5, 2, 4, -7, -2});
  expect_near(plain[1], {1, 1.5, 2.5, 3, -2, 3, 0.5, -7, 0, -1.5, -2.5, -2});
  auto second = gradient(kPoints, nullopt, nullopt, 2);
  expect_near(second[0], {2, -3.5, 11, -6.5, 2, 1.5, -1, -3.5, 2, 6.5, -13, -0.5});
  expect_near(gradient(kPoints, optional<Scalar>(2.0), 1)[0],
              {0.5, 0.75, 1.25, 1.5, -1, 1.5, 0.25, -3.5, 0, -0.75, -1.25, -1});
  const std::vector<Scalar> each{2.0, 0.5};
  expect_near(gradient(kPoints, ArrayRef<Scalar>(each))[1],
              {2, 3, 5, 6, -4, 6, 1, -14, 0, -3, -5, -4});
  const std::vector<Tensor> places{values({0, 1, 3}), values({0, 1, 4, 5})};
  auto at = gradient(kPoints, TensorList(places), nullopt, 2);
  expect_near(at[0], {2.3333330, -2, 7.8333325, -6.3333339, 1.6666667, 0, 2.1666665, -3.6666669,
                      0.3333332, 4, -9.1666660, 1.6666669});
  expect_near(at[1], {1.0833333, 0.9166667, 2.4166665, 3.5833330, -3.1666665, -0.8333332,
                      -4.5833334, -9.4166669, 0.2500002, -0.2499998, -1.75, -2.25});
}

TEST(Gradient, AlongSomeDimensions) {
  const Tensor by_row = gradient(kPoints, nullopt, 0)[0],
               by_column = gradient(kPoints, nullopt, 1)[0];
  const auto expect_all = [](const std::vector<Tensor>& got, const std::vector<Tensor>& want) {
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(got[i].allclose(want[i]));
  };
  const std::vector<int64_t> turned = {1, 0};
  const std::vector<Scalar> each = {2, 4};
  expect_all(gradient(kPoints, IntArrayRef(turned)), {by_column, by_row});
  expect_all(gradient(kPoints, Scalar(2), IntArrayRef(turned)), {by_column / 2, by_row / 2});
  expect_all(gradient(kPoints, ArrayRef<Scalar>(each), IntArrayRef(turned)),
             {by_column / 2, by_row / 4});
  const std::vector<Tensor> places = {arange(kPoints.size(1), kFloat) * 2,
                                      arange(kPoints.size(0), kFloat) * 4};
  expect_all(gradient(kPoints, TensorList(places), IntArrayRef(turned)),
             {by_column / 2, by_row / 4});
  expect_all(gradient(kPoints.to(kLong)), gradient(kPoints.to(kLong).to(kFloat)));
}

OpCase trapezoid_case() {
  OpCase c;
  c.name = "trapezoid";
  c.samples = [](ScalarType t) {
    return std::vector<Args>{
        sample_of({{5}, {5}}, t, {}, {0}), sample_of({{3, 33}, {33}}, t, {}, {-1}),
        sample_of({{4, 3}, {4, 3}}, t, {}, {0}), sample_of({{2, 1}, {1}}, t, {}, {1})};
  };
  c.call = [](const Args& a) { return trapezoid(a.t[0], a.t[1], a.i[0]); };
  c.reference = [](const ArrayArgs& a) {
    const Array &y = a.t[0], &x = a.t[1];
    const int64_t d = a.i[0] < 0 ? a.i[0] + y.dim() : a.i[0];
    std::vector<int64_t> sizes = y.sizes;
    sizes.erase(sizes.begin() + d);
    Array sum{sizes};
    for_each_index(y.sizes, [&](const std::vector<int64_t>& i) {
      if (i[d] + 1 == y.sizes[d]) return;
      std::vector<int64_t> next = i, to = i;
      ++next[d];
      to.erase(to.begin() + d);
      const double width = x.dim() == 1 ? x.v[i[d] + 1] - x.v[i[d]] : x.at(next) - x.at(i);
      sum.at(to) += (y.at(i) + y.at(next)) / 2 * width;
    });
    return sum;
  };
  c.errors = {error<Error>("There must be one `x` value for each sample point",
                           [] { trapezoid(zeros({3}), zeros({4})); }),
              error<IndexError>("Dimension out of range", [] { trapezoid(zeros({3}), 1, 1); })};
  c.covers = {"trapz"};
  return c;
}

TAPER_OP_CASES(trapezoids, { return std::vector<OpCase>{trapezoid_case()}; });

TAPER_OP_CASES(areas, {
  OpCase c;
  c.name = "cumulative_trapezoid";
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{6}}, t), sample_of({{2, 5}}, t), sample_of({{3, 1}}, t)};
  };
  c.call = [](const Args& a) { return cumulative_trapezoid(a.t[0], 0.5); };
  c.reference = [](const ArrayArgs& a) {
    const Array& x = a.t[0];
    std::vector<int64_t> sizes = x.sizes;
    --sizes.back();
    Array y(sizes);
    for_each_index(sizes, [&](std::vector<int64_t> index) {
      double& sum = y.at(index);
      for (int64_t k = index.back(); k >= 0; --k) {
        index.back() = k + 1;
        sum += x.at(index) / 4;
        index.back() = k;
        sum += x.at(index) / 4;
      }
    });
    return y;
  };
  c.tolerance = 4;
  return std::vector<OpCase>{c};
});

TEST(Trapezoid, EvenlySpacedAndCumulative) {
  EXPECT_EQ(trapezoid(values({1, 2, 4}), 2).item<float>(), 9);
  expect_values(cumulative_trapezoid(values({1, 2, 4}), 2), {2}, {3, 9});
  expect_values(cumulative_trapezoid(values({1, 2, 4}), values({0, 1, 3})), {2}, {1.5, 7.5});
  expect_values(trapz(zeros({2, 0})), {2}, {0, 0});
}

}  // namespace
}  // namespace torch::taper::testing
