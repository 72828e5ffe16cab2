// The largest and the smallest elements, and their places.
#include <taper/ops/reduce/reduce_minmax.h>

#include <cmath>
#include <limits>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/random/random.h>
#include <taper/ops/reduce/reduce_median.h>
#include <taper/ops/reduce/reduce_norm.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>

#include "ops/reduce/reduction_cases.h"
#include "ops/shared/kinks.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

/// Floats from far and wide; whole numbers from a narrow range, so that many are equal.
OpCase of_extremes(OpCase c, Domain domain) {
  c.dtypes = kAllDtypes;
  c.samples = [domain](ScalarType t) mutable {
    domain.range = isFloatingType(t) ? Range{-1000, 1000} : Range{-9, 9};
    return samples(t, domain);
  };
  c.gradient_samples = [domain] { return distinct_samples(domain); };
  return c;
}

TAPER_OP_CASES(extremes, {
  OpCase amax =
      of_extremes(reduction(
                      "amax", [](const Tensor& x) { return x.amax(); },
                      [](const Tensor& x, IntArrayRef d, bool k) { return x.amax(d, k); }, max_of),
                  of_something());
  amax.errors = {error<IndexError>("amax(): Expected reduction dim 1 to have non-zero size.", [] {
    to_tensor(Array({2, 0}), kFloat).amax(1);
  })};
  OpCase amin =
      of_extremes(reduction(
                      "amin", [](const Tensor& x) { return x.amin(); },
                      [](const Tensor& x, IntArrayRef d, bool k) { return x.amin(d, k); }, min_of),
                  of_something());
  add_out(amax, [](Tensor& out, const Tensor& x, const Ints& d, bool k) {
    return amax_out(out, x, d, k);
  });
  add_out(amin, [](Tensor& out, const Tensor& x, const Ints& d, bool k) {
    return amin_out(out, x, d, k);
  });
  return std::vector<OpCase>{amax, amin};
});

/// The largest of all, the smallest of all.
OpCase of_all(const char* name, Tensor (*op)(const Tensor&), Fold f) {
  OpCase c = of_extremes(reduction(name, op, {}, std::move(f)), of_something());
  const auto whole = [](const Args& a) { return a.i.size() == 1; };
  c.samples = [all = c.samples, whole](ScalarType t) { return only(all(t), whole); };
  c.gradient_samples = [all = c.gradient_samples, whole] { return only(all(), whole); };
  return c;
}

TAPER_OP_CASES(extremes_of_all, {
  OpCase max = of_all("max", static_cast<Tensor (*)(const Tensor&)>(&taper::max), max_of);
  max.errors = {error<Error>(
      "max(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction "
      "dim with the 'dim' argument.",
      [] { to_tensor(Array({0}), kFloat).max(); })};
  OpCase min = of_all("min", static_cast<Tensor (*)(const Tensor&)>(&taper::min), min_of);
  return std::vector<OpCase>{max, min};
});

// Two results: the harness takes the floating one for gradients.
OpCase with_position(const char* name, bool largest) {
  OpCase c = of_extremes(reduction(name, {}, {}, max_of), along_one());
  c.call = [largest](const Args& a) {
    const auto [v, i] =
        largest ? a.t[0].max(a.i[0], keep_of(a.i)) : a.t[0].min(a.i[0], keep_of(a.i));
    return Results{v, i};
  };
  c.reference = [largest](const ArrayArgs& a) {
    return Arrays{fold(a, largest ? max_of : min_of), fold(a, largest ? first_max : first_min)};
  };
  return c;
}

OpCase position(const char* name, All all, Along along, Fold f) {
  OpCase c = of_extremes(reduction(name, std::move(all), std::move(along), std::move(f)),
                         Domain{{}, false, true, false});
  c.dtypes = {kFloat, kDouble, kLong};
  // Ties, among long rows too: the first counts.
  c.samples = [](ScalarType t) { return samples(t, {{-9, 9}, false, true, false}); };
  c.result_dtype = [](ScalarType) { return kLong; };
  c.differentiable = false;
  return c;
}

