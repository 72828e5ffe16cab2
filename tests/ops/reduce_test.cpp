#include <taper/ops/reduce.h>

#include <algorithm>
#include <cmath>

#include <taper/framework/autograd/node.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/ops/compare.h>
#include <taper/ops/reduce_minmax.h>
#include <taper/ops/reduce_norm.h>

#include "harness/pointwise.h"
#include "test_util.h"

namespace taper::testing {
namespace {

constexpr int64_t kAll = -100;

using Values = std::vector<double>;
using Fold = std::function<double(const Values&)>;

// The values that meet in each element of the result, in index order. i[0]: the dimension or kAll,
// i[1]: keepdim.
Array fold(const ArrayArgs& a, const Fold& f) {
  const Array& x = a.t[0];
  const int64_t rank = x.dim();
  const int64_t dim = a.i[0] == kAll || rank == 0 ? a.i[0] : (a.i[0] + rank) % rank;
  auto reduced = [&](int64_t d) { return a.i[0] == kAll || d == dim; };
  std::vector<int64_t> kept, shape;
  for (int64_t d = 0; d < rank; ++d) {
    kept.push_back(reduced(d) ? 1 : x.sizes[d]);
    if (!reduced(d) || a.i[1]) shape.push_back(kept.back());
  }
  Array y(kept);
  std::vector<Values> groups(y.v.size());
  for_each_index(x.sizes, [&](std::vector<int64_t> index) {
    const double v = x.at(index);
    int64_t at = 0;
    for (int64_t d = 0; d < rank; ++d) at = at * kept[d] + (reduced(d) ? 0 : index[d]);
    groups[at].push_back(v);
  });
  for (size_t i = 0; i < groups.size(); ++i) y.v[i] = f(groups[i]);
  y.sizes = shape;
  return y;
}

double sum_of(const Values& v) {
  double s = 0;
  for (double x : v) s += x;
  return s;
}
double mean_of(const Values& v) { return sum_of(v) / static_cast<double>(v.size()); }
double var_of(const Values& v) {
  const double m = mean_of(v);
  double s = 0;
  for (double x : v) s += (x - m) * (x - m);
  return s / (static_cast<double>(v.size()) - 1);
}
double max_of(const Values& v) { return *std::max_element(v.begin(), v.end()); }
double min_of(const Values& v) { return *std::min_element(v.begin(), v.end()); }
double first_max(const Values& v) {
  return static_cast<double>(std::max_element(v.begin(), v.end()) - v.begin());
}
double first_min(const Values& v) {
  return static_cast<double>(std::min_element(v.begin(), v.end()) - v.begin());
}

std::vector<Args> reduction_samples(ScalarType dtype, Range range, bool with_empty, bool with_all) {
  Random random(11);
  std::vector<Args> list;
  auto add = [&](const std::vector<int64_t>& shape, int64_t dim, int64_t keep) {
    if (dim == kAll && !with_all) return;
    list.push_back({{random_tensor(shape, dtype, range, random)}, {dim, keep}});
  };
  for (const auto& shape : shapes_of_one(dtype)) {
    if (numel_of(shape) == 0 && !with_empty) continue;
    add(shape, kAll, 0);
    for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) add(shape, d, d % 2);
  }
  add({}, -1, 0);
  add({130, 9}, 0, 0);
  add({9, 70}, -1, 1);
  add({3, 5, 7}, -2, 0);
  add({2, 1100, 3}, 1, 0);
  if (dtype == kFloat) {
    add({300, 1300}, 0, 0);
    add({300, 1300}, 1, 0);
    add({20, 90, 40}, 1, 1);
  }
  return list;
}

using Reduce = std::function<Tensor(const Tensor&, int64_t dim, bool keepdim)>;

// A case for one result; `all` is called where every dimension is reduced and none is kept.
OpCase reduction(std::string name, std::function<Tensor(const Tensor&)> all, Reduce along, Fold f,
                 bool with_empty = true, Range range = {}) {
  OpCase c;
  c.name = std::move(name);
  const bool with_all = static_cast<bool>(all);
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16};
  c.samples = [=](ScalarType t) { return reduction_samples(t, range, with_empty, with_all); };
  c.call = [all, along](const Args& a) {
    return a.i[0] == kAll ? all(a.t[0]) : along(a.t[0], a.i[0], a.i[1] != 0);
  };
  c.reference = [f](const ArrayArgs& a) { return fold(a, f); };
  c.tolerance = 30;  // sums may be close to 0
  return c;
}

