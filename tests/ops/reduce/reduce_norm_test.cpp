// Variances, norms and distances.
#include <taper/ops/reduce/reduce_norm.h>

#include <cmath>
#include <functional>

#include <taper/framework/autograd/autograd.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/linalg/linalg_matrix.h>
#include <taper/ops/reduce/reduce_minmax.h>
#include <taper/ops/tensor/factory.h>

#include "complex_util.h"
#include "ops/reduce/reduction_cases.h"
#include "ops/shared/kinks.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

const double kInf = INFINITY;

/// One value has no deviation (NaN); a gradient there would say nothing.
OpCase of_deviation(OpCase c) {
  c.tolerance = 8;
  c.gradient_samples = [] {
    return only(samples(kDouble, of_something()),
                [](const Args& a) { return reduces(a.t[0].sizes().vec(), a.i, 2); });
  };
  return c;
}

TAPER_OP_CASES(moments, {
  OpCase var = of_deviation(reduction(
      "var", [](const Tensor& x) { return x.var(); },
      [](const Tensor& x, IntArrayRef d, bool k) { return x.var(d, true, k); }, var_of,
      of_something()));
  var.errors = {error<Error>("std and var only support floating point and complex dtypes",
                             [] { to_tensor(Array({2}), kLong).var(); })};
  OpCase both = var;
  both.name = "var_mean";
  both.errors.clear();
  both.call = [](const Args& a) {
    const Ints dims = dims_of(a.i);
    const auto [v, m] =
        dims.empty() ? var_mean(a.t[0]) : var_mean(a.t[0], IntArrayRef(dims), true, keep_of(a.i));
    return Results{v, m};
  };
  both.reference = [](const ArrayArgs& a) { return Arrays{fold(a, var_of), fold(a, mean_of)}; };
  return std::vector<OpCase>{
      var,
      both,
      of_deviation(reduction(
          "var_biased", [](const Tensor& x) { return x.var(false); },
          [](const Tensor& x, IntArrayRef d, bool k) { return x.var(d, false, k); }, biased_var_of,
          of_something())),
      of_deviation(reduction(
          "std", [](const Tensor& x) { return x.std(); },
          [](const Tensor& x, IntArrayRef d, bool k) { return x.std(d, true, k); }, std_of,
          of_something())),
  };
});

OpCase norm_case(std::string name, double p, Fold f) {
  return looser(reduction(
                    std::move(name), [p](const Tensor& x) { return x.norm(p); },
                    [p](const Tensor& x, IntArrayRef d, bool k) { return x.norm(p, d, k); },
                    std::move(f), of_something()),
                8);
}

TAPER_OP_CASES(norms, {
  OpCase two = norm_case("norm", 2, norm_of(2));
  two.errors = {error<Error>(
      "norm(): input dtype should be either floating point or complex. Got Long instead.",
      [] { to_tensor(Array({2}), kLong).norm(); })};
  OpCase logsumexp =
      looser(reduction(
                 "logsumexp", [](const Tensor& x) { return x.logsumexp(IntArrayRef()); },
                 [](const Tensor& x, IntArrayRef d, bool k) { return x.logsumexp(d, k); },
                 logsumexp_of, of_something()),
             8);
  return std::vector<OpCase>{two, norm_case("norm_1", 1, norm_of(1)),
                             norm_case("norm_3", 3, norm_of(3)),
                             norm_case("norm_inf", INFINITY, largest_magnitude), logsumexp};
});