TAPER_OP_CASES(positions, {
  std::vector<OpCase> list = {
      with_position("max_dim", true), with_position("min_dim", false),
      position(
          "argmax", [](const Tensor& x) { return x.argmax(); },
          [](const Tensor& x, IntArrayRef d, bool k) { return x.argmax(d[0], k); }, first_max),
      position(
          "argmin", [](const Tensor& x) { return x.argmin(); },
          [](const Tensor& x, IntArrayRef d, bool k) { return x.argmin(d[0], k); }, first_min)};
  add_out(case_in(list, "argmax"), [](Tensor& out, const Tensor& x, const Ints& d, bool k) {
    return d.empty() ? argmax_out(out, x) : argmax_out(out, x, d[0], k);
  });
  add_out(case_in(list, "argmin"), [](Tensor& out, const Tensor& x, const Ints& d, bool k) {
    return d.empty() ? argmin_out(out, x) : argmin_out(out, x, d[0], k);
  });
  return list;
});

TEST(Reduce, NanWins) {
  const Tensor x = values({1, NAN, 3, NAN});
  EXPECT_TRUE(std::isnan(x.max().item<float>()));
  EXPECT_TRUE(std::isnan(x.min().item<float>()));
  EXPECT_EQ(x.argmax().item<int64_t>(), 1);
  EXPECT_EQ(x.argmin().item<int64_t>(), 1);
  EXPECT_EQ(nansum(x).item<float>(), 4);
  EXPECT_TRUE(std::isnan(median(x).item<float>()));
  EXPECT_EQ(nanmedian(x).item<float>(), 1);
  const Tensor column = x.reshape({4, 1}).expand({4, 3});
  EXPECT_EQ(column.argmax(0)[2].item<int64_t>(), 1);
}

// At every place of vectors, their rest and short rows that go by columns.
TEST(Reduce, NanAndTheFirstOfEqualsAreFoundAtAnyPlace) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (int64_t n : {3, 10, 24, 25, 67, 300})
    for (int64_t at = 0; at < n; at += 1 + n / 29) {
      const Tensor x = arange(n).mul(-1).to(kFloat).repeat({40, 1});
      x.select(1, at).fill_(nan);
      EXPECT_TRUE(x.amax({1}).isnan().all().item<bool>()) << n << ' ' << at;
      EXPECT_TRUE(x.amin({1}).isnan().all().item<bool>()) << n << ' ' << at;
      EXPECT_TRUE(x.argmax(1).eq(at).all().item<bool>()) << n << ' ' << at;
      x.narrow(1, at, n - at).fill_(5);
      for (const Tensor& v : {x, x.to(kDouble), x.to(kLong), x.to(kInt), x.t().contiguous().t()}) {
        EXPECT_TRUE(v.argmax(1).eq(at).all().item<bool>()) << n << ' ' << at;
        EXPECT_TRUE(v.amax({1}).eq(5).all().item<bool>()) << n << ' ' << at;
        EXPECT_TRUE(std::get<0>(v.max(1)).eq(5).all().item<bool>()) << n << ' ' << at;
      }
    }
}

// Bits of either sign, as whole numbers: NaN of both signs, infinities, zeros; in whole vectors, in
// their rest, all together and by rows.
TEST(Reduce, ExtremesOf16BitFloatsAreThoseOfTheirNumbers) {
  const float inf = std::numeric_limits<float>::infinity();
  for (const ScalarType t : {kHalf, kBFloat16})
    for (int64_t n : {1, 3, 16, 31, 32, 33, 64, 65, 128, 129, 300, 70001}) {
      const Tensor x = randn({2, n}).mul(100).to(t), wide = x.to(kDouble);
      const auto same = [&](const Tensor& got, const Tensor& want) {
        EXPECT_EQ(got.scalar_type(), t);
        EXPECT_TRUE(got.to(kDouble).equal(want)) << toString(t) << ' ' << n;
      };
      same(x.max(), wide.max());
      same(x.min(), wide.min());
      same(x.amax({1}), wide.amax({1}));
      same(x.abs().amin({1}), wide.abs().amin({1}));
      same(x.abs().neg().amax({1}), wide.abs().neg().amax({1}));
      for (int64_t at = 0; at < n; at += 1 + n / 13) {
        x[0][at] = inf;
        x[1][at] = -inf;
        EXPECT_EQ(x.max().item<float>(), inf);
        EXPECT_EQ(x.min().item<float>(), -inf);
        for (float sign : {1.0F, -1.0F}) {
          x[1][at] = std::copysign(std::numeric_limits<float>::quiet_NaN(), sign);
          EXPECT_TRUE(x.max().isnan().item<bool>() && x.min().isnan().item<bool>()) << n << at;
          EXPECT_TRUE(x.amax({1})[1].isnan().item<bool>()) << n << ' ' << at;
          EXPECT_TRUE(x.amin({1})[1].isnan().item<bool>()) << n << ' ' << at;
          EXPECT_EQ(x.amax({1})[0].item<float>(), inf);
        }
        x.select(1, at).zero_();
      }
    }
}