// Inputs without equal elements, for functions that choose one.
std::vector<Args> distinct_samples(bool with_all) {
  std::vector<Args> list;
  for (Args& a : reduction_samples(kDouble, {}, false, with_all)) {
    if (a.t[0].numel() > 300) continue;
    for (int64_t i = 0; i < a.t[0].numel(); ++i)
      set_element(a.t[0], i, get_element(a.t[0], i) + 1e-3 * static_cast<double>(i));
    list.push_back(std::move(a));
  }
  return list;
}

OpCase exact(OpCase c, ScalarType result) {
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16, kLong, kInt, kShort, kByte, kBool};
  c.differentiable = false;
  c.result_dtype = [result](ScalarType) { return result; };
  return c;
}

TAPER_OP_CASES(sums, {
  OpCase sum = reduction(
      "sum", [](const Tensor& x) { return x.sum(); },
      [](const Tensor& x, int64_t d, bool k) { return x.sum(d, k); }, sum_of);
  sum.dtypes = {kFloat, kDouble, kHalf, kBFloat16, kLong, kInt, kShort, kByte, kBool};
  sum.result_dtype = [](ScalarType t) { return isFloatingType(t) ? t : kLong; };
  sum.out = [](Tensor& out, const Args& a) {
    return a.i[0] == kAll ? sum_out(out, a.t[0], OptionalIntArrayRef(), false)
                          : sum_out(out, a.t[0], a.i[0], a.i[1] != 0);
  };
  sum.errors = {error<IndexError>(
      "Dimension out of range (expected to be in range of [-2, 1], but got 5)", [] {
        to_tensor(Array({2, 3}), kFloat).sum(5);
      })};
  sum.errors.push_back(error<Error>("dim 0 appears multiple times in the list of dims", [] {
    to_tensor(Array({2, 3}), kFloat).sum({0, -2});
  }));

  OpCase mean = reduction(
      "mean", [](const Tensor& x) { return x.mean(); },
      [](const Tensor& x, int64_t d, bool k) { return x.mean(d, k); }, mean_of, false);
  mean.errors = {error<Error>(
      "mean(): could not infer output dtype. Input dtype must be either a floating point or "
      "complex dtype. Got: Long",
      [] { to_tensor(Array({2}), kLong).mean(); })};

  OpCase nans = reduction(
      "nansum", [](const Tensor& x) { return taper::nansum(x); },
      [](const Tensor& x, int64_t d, bool k) { return taper::nansum(x, d, k); }, sum_of);

  OpCase prod = reduction(
      "prod", [](const Tensor& x) { return x.prod(); },
      [](const Tensor& x, int64_t d, bool k) { return x.prod(d, k); },
      [](const Values& v) {
        double p = 1;
        for (double x : v) p *= x;
        return p;
      });
  prod.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (Args& a : reduction_samples(t, {0.7, 1.3}, true, true))
      if (a.t[0].numel() < 400) list.push_back(std::move(a));
    return list;
  };
  return std::vector<OpCase>{sum, mean, nans, prod};
});

TAPER_OP_CASES(truths, {
  auto any_of = [](const Values& v) {
    return static_cast<double>(std::any_of(v.begin(), v.end(), [](double x) { return x != 0; }));
  };
  auto all_of = [](const Values& v) {
    return static_cast<double>(std::all_of(v.begin(), v.end(), [](double x) { return x != 0; }));
  };
  auto truth = [](ScalarType t) { return t == kByte ? kByte : kBool; };
  OpCase any = exact(reduction(
                         "any", [](const Tensor& x) { return x.any(); },
                         [](const Tensor& x, int64_t d, bool k) { return x.any(d, k); }, any_of),
                     kBool);
  OpCase all = exact(reduction(
                         "all", [](const Tensor& x) { return x.all(); },
                         [](const Tensor& x, int64_t d, bool k) { return x.all(d, k); }, all_of),
                     kBool);
  any.result_dtype = all.result_dtype = truth;
  OpCase count = exact(reduction(
                           "count_nonzero", [](const Tensor& x) { return x.count_nonzero(); },
                           [](const Tensor& x, int64_t d, bool k) {
                             const Tensor y = x.count_nonzero(d);
                             return k && x.dim() > 0 ? y.unsqueeze(d) : y;
                           },
                           [](const Values& v) {
                             return static_cast<double>(v.size()) -
                                    static_cast<double>(std::count(v.begin(), v.end(), 0.0));
                           }),
                       kLong);
  return std::vector<OpCase>{any, all, count};
});