TAPER_OP_CASES(renormed, {
  OpCase r;
  r.name = "renorm";
  r.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{3, 4}}, t, {}, {0}, {2, 1.5}),
                             sample_of({{2, 3, 2}}, t, {}, {1}, {1, 4})};
  };
  r.call = [](const Args& a) { return renorm(a.t[0], a.d[0], a.i[0], a.d[1]); };
  r.inplace = [](const Args& a) { return a.t[0].renorm_(a.d[0], a.i[0], a.d[1]); };
  r.reference = [](const ArrayArgs& a) {
    Array y = a.t[0];
    const auto dim = static_cast<size_t>(a.i[0]);
    std::vector<double> sums(static_cast<size_t>(y.sizes[dim]), 0);
    const auto each = [&](const auto& body) {
      for_each_index(y.sizes,
                     [&](const auto& at) { body(y.at(at), sums[static_cast<size_t>(at[dim])]); });
    };
    each([&](double& v, double& sum) { sum += std::pow(std::abs(v), a.d[0]); });
    each([&](double& v, double& sum) {
      const double norm = std::pow(sum, 1 / a.d[0]);
      if (norm > a.d[1]) v *= a.d[1] / (norm + 1e-7);
    });
    return y;
  };
  r.errors = {error<Error>("renorm: non-positive-norm not supported",
                           [] {
                             renorm(numbers({2, 2}), -2, 0, 1);
                           }),
              error<Error>("renorm: input needs at least 2 dimensions, got 1 dimensions",
                           [] { renorm(numbers({2}), 2, 0, 1); }),
              error<Error>("renorm: expected maxnorm to be >= 0 but got -1", [] {
                renorm(numbers({2, 2}), 2, 0, -1);
              })};
  return std::vector<OpCase>{r};
});

TAPER_OP_CASES(distances, {
  std::vector<OpCase> list;
  for (const double p : {1.0, 2.0, 3.0}) {
    OpCase c;
    c.name = "dist_" + std::to_string(int(p));
    c.samples = [](ScalarType t) {
      return std::vector<Args>{sample_of({{3, 4}, {3, 4}}, t), sample_of({{3, 1}, {4}}, t),
                               sample_of({{33}, {33}}, t)};
    };
    c.call = [p](const Args& a) { return dist(a.t[0], a.t[1], p); };
    c.reference = [p](const ArrayArgs& a) {
      double s = 0;
      for_each_index(broadcast(a.t[0].sizes, a.t[1].sizes), [&](const auto& index) {
        s += std::pow(std::abs(a.t[0].broadcast_at(index) - a.t[1].broadcast_at(index)), p);
      });
      return Array({}, std::pow(s, 1 / p));
    };
    c.tolerance = 8;
    list.push_back(c);
  }
  return list;
});

TEST(Reduce, VarianceDoesNotCancel) {
  const Tensor x = values({1e6, 1e6 + 1, 1e6 + 2});
  EXPECT_NEAR(x.var().item<float>(), 1, 1e-6);
  EXPECT_NEAR(x.reshape({3, 1}).expand({3, 5}).var({0}, true)[4].item<float>(), 1, 1e-6);
}

TEST(Reduce, AWholeNumberIsADimensionOfVarianceAndMean) {
  const Tensor x = counting({2, 3});
  EXPECT_TRUE(equal(std::get<0>(var_mean(x, 1)), x.var(1)));
  EXPECT_TRUE(equal(std::get<1>(var_mean(x, 1)), x.mean(1)));
  EXPECT_TRUE(equal(std::get<0>(std_mean(x, 0)), x.std(0)));
}

TEST(Variance, TakesAnyCorrection) {
  const Tensor x = values({1, 2, 4, 9}, kDouble);  // squares of deviations: 9 + 4 + 0 + 25
  const optional<Scalar> half = Scalar(0.5);
  const double expected = 38 / 3.5;
  EXPECT_NEAR(x.var(0, half).item<double>(), expected, 1e-12);
  EXPECT_NEAR(x.std(nullopt, half).item<double>(), std::sqrt(expected), 1e-12);
  EXPECT_NEAR(std::get<0>(var_mean(x, 0, half)).item<double>(), expected, 1e-12);
  EXPECT_NEAR(std::get<0>(std_mean(x, {0}, half, true)).item<double>(), std::sqrt(expected), 1e-12);
  EXPECT_EQ(std::get<1>(std_mean(x, {0}, half)).item<double>(), 4);
  EXPECT_EQ(x.var(0, optional<int64_t>(0)).item<double>(), 9.5);
  EXPECT_EQ(var(x, nullopt, optional<Scalar>(), true).sizes(), IntArrayRef({1}));
  EXPECT_NEAR(var(x, 0, optional<Scalar>()).item<double>(), 38 / 3.0, 1e-12);
  // The gradient of var is 2 (x - mean) / (n - correction).
  const Tensor z = x.clone().requires_grad_();
  z.var(0, half).backward();
  EXPECT_TRUE(z.grad().allclose(values({-3, -2, 0, 5}, kDouble) * (2 / 3.5)));
}

