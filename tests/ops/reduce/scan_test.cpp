// Cumulative sums, products and extremes.
#include <taper/ops/reduce/scan.h>

#include <cmath>

#include <taper/framework/autograd/autograd.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/tensor/factory.h>
#include <taper/taper.h>

#include "ops/shared/kinks.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Shape = std::vector<int64_t>;

std::vector<Args> samples(ScalarType t, Range range) {
  std::vector<Args> list;
  const std::vector<std::pair<Shape, int64_t>> shapes = {
      {{}, 0},     {{0}, 0},       {{1}, 0},      {{7}, -1},   {{3, 4}, 0},
      {{3, 4}, 1}, {{2, 5, 3}, 1}, {{33, 70}, 0}, {{5, 37}, 1}};
  for (const auto& [shape, dim] : shapes) list.push_back(sample_of({shape}, t, range, {dim}));
  return list;
}

/// Walks along the dimension: next(running value, element, position) gives the new running value.
template <class Next>
Array scan(const Array& x, int64_t dim, double start, const Next& next) {
  Array y = x;
  if (x.dim() == 0) {
    y.v[0] = next(start, x.v[0], 0);
    return y;
  }
  if (dim < 0) dim += x.dim();
  for_each_index(x.sizes, [&](const Shape& at) {
    Shape before = at;
    --before[dim];
    y.at(at) = next(at[dim] == 0 ? start : y.at(before), x.at(at), at[dim]);
  });
  return y;
}

ScalarType scan_result(ScalarType t) { return isFloatingType(t) ? t : kLong; }

OpCase sum_case() {
  OpCase c;
  c.name = "cumsum";
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16, kLong, kInt, kByte};
  c.samples = [](ScalarType t) { return samples(t, {-3, 3}); };
  c.call = [](const Args& a) { return a.t[0].cumsum(a.i[0]); };
  c.inplace = [](const Args& a) { return a.t[0].cumsum_(a.i[0]); };
  c.out = [](Tensor& y, const Args& a) { return cumsum_out(y, a.t[0], a.i[0]); };
  c.reference = [](const ArrayArgs& a) {
    return scan(a.t[0], a.i[0], 0, [](double run, double x, int64_t) { return run + x; });
  };
  c.result_dtype = scan_result;
  c.errors = {
      error<IndexError>("Dimension out of range (expected to be in range of [-1, 0], but got 1)",
                        [] { to_tensor(Array({3}, 1), kFloat).cumsum(1); })};
  return c;
}

OpCase product_case() {
  OpCase c;
  c.name = "cumprod";
  c.dtypes = {kFloat, kDouble};
  c.samples = [](ScalarType t) { return samples(t, {0.5, 1.5}); };
  c.call = [](const Args& a) { return a.t[0].cumprod(a.i[0]); };
  c.inplace = [](const Args& a) { return a.t[0].cumprod_(a.i[0]); };
  c.out = [](Tensor& y, const Args& a) { return cumprod_out(y, a.t[0], a.i[0]); };
  c.reference = [](const ArrayArgs& a) {
    return scan(a.t[0], a.i[0], 1, [](double run, double x, int64_t) { return run * x; });
  };
  return c;
}

OpCase extreme_case(std::string name, bool maximum) {
  OpCase c;
  c.name = std::move(name);
  c.dtypes = {kFloat, kDouble, kLong};
  c.samples = [](ScalarType t) { return samples(t, {-3, 3}); };
  // Few values, so that none are so close that a difference quotient crosses their order.
  c.gradient_samples = [] {
    return std::vector<Args>{sample_of({{7}}, kDouble, {}, {0}),
                             sample_of({{3, 4}}, kDouble, {}, {0})};
  };
  c.call = [maximum](const Args& a) -> Results {
    const auto [y, index] = maximum ? a.t[0].cummax(a.i[0]) : a.t[0].cummin(a.i[0]);
    return {y, index};
  };
  c.reference = [maximum](const ArrayArgs& a) {
    const auto better = [maximum](double x, double run) { return maximum ? x >= run : x <= run; };
    const double start = maximum ? -INFINITY : INFINITY;
    const Array y = scan(a.t[0], a.i[0], start,
                         [&](double run, double x, int64_t) { return better(x, run) ? x : run; });
    // The last place so far that holds the running value.
    Array index = y;
    for_each_index(y.sizes, [&](const Shape& at) {
      int64_t dim = a.i[0] < 0 ? a.i[0] + y.dim() : a.i[0];
      Shape from = at;
      if (y.dim() > 0)
        while (a.t[0].at(from) != y.at(at)) --from[dim];
      index.at(at) = y.dim() > 0 ? static_cast<double>(from[dim]) : 0;
    });
    return Arrays{y, index};
  };
  return c;
}

TAPER_OP_CASES(scan_cases, {
  return std::vector<OpCase>{sum_case(), product_case(), extreme_case("cummax", true),
                             extreme_case("cummin", false)};
});