TAPER_OP_CASES(extremes, {
  OpCase amax = reduction(
      "amax", [](const Tensor& x) { return x.amax(); },
      [](const Tensor& x, int64_t d, bool k) { return x.amax(d, k); }, max_of, false);
  amax.dtypes = {kFloat, kDouble, kHalf, kBFloat16, kLong, kInt, kShort, kByte, kBool};
  amax.errors = {error<IndexError>("amax(): Expected reduction dim 1 to have non-zero size.", [] {
    to_tensor(Array({2, 0}), kFloat).amax(1);
  })};
  OpCase amin = reduction(
      "amin", [](const Tensor& x) { return x.amin(); },
      [](const Tensor& x, int64_t d, bool k) { return x.amin(d, k); }, min_of, false);
  amin.dtypes = amax.dtypes;

  OpCase max = reduction(
      "max", [](const Tensor& x) { return x.max(); }, {}, max_of, false);
  max.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (Args& a : reduction_samples(t, {}, false, true))
      if (a.i[0] == kAll) list.push_back(std::move(a));
    return list;
  };
  max.errors = {error<Error>(
      "max(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction "
      "dim with the 'dim' argument.",
      [] { to_tensor(Array({0}), kFloat).max(); })};
  OpCase min = max;
  min.name = "min";
  min.call = [](const Args& a) { return a.t[0].min(); };
  min.reference = [](const ArrayArgs& a) { return fold(a, min_of); };
  min.errors.clear();
  return std::vector<OpCase>{amax, amin, max, min};
});

// Two results: the harness takes the floating one for gradients.
TAPER_OP_CASES(with_positions, {
  OpCase max = reduction("max_dim", {}, {}, max_of, false);
  max.dtypes = {kFloat, kDouble, kHalf, kBFloat16, kLong, kInt, kByte, kBool};
  max.gradient_samples = [] { return distinct_samples(false); };
  max.call = [](const Args& a) {
    auto [v, i] = a.t[0].max(a.i[0], a.i[1] != 0);
    return Results{v, i};
  };
  max.reference = [](const ArrayArgs& a) { return Arrays{fold(a, max_of), fold(a, first_max)}; };
  OpCase min = max;
  min.name = "min_dim";
  min.call = [](const Args& a) {
    auto [v, i] = a.t[0].min(a.i[0], a.i[1] != 0);
    return Results{v, i};
  };
  min.reference = [](const ArrayArgs& a) { return Arrays{fold(a, min_of), fold(a, first_min)}; };
  return std::vector<OpCase>{max, min};
});

TAPER_OP_CASES(moments, {
  OpCase var = reduction(
      "var", [](const Tensor& x) { return x.var(); },
      [](const Tensor& x, int64_t d, bool k) { return x.var(d, true, k); }, var_of, false);
  var.errors = {error<Error>("std and var only support floating point and complex dtypes",
                             [] { to_tensor(Array({2}), kLong).var(); })};
  OpCase deviation = reduction(
      "std", [](const Tensor& x) { return x.std(); },
      [](const Tensor& x, int64_t d, bool k) { return x.std(d, true, k); },
      [](const Values& v) { return std::sqrt(var_of(v)); }, false);
  deviation.gradient_samples = [] {
    std::vector<Args> list;  // of one element there is no deviation
    for (Args& a : reduction_samples(kDouble, {}, false, true))
      if (a.t[0].dim() > 0 && a.t[0].numel() > 1 && (a.i[0] == kAll || a.t[0].size(a.i[0]) > 1))
        list.push_back(std::move(a));
    return list;
  };
  var.gradient_samples = deviation.gradient_samples;
  OpCase both = var;
  both.name = "var_mean";
  both.errors.clear();
  both.call = [](const Args& a) {
    auto [v, m] = a.i[0] == kAll ? var_mean(a.t[0]) : var_mean(a.t[0], a.i[0], true, a.i[1] != 0);
    return Results{v, m};
  };
  both.reference = [](const ArrayArgs& a) { return Arrays{fold(a, var_of), fold(a, mean_of)}; };
  return std::vector<OpCase>{var, deviation, both};
});