TEST(Norm, OfNothingNeedsAnIdentity) {
  for (double p : {kInf, -kInf, -1.0}) {
    expect_error("norm on an empty tensor because", [&] { norm(values({}), p); });
    expect_error("norm on the dimension 0 because this dimension is empty", [&] {
      norm(counting({0, 3}), p, IntArrayRef{0});
    });
    EXPECT_EQ(norm(counting({0, 3}), p, IntArrayRef{1}).sizes(), IntArrayRef({0}));
  }
  for (double p : {0.0, 1.0, 2.0, 3.0}) expect_values(norm(values({}), p), {}, {0});
  expect_error("cannot compute the inf norm on an empty tensor",
               [] { linalg::vector_norm(values({}), kInf); });
}

TEST(Norm, MethodsTakeADtype) {
  const Tensor x = tensor_of({2, 2}, {3, 4, 6, 8});
  const Tensor rows = x.norm(2, IntArrayRef{1}, true, kDouble);
  EXPECT_EQ(rows.scalar_type(), kDouble);
  expect_values(rows, {2, 1}, {5, 10});
  EXPECT_EQ(x.norm(nullopt, kDouble).scalar_type(), kDouble);
  EXPECT_DOUBLE_EQ(x.norm(1, kDouble).item<double>(), 21);
}

TEST(Norm, DistancesAndExtremes) {
  const Tensor x = tensor_of({3, 2}, {0, 0, 3, 4, 0, 1});
  expect_values(dist(x[0], x[1]), {}, {5});
  const auto [low, high] = aminmax(x, 0);
  expect_values(low, {2}, {0, 0});
  expect_values(high, {2}, {3, 4});
}

TEST(Variance, WarnsWhereNothingIsFree) {
  const Tensor one = ones({1}), two = ones({2});
  expect_warning("var(): degrees of freedom is <= 0.", [&] { one.var(); });
  expect_warning("std(): degrees of freedom is <= 0.", [&] { one.std(); });
  expect_warning("std_mean(): degrees of freedom is <= 0.", [&] { std_mean(one); });
  EXPECT_TRUE(warnings_of([&] {
                two.var();
                one.var(/*unbiased=*/false);
              }).empty());
}

// Of complex numbers it is the norm of their parts: second derivatives too, where a number is zero.
TEST(Norm, SecondGradientAtAComplexZero) {
  const auto second = [](const Tensor& x, const std::function<Tensor(const Tensor&)>& norm_of_x) {
    const Tensor g = autograd::grad({norm_of_x(x)}, {x}, {}, true, true)[0];
    const Tensor parts = g.is_complex() ? view_as_real(g) : g;
    const Tensor weights = arange(parts.numel(), kDouble).view(parts.sizes()) + 1;
    return autograd::grad({(parts * weights).sum()}, {x})[0].detach();
  };
  const Tensor z = complex_values({3, 4, 0, 0, 1, -2}).requires_grad_();
  const Tensor parts = view_as_real(z).detach().requires_grad_();
  const Tensor got = second(z, [](const Tensor& x) { return x.norm(); });
  const Tensor want = second(parts, [](const Tensor& x) { return x.norm(); });
  EXPECT_TRUE(allclose(view_as_real(got), want)) << got << want;
  EXPECT_NE(values_of(want)[2], 0);
}

TEST(Norm, SecondGradientOfZerosIsNone) {
  for (const double p : {2.0, 3.0}) {
    const Tensor x = zeros({2}, kDouble).requires_grad_();
    const Tensor factor = ones({}, kDouble).requires_grad_();
    const Tensor g = autograd::grad({x.norm(p) * factor}, {x}, {}, true, true)[0];
    EXPECT_EQ(values_of(g), std::vector<double>(2, 0));
    const auto second = autograd::grad({g.sum()}, {x, factor});
    EXPECT_EQ(values_of(second[0]), std::vector<double>(2, 0)) << p;
    EXPECT_EQ(second[1].item<double>(), 0) << p;
  }
}