TEST(Reduce, ColumnsOfExtremesAndSumsOfMasks) {
  const Tensor x = arange(20 * 1100).mul(7919).remainder(1009).to(kFloat).view({20, 1100});
  const Tensor rows = x.t().contiguous();
  EXPECT_TRUE(x.amax({0}).equal(rows.amax({1})));
  EXPECT_TRUE(x.amin({0}).equal(rows.amin({1})));
  EXPECT_TRUE(x.sum(0).equal(rows.sum(1)));
  const Tensor mask = arange(70001).remainder(3).eq(0);
  EXPECT_EQ(mask.sum().item<int64_t>(), 23334);
  EXPECT_EQ(mask.narrow(0, 1, 69).sum().item<int64_t>(), 23);
}

TEST(Reduce, InfinityIsFound) {
  const Tensor x = values({-INFINITY, -INFINITY});
  EXPECT_EQ(x.max().item<float>(), -INFINITY);
  EXPECT_EQ(x.argmax().item<int64_t>(), 0);
  EXPECT_EQ(x.logsumexp(0).item<float>(), -INFINITY);
}

TEST(Reduce, TiesShareTheGradient) {
  const Tensor x = values({1, 3, 3}).set_requires_grad(true);
  x.amax(0).backward();
  EXPECT_TRUE(x.grad().equal(values({0, 0.5, 0.5})));
  x.mutable_grad() = Tensor();
  std::get<0>(x.max(0)).backward();
  EXPECT_TRUE(x.grad().equal(values({0, 1, 0})));
}

TEST(Reduce, LargestIntegers) {
  Tensor x = counting({1037}, kLong, -2000);
  x[500] = int64_t{1} << 60;
  x[700] = -(int64_t{1} << 61);
  EXPECT_EQ(x.max().item<int64_t>(), int64_t{1} << 60);
  EXPECT_EQ(x.min().item<int64_t>(), -(int64_t{1} << 61));
  EXPECT_EQ(std::get<1>(x.max(0)).item<int64_t>(), 500);
  EXPECT_EQ(counting({1037}, kInt).sum().item<int64_t>(), 1036 * 1037 / 2);
  EXPECT_EQ(counting({1037}, kBool).sum().item<int64_t>(), 518);
}

TEST(OutForms, OfExtremesKeepTheDtype) {
  const Tensor x = tensor_of({2, 2}, {0, 5, 2, 3});
  Tensor y = values({}), at = values({}, kLong), other = values({}, kDouble);
  expect_values(amax_out(y, x, IntArrayRef{0}), {2}, {2, 5});
  expect_values(amin_out(y, x), {}, {0});
  expect_values(argmax_out(at, x, 1, true), {2, 1}, {1, 1});
  expect_values(argmin_out(at, x), {}, {0});
  expect_error("input and out to match, but got Float for input's dtype and Double for out's",
               [&] { amax_out(other, x); });
  expect_error("Expected out tensor to have dtype long int, but got float instead",
               [&] { argmax_out(y, x); });
}