OpCase norm_case(std::string name, double p, Fold f) {
  return reduction(
      std::move(name), [p](const Tensor& x) { return x.norm(p); },
      [p](const Tensor& x, int64_t d, bool k) { return x.norm(p, {d}, k); }, std::move(f), false);
}

TAPER_OP_CASES(norms, {
  auto p_norm = [](double p) {
    return [p](const Values& v) {
      double s = 0;
      for (double x : v) s += std::pow(std::abs(x), p);
      return std::pow(s, 1 / p);
    };
  };
  OpCase two = norm_case("norm", 2, p_norm(2));
  two.errors = {error<Error>(
      "norm(): input dtype should be either floating point or complex. Got Long instead.",
      [] { to_tensor(Array({2}), kLong).norm(); })};
  OpCase largest = norm_case("norm_inf", INFINITY, [](const Values& v) {
    double m = 0;
    for (double x : v) m = std::max(m, std::abs(x));
    return m;
  });
  OpCase logsumexp = reduction(
      "logsumexp", [](const Tensor& x) { return x.logsumexp(IntArrayRef()); },
      [](const Tensor& x, int64_t d, bool k) { return x.logsumexp(d, k); },
      [](const Values& v) {
        double s = 0;
        for (double x : v) s += std::exp(x);
        return std::log(s);
      },
      false);
  return std::vector<OpCase>{two, norm_case("norm_1", 1, p_norm(1)),
                             norm_case("norm_3", 3, p_norm(3)), largest, logsumexp};
});

TAPER_OP_CASES(medians, {
  auto middle = [](Values v) {
    std::sort(v.begin(), v.end());
    return v[(v.size() - 1) / 2];
  };
  OpCase med = reduction(
      "median", [](const Tensor& x) { return taper::median(x); },
      [](const Tensor& x, int64_t d, bool k) { return std::get<0>(taper::median(x, d, k)); },
      [middle](const Values& v) { return middle(v); }, false);
  med.gradient_samples = [] { return distinct_samples(true); };
  return std::vector<OpCase>{med};
});

// The reduced dimension has an element, the kept one has none: nothing may be read.
TEST(Reduce, NoResultsReadNothing) {
  const Tensor x = detail::make_tensor({0, 1}, kFloat, kCPU);
  EXPECT_EQ(x.sum(1).numel(), 0);
  EXPECT_EQ(x.gt(0).any(1).numel(), 0);
  EXPECT_EQ(std::get<0>(x.max(1)).numel(), 0);
  EXPECT_EQ(x.argmax(1).numel(), 0);
  EXPECT_EQ(x.var(1).numel(), 0);
}

TEST(Reduce, EmptyGivesTheNeutralElement) {
  const Tensor x = to_tensor(Array({0, 3}), kFloat);
  EXPECT_EQ(x.sum().item<float>(), 0);
  EXPECT_EQ(x.prod().item<float>(), 1);
  EXPECT_TRUE(std::isnan(x.mean().item<float>()));
  EXPECT_TRUE(std::isnan(x.var().item<float>()));
  EXPECT_FALSE(x.any().item<bool>());
  EXPECT_TRUE(x.all().item<bool>());
  EXPECT_EQ(x.sum(0).sizes().vec(), std::vector<int64_t>({3}));
  EXPECT_EQ(x.amax(1).sizes().vec(), std::vector<int64_t>({0}));
}

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

TEST(Reduce, InfinityIsFound) {
  const Tensor x = values({-INFINITY, -INFINITY});
  EXPECT_EQ(x.max().item<float>(), -INFINITY);
  EXPECT_EQ(x.argmax().item<int64_t>(), 0);
  EXPECT_EQ(x.logsumexp(0).item<float>(), -INFINITY);
}

TEST(Reduce, FloatSumsAreAccurate) {
  // One part in ten million would be lost thousands of times over by adding one after the other.
  const Tensor x = detail::make_tensor({1 << 22}, kFloat, Device()).fill_(0.1f);
  const double want = static_cast<double>(0.1f) * (1 << 22);
  EXPECT_NEAR(x.sum().item<double>() / want, 1, 3e-7);
  EXPECT_NEAR(x.view({1 << 20, 4}).sum(0)[1].item<double>() / want * 4, 1, 3e-7);
}