TEST(Std, GradientOfEqualComplexNumbersIsNone) {
  const Tensor x = complex_values({1, 2, 1, 2, 1, 2}).requires_grad_();
  const Tensor y = x.std();
  EXPECT_EQ(y.item<double>(), 0);
  y.backward();
  EXPECT_EQ(values_of(view_as_real(x.grad())), std::vector<double>(6, 0));
  EXPECT_TRUE(complex_values({1, 2, NAN, 2}).std().isnan().item<bool>());
}

// Squares of such floats are 0 or infinite.
TEST(Std, OfExtremeFloatsIsThatOfTheirScale) {
  const Tensor x = tensor({{1., 2., 4.}, {3., -1., 8.}, {5., 0., 7.}}, kFloat);
  for (const double scale : {1e-37, 1e-30, 1e-20, 1e20, 1e30}) {
    for (const int64_t dim : {0, 1, 2}) {  // 2: all of them
      const auto std_of = [&](const Tensor& t) {
        return dim == 2 ? t.std().reshape({1}) : t.std(dim);
      };
      const Tensor wide = x.to(kDouble).mul(scale).requires_grad_();
      const Tensor narrow = wide.detach().to(kFloat).requires_grad_();
      const Tensor y = std_of(narrow), want = std_of(wide);
      y.sum().backward();
      want.sum().backward();
      EXPECT_TRUE(y.to(kDouble).sub(want).div(want).abs().max().item<double>() < 1e-6) << scale;
      EXPECT_TRUE(allclose(narrow.grad().to(kDouble), wide.grad(), 1e-5, 1e-6)) << scale;
    }
  }
  EXPECT_EQ(full({5000}, 1e-30f).var().item<float>(), 0);
  EXPECT_TRUE(tensor({1., double(INFINITY)}, kFloat).std().isnan().item<bool>());
  EXPECT_EQ(tensor({-3e38, 3e38}, kFloat).std().item<float>(), INFINITY);
}

TEST(Norm, GradientsWhereNumbersAreEqualOrZero) {
  expect_kinks({
      {OF_X(x.std()), {3, 3, 3}, {0, 0, 0}},
      {OF_X(x.std(/*unbiased=*/false)), {3, 3}, {0, 0}},
      {OF_X(x.std(1)), {3, 3, 0, 2}, {0, 0, -std::sqrt(0.5), std::sqrt(0.5)}, {2, 2}},
      {OF_X(std::get<0>(std_mean(x, 1))),
       {3, 3, 0, 2},
       {0, 0, -std::sqrt(0.5), std::sqrt(0.5)},
       {2, 2}},
      {OF_X(x.var()), {3, 3, 3}, {0, 0, 0}},
      {OF_X(x.norm()), {0, 0}, {0, 0}},
      {OF_X(x.norm(1)), {-2, 0, 3}, {-1, 0, 1}},
      {OF_X(x.norm(0)), {-2, 0, 3}, {0, 0, 0}},
      {OF_X(x.norm(0.5)), {0, 4}, {0, 1}},
      {OF_X(x.norm(1.5)), {0, 4}, {0, 1}},
      {OF_X(x.norm(3)), {0, 0}, {0, 0}},
      {OF_X(x.norm(3)), {0, 4}, {0, 1}},
      {OF_X(x.norm(kInf)), {-2, 2, 1}, {-0.5, 0.5, 0}},
      {OF_X(x.norm(kInf)), {0, 0}, {0, 0}},
      {OF_X(linalg::vector_norm(x, -kInf)), {-1, 1, 2}, {-0.5, 0.5, 0}},
      {OF_X(linalg::vector_norm(x, 2, 1)), {0, 0, 3, 4}, {0, 0, 0.6, 0.8}, {2, 2}},
      {OF_X(dist(x, ones_like(x))), {1, 1}, {0, 0}},
      {OF_X(dist(x, ones_like(x), 1)), {0, 1, 2}, {-1, 0, 1}},
  });
}

}  // namespace
}  // namespace torch::taper::testing