// Lanes go side by side, with what is left of them: columns and rows give the same.
TEST(Cummax, OfColumnsIsThatOfRows) {
  Tensor x = sample_of({{2, 60, 19}}, kDouble, {-3, 3}).t[0].mul(4).round();
  x[1][7][3].fill_(NAN);
  for (const Tensor& t : {x, x.to(kFloat)})
    for (const bool maximum : {true, false}) {
      const Tensor rows = t.transpose(1, 2).contiguous();
      const auto [y, i] = maximum ? t.cummax(1) : t.cummin(1);
      const auto [ry, ri] = maximum ? rows.cummax(2) : rows.cummin(2);
      EXPECT_TRUE(i.equal(ri.transpose(1, 2)));
      EXPECT_TRUE(y.nan_to_num(99).equal(ry.transpose(1, 2).nan_to_num(99)));
      for (int64_t c = 0; c < 19; ++c) {
        const Tensor alone = t[1].select(1, c).contiguous();
        EXPECT_TRUE(
            i[1].select(1, c).equal(std::get<1>(maximum ? alone.cummax(0) : alone.cummin(0))));
      }
    }
}

// Rows are summed in runs of blocks, with what is left of them; the gradient goes the other way.
void expect_sums_of_rows(int64_t rows, int64_t n) {
  const Tensor x = randn({rows, n}).requires_grad_(), y = x.cumsum(1);
  EXPECT_TRUE(allclose(y.to(kDouble), x.to(kDouble).cumsum(1), 1e-6, 1e-6)) << rows << ' ' << n;
  const Tensor g = randn({rows, n}), gx = autograd::grad({y}, {x}, {g})[0];
  const Tensor want = g.to(kDouble).flip({1}).cumsum(1).flip({1});
  EXPECT_TRUE(allclose(gx.to(kDouble), want, 1e-6, 1e-6)) << rows << ' ' << n;
}
TEST(Cumsum, OfManyRowsIsThatOfEach) {
  for (int64_t n : {1, 3, 7, 8, 16, 33, 40, 64, 255, 256, 257, 300, 512, 777})
    for (int64_t rows : {1, 8, 19}) expect_sums_of_rows(rows, n);
}
TEST(Cumsum, PastTheCaches) { expect_sums_of_rows(9001, 515); }

TEST(Cumsum, InfinitiesAndNaNsReachWhatComesAfter) {
  for (int64_t at : {0, 5, 31, 32, 100, 299}) {
    Tensor x = ones({300});
    x[at].fill_(INFINITY);
    const Tensor y = x.cumsum(0), from_end = x.flip({0}).cumsum(0);
    EXPECT_EQ(y.isfinite().sum().item<int64_t>(), at);
    EXPECT_EQ(from_end.isfinite().sum().item<int64_t>(), 299 - at);
    x.requires_grad_();
    const Tensor g = autograd::grad({x.cumsum(0)}, {x}, {x.detach()})[0];
    EXPECT_TRUE(g.equal(from_end.flip({0})));
    x.detach()[at].fill_(NAN);
    EXPECT_EQ(x.detach().cumsum(0).isnan().sum().item<int64_t>(), 300 - at);
  }
}

// d/dx of sum(w * cumprod(x)) where x has a zero, or two: against the products written out.
TEST(CumprodTest, GradientAtZeros) {
  for (const std::vector<double>& values :
       {std::vector<double>{2, 0, 3, 4}, {0, 2, 0, 5}, {3, 1, 2, 0}}) {
    Array a(Shape{4}), w(Shape{4});
    a.v = values;
    w.v = {1, -2, 3, 0.5};
    Tensor x = to_tensor(a, kDouble).requires_grad_();
    x.cumprod(0).backward(to_tensor(w, kDouble));
    for (size_t k = 0; k < 4; ++k) {
      double want = 0;
      for (size_t i = k; i < 4; ++i) {
        double product = 1;
        for (size_t j = 0; j <= i; ++j) product *= j == k ? 1 : values[j];
        want += w.v[i] * product;
      }
      EXPECT_DOUBLE_EQ(get_element(x.grad(), static_cast<int64_t>(k)), want);
    }
  }
}

TEST(CumsumTest, DtypeConvertsFirst) {
  const Tensor x = to_tensor(Array({3}, 200), kByte);
  EXPECT_EQ(x.cumsum(0).scalar_type(), kLong);
  EXPECT_EQ(x.cumsum(0, kByte).scalar_type(), kByte);
  EXPECT_EQ(get_element(x.cumsum(0, kByte), 1), 144);  // 400 - 256
  EXPECT_EQ(get_element(x.cumsum(0, kDouble), 2), 600);
}

// 2^24 + 1 is not a float: sums of ones in float would stop there.
TEST(CumsumTest, AccumulatesFloatsInDouble) {
  Array a(Shape{4}, 1);
  a.v[0] = 16777216;
  const Tensor y = to_tensor(a, kFloat).cumsum(0);
  EXPECT_EQ(get_element(y, 2), 16777218);
}