TEST(Reduce, VarianceDoesNotCancel) {
  const Tensor x = values({1e6, 1e6 + 1, 1e6 + 2});
  EXPECT_NEAR(x.var().item<float>(), 1, 1e-6);
  EXPECT_NEAR(x.reshape({3, 1}).expand({3, 5}).var({0}, true)[4].item<float>(), 1, 1e-6);
}

TEST(Reduce, ThreadsDoNotChangeResults) {
  Random random(3);
  const Tensor x = random_tensor({700, 1000}, kFloat, {}, random);
  const int before = get_num_threads();
  auto all = [&] {
    return std::vector<Tensor>{x.sum(), x.sum(0), x.sum(1), x.var(), x.argmax(), x.norm()};
  };
  set_num_threads(1);
  const std::vector<Tensor> one = all();
  set_num_threads(3);
  const std::vector<Tensor> three = all();
  set_num_threads(before);
  for (size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(one[i].equal(three[i])) << i;
}

TEST(Reduce, DtypeArgumentConvertsFirst) {
  const Tensor x = values({1.5, 2.5});
  EXPECT_EQ(x.sum(kLong).item<int64_t>(), 3);
  EXPECT_EQ(x.sum(kDouble).scalar_type(), kDouble);
  EXPECT_EQ(values({1, 2}, kLong).mean(kFloat).item<float>(), 1.5f);
  EXPECT_EQ(values({200, 100}, kByte).sum().item<int64_t>(), 300);
}

TEST(Reduce, TiesShareTheGradient) {
  const Tensor x = values({1, 3, 3}).set_requires_grad(true);
  x.amax(0).backward();
  EXPECT_TRUE(x.grad().equal(values({0, 0.5, 0.5})));
  x.mutable_grad() = Tensor();
  std::get<0>(x.max(0)).backward();
  EXPECT_TRUE(x.grad().equal(values({0, 1, 0})));
}

TEST(Reduce, ProductWithZeros) {
  const Tensor x = values({2, 0, 5}).set_requires_grad(true);
  x.prod().backward();
  EXPECT_TRUE(x.grad().equal(values({0, 10, 0})));
}

TEST(Reduce, SumToABroadcastShape) {
  const Tensor g = values({1, 2, 3, 4, 5, 6}).reshape({2, 3});
  EXPECT_TRUE(sum_to(g, {2, 3}).is_same(g));
  EXPECT_TRUE(sum_to(g, {3}).equal(values({5, 7, 9})));
  EXPECT_TRUE(sum_to(g, {2, 1}).equal(values({6, 15}).reshape({2, 1})));
  EXPECT_EQ(sum_to(g, {}).item<float>(), 21);
  EXPECT_TRUE(sum_to(g.t(), {3, 1}).equal(values({5, 7, 9}).reshape({3, 1})));
  try {
    g.sum_to_size({4});
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "size {[4]} is not expandable to size {[2, 3]}.");
  }
}

TEST(Reduce, NamesOfNodes) {
  const Tensor x = values({1, 2}).set_requires_grad(true);
  EXPECT_EQ(x.sum().grad_fn()->name(), "SumBackward0");
  EXPECT_EQ(x.sum(0).grad_fn()->name(), "SumBackward1");
  EXPECT_EQ(x.max().grad_fn()->name(), "MaxBackward1");
  EXPECT_EQ(std::get<0>(x.max(0)).grad_fn()->name(), "MaxBackward0");
  EXPECT_FALSE(std::get<1>(x.max(0)).requires_grad());
}

TEST(Compare, EqualAndClose) {
  const Tensor a = values({1, 2, INFINITY}), b = values({1, 2 + 1e-5, INFINITY});
  EXPECT_FALSE(a.equal(b));
  EXPECT_TRUE(a.equal(a.to(kDouble)));
  EXPECT_FALSE(a.equal(a.reshape({1, 3})));
  EXPECT_TRUE(a.allclose(b));
  EXPECT_FALSE(a.allclose(b, 0, 1e-8));
  EXPECT_FALSE(values({NAN}).allclose(values({NAN})));
  EXPECT_TRUE(values({NAN}).allclose(values({NAN}), 1e-5, 1e-8, true));
  EXPECT_FALSE(values({INFINITY}).allclose(values({-INFINITY})));
  EXPECT_THROW(a.allclose(a.to(kDouble)), Error);
}

}  // namespace
}  // namespace taper::testing