/// Gradients of all ops that share one among elements that are equal.
std::vector<std::pair<const char*, Tensor (*)(const Tensor&)>> sharing_ops() {
  return {{"max", [](const Tensor& x) { return max(x); }},
          {"min", [](const Tensor& x) { return min(x); }},
          {"amax", [](const Tensor& x) { return amax(x, {0}); }},
          {"amin", [](const Tensor& x) { return amin(x, {0}); }},
          {"aminmax", [](const Tensor& x) { return std::get<1>(aminmax(x)); }},
          {"median", [](const Tensor& x) { return median(x); }},
          {"nanmedian", [](const Tensor& x) { return nanmedian(x); }},
          {"norm", [](const Tensor& x) { return linalg_vector_norm(x, INFINITY); }},
          {"mean", [](const Tensor& x) { return x.mean(); }},
          {"nanmean", [](const Tensor& x) { return nanmean(x); }}};
}

TEST(Extremes, CountsOfEqualElementsAreExact) {
  for (const ScalarType t : {kHalf, kBFloat16})
    for (const auto& [name, op] : sharing_ops())
      for (const int64_t n : {300, 2051, 70000}) {
        const Tensor x = full({n}, 0.5, t).requires_grad_();
        op(x).backward();
        const double want = Scalar(1. / static_cast<double>(n)).toDouble();
        EXPECT_EQ(x.grad()[n - 1].item<double>(), tensor(want).to(t).item<double>()) << name << n;
      }
}

// As in PyTorch.
TEST(Extremes, NaNsShareTheGradientOfANaN) {
  for (const auto& op : {sharing_ops()[0], sharing_ops()[1], sharing_ops()[5]}) {
    const Tensor x = tensor({1., double(NAN), 3., double(NAN)}, kDouble).requires_grad_();
    op.second(x).backward();
    EXPECT_EQ(values_of(x.grad()), (std::vector<double>{0, 0.5, 0, 0.5})) << op.first;
  }
}

TAPER_OP_CASES(medians, {
  const Domain domain{{}, false, true, false};
  OpCase median = reduction(
      "median", [](const Tensor& x) { return taper::median(x); },
      [](const Tensor& x, IntArrayRef d, bool k) { return std::get<0>(taper::median(x, d[0], k)); },
      median_of, domain);
  median.gradient_samples = [domain] { return distinct_samples(domain); };
  return std::vector<OpCase>{median};
});

TEST(Reduce, MedianOfNothing) {
  EXPECT_TRUE(std::isnan(median(empty({0})).item<double>()));
  EXPECT_EQ(median(empty({0}, kByte)).item<int>(), 0);
  EXPECT_EQ(median(empty({0}, kInt)).item<int>(), std::numeric_limits<int>::min());
}

TEST(Reduce, MedianOfEqualsIsTheOneThatSortingPutsThere) {
  for (int64_t n : {1, 2, 100, 101}) {
    const Tensor x = arange(20 * n).mul(7919).remainder(5).to(kFloat).view({20, n});
    const auto [v, i] = x.median(1);
    const auto [dv, di] = x.to(kDouble).add(arange(n).to(kDouble).mul(1e-6)).median(1);
    EXPECT_TRUE(i.equal(di)) << n;
    EXPECT_TRUE(v.eq(dv.round()).all().item<bool>()) << n;
  }
}

// Functions without a dimension share the gradient, those with places give it to one.
TEST(Extremes, GradientsOfTies) {
  expect_kinks({
      {OF_X(x.max()), {2, 1, 2}, {0.5, 0, 0.5}},
      {OF_X(x.min()), {1, 1, 2}, {0.5, 0.5, 0}},
      {OF_X(x.amax(0)), {2, 1, 2}, {0.5, 0, 0.5}},
      {OF_X(x.amin(0)), {1, 1, 2}, {0.5, 0.5, 0}},
      {OF_X(std::get<0>(x.max(0))), {1, 2, 2}, {0, 1, 0}},
      {OF_X(std::get<0>(x.min(0))), {2, 1, 1}, {0, 1, 0}},
      {OF_X(std::get<0>(aminmax(x))), {1, 1, 2}, {0.5, 0.5, 0}},
      {OF_X(std::get<1>(aminmax(x, 0))), {2, 1, 2}, {0.5, 0, 0.5}},
  });
}

}  // namespace
}  // namespace torch::taper::testing