TAPER_OP_CASES(log_sum_cases, {
  OpCase c;
  c.name = "logcumsumexp";
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16};
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{2, 3, 4}}, t, {}, {1}), sample_of({{33}}, t, {-9, 9}, {0}),
                             sample_of({{3, 70}}, t, {}, {-1}), sample_of({{0, 2}}, t, {}, {0}),
                             sample_of({{}}, t, {}, {0})};
  };
  c.call = [](const Args& a) { return logcumsumexp(a.t[0], a.i[0]); };
  c.reference = [](const ArrayArgs& a) {
    Array y = a.t[0];
    if (y.sizes.empty()) return Arrays{y};
    const auto dim = static_cast<size_t>(a.i[0] < 0 ? a.i[0] + y.dim() : a.i[0]);
    for_each_index(y.sizes, [&](std::vector<int64_t> at) {
      const std::vector<int64_t> here = at;
      double sum = 0;
      for (at[dim] = 0; at[dim] <= here[dim]; ++at[dim]) sum += std::exp(a.t[0].at(at));
      y.at(here) = std::log(sum);
    });
    return Arrays{y};
  };
  c.errors = {error<NotImplementedError>("\"logcumsumexp_out_cpu\" not implemented for 'Long'",
                                         [] { logcumsumexp(counting({2}, kLong), 0); })};
  return std::vector<OpCase>{c};
});

/// Running values in floats, one after the other, each rounded to x's dtype.
template <class Next>
Tensor one_by_one(const Tensor& x, bool reverse, float start, const Next& next) {
  const Tensor wide = x.to(kFloat).contiguous(), y = zeros_like(wide);
  for (int64_t r = 0; r < x.size(0); ++r) {
    const float* const from = wide.data_ptr<float>() + r * x.size(1);
    float* const to = y.data_ptr<float>() + r * x.size(1);
    float running = start;
    for (int64_t j = 0; j < x.size(1); ++j) {
      const int64_t i = reverse ? x.size(1) - 1 - j : j;
      to[i] = running = next(running, from[i]);
    }
  }
  return y.to(x.scalar_type());
}

// Rows by fours and what is left, shorter and longer than a run; columns, and both backwards.
TEST(Cumsum, Of16BitFloatsIsKeptInFloats) {
  const auto sum = [](float a, float b) { return a + b; };
  const auto product = [](float a, float b) { return a * b; };
  for (const ScalarType t : {kHalf, kBFloat16})
    for (const int64_t n : {1, 70, 255, 256, 257, 1000}) {
      const Tensor x = (numbers({6, n}, kFloat) * 1.7).to(t),
                   forward = one_by_one(x, false, 0, sum);
      EXPECT_TRUE(x.cumsum(1).equal(forward)) << toString(t) << n;
      EXPECT_TRUE(x.t().contiguous().cumsum(0).t().equal(forward)) << toString(t) << n;
      EXPECT_TRUE(x.cumprod(1).equal(one_by_one(x, false, 1, product))) << toString(t) << n;
      for (const int64_t dim : {0, 1}) {
        const Tensor of = zeros_like(x).requires_grad_();
        const Tensor rows = dim == 1 ? of : of.view({n, 6});
        const Tensor gy = dim == 1 ? x : x.t().contiguous();
        const Tensor gx = autograd::grad({rows.cumsum(dim)}, {rows}, {gy})[0];
        EXPECT_TRUE((dim == 1 ? gx : gx.t()).equal(one_by_one(x, true, 0, sum))) << n << dim;
      }
    }
}

TEST(OutForms, OfScansConvertTheInput) {
  const Tensor x = values({1, 2, 3}, kLong);
  Tensor floats = values({}), ints = values({}, kInt);
  expect_values(cumsum_out(floats, x, 0), {3}, {1, 3, 6});
  expect_values(cumprod_out(ints, x.to(kFloat), 0), {3}, {1, 2, 6});
  EXPECT_EQ(ints.scalar_type(), kInt);
  expect_error("Expected out tensor to have dtype double, but got float instead",
               [&] { cumprod_out(floats, x, 0, kDouble); });
  expect_error("don't support automatic differentiation",
               [&] { cumsum_out(floats, values({1}).requires_grad_(), 0); });
}

TEST(Scan, GradientsOfZerosAndTies) {
  expect_kinks({
      {OF_X(x.prod()), {0, 2, 3}, {6, 0, 0}},
      {OF_X(x.prod()), {0, 0, 3}, {0, 0, 0}},
      {OF_X(x.prod(1)), {0, 2, 3, 4}, {2, 0, 4, 3}, {2, 2}},
      {OF_X(x.prod(1)), {0, 0, 3, 4}, {0, 0, 4, 3}, {2, 2}},
      {OF_X(x.cumprod(0)), {2, 0, 3}, {1, 8, 0}},
      {OF_X(x.cumprod(0)), {0, 2, 0}, {3, 0, 0}},
      {OF_X(std::get<0>(x.cummax(0))), {2, 1, 2}, {2, 0, 1}},
      {OF_X(std::get<0>(x.cummin(0))), {1, 2, 1}, {2, 0, 1}},
  });
}

}  // namespace
}  // namespace torch::taper::testing
