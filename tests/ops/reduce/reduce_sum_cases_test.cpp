// Cases of the reductions. The numbers of a case are the dimensions that go, then keepdim; without
// dimensions the form of the op that reduces all of them is called.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <taper/ops/reduce/reduce_median.h>
#include <taper/ops/reduce/reduce_minmax.h>
#include <taper/ops/reduce/reduce_norm.h>
#include <taper/ops/reduce/reduce_sum.h>

#include "harness/pointwise.h"

namespace taper::testing {
namespace {

using Values = std::vector<double>;
using Ints = std::vector<int64_t>;
using Fold = std::function<double(const Values&)>;

const std::vector<ScalarType> kFloatingDtypes = {kFloat, kDouble, kHalf, kBFloat16};
const std::vector<ScalarType> kAllDtypes = {kFloat, kDouble, kHalf, kBFloat16, kLong,
                                            kInt,   kShort,  kByte, kBool};

// ---------------------------------------------------------------------- references
Ints dims_of(const Ints& ints) { return {ints.begin(), ints.end() - 1}; }
bool keep_of(const Ints& ints) { return ints.back() != 0; }

/// Applies `f` to the values that meet in each element of the result, in index order.
Array fold(const ArrayArgs& a, const Fold& f) {
  const Array& x = a.t[0];
  const int64_t rank = x.dim();
  const Ints dims = dims_of(a.i);
  const auto gone = [&](int64_t d) {
    return dims.empty() || std::any_of(dims.begin(), dims.end(), [&](int64_t given) {
             return given == d || given == d - rank;
           });
  };
  Ints kept, shape, steps(rank, 0);  // steps: from one group to the next, 0 within one
  for (int64_t d = 0; d < rank; ++d) {
    kept.push_back(gone(d) ? 1 : x.sizes[d]);
    if (!gone(d) || keep_of(a.i)) shape.push_back(kept.back());
  }
  for (int64_t d = rank, step = 1; d-- > 0; step *= kept[d])
    if (!gone(d)) steps[d] = step;
  Array y(kept);
  std::vector<Values> groups(y.v.size());
  int64_t i = 0;
  for_each_index(x.sizes, [&](const Ints& index) {
    groups[std::inner_product(index.begin(), index.end(), steps.begin(), int64_t{0})].push_back(
        x.v[i++]);
  });
  for (size_t i = 0; i < groups.size(); ++i) y.v[i] = f(groups[i]);
  y.sizes = shape;
  return y;
}

double sum_of(const Values& v) { return std::accumulate(v.begin(), v.end(), 0.0); }
double mean_of(const Values& v) { return sum_of(v) / static_cast<double>(v.size()); }
double prod_of(const Values& v) {
  return std::accumulate(v.begin(), v.end(), 1.0, [](double a, double b) { return a * b; });
}
double squared_deviation(const Values& v) {
  const double m = mean_of(v);
  double s = 0;
  for (double x : v) s += (x - m) * (x - m);
  return s;
}
double biased_var_of(const Values& v) {
  return squared_deviation(v) / static_cast<double>(v.size());
}
double var_of(const Values& v) {
  return squared_deviation(v) / (static_cast<double>(v.size()) - 1);
}
double std_of(const Values& v) { return std::sqrt(var_of(v)); }
double max_of(const Values& v) { return *std::max_element(v.begin(), v.end()); }
double min_of(const Values& v) { return *std::min_element(v.begin(), v.end()); }
double first_max(const Values& v) {
  return static_cast<double>(std::max_element(v.begin(), v.end()) - v.begin());
}
double first_min(const Values& v) {
  return static_cast<double>(std::min_element(v.begin(), v.end()) - v.begin());
}
double logsumexp_of(const Values& v) {
  double s = 0;
  for (double x : v) s += std::exp(x);
  return std::log(s);
}
Fold norm_of(double p) {
  return [p](const Values& v) {
    double s = 0;
    for (double x : v) s += std::pow(std::abs(x), p);
    return std::pow(s, 1 / p);
  };
}
double largest_magnitude(const Values& v) {
  double m = 0;
  for (double x : v) m = std::max(m, std::abs(x));
  return m;
}
double median_of(Values v) {
  std::sort(v.begin(), v.end());
  return v[(v.size() - 1) / 2];
}
double nonzeros_of(const Values& v) {
  return static_cast<double>(v.size()) - static_cast<double>(std::count(v.begin(), v.end(), 0.0));
}
double any_of(const Values& v) { return nonzeros_of(v) > 0; }
double all_of(const Values& v) { return nonzeros_of(v) == static_cast<double>(v.size()); }

// ---------------------------------------------------------------------- samples
/// What an op can do, and its values.
struct Domain {
  Range range = {};
  /// May there be nothing to reduce; is there a form for all dimensions, for a list of them?
  bool of_nothing = true, all = true, list = true;
};
Domain of_something() { return {{}, false}; }
Domain along_one(Range range = {}) { return {range, false, false, false}; }

/// Shapes and the dimensions that go, with keepdim behind.
std::vector<std::pair<Ints, Ints>> settings(ScalarType dtype, const Domain& domain) {
  std::vector<std::pair<Ints, Ints>> list;
  for (const Ints& shape : shapes_of_one(dtype)) {
    if (domain.all) list.push_back({shape, {0}});
    for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d)
      list.push_back({shape, {d, d % 2}});
  }
  for (const auto& more : std::vector<std::pair<Ints, Ints>>{{{}, {-1, 0}},
                                                             {{130, 9}, {0, 0}},
                                                             {{9, 70}, {-1, 1}},
                                                             {{3, 5, 7}, {-2, 0}},
                                                             {{2, 1100, 3}, {1, 0}},
                                                             {{3, 4}, {0, 0}},
                                                             {{3, 4}, {1, 1}},
                                                             {{2, 3, 4}, {1, 0}},
                                                             {{2, 3, 4}, {-1, 1}},
                                                             {{33, 7}, {0, 0}},
                                                             {{3, 33}, {1, 0}},
                                                             {{2, 1025}, {-1, 0}},
                                                             {{1025, 2}, {0, 0}},
                                                             {{3, 1, 2}, {1, 1}},
                                                             {{3, 0}, {0, 0}},
                                                             {{0, 3}, {0, 0}}})
    list.push_back(more);
  if (domain.list)
    for (const Ints& dims : {Ints{0, 2, 0}, Ints{-1, 1, 1}}) {
      list.push_back({{2, 3, 4}, dims});
      list.push_back({{2, 3, 4, 5}, dims});
    }
  if (dtype == kFloat)  // enough for several threads
    for (const auto& more : std::vector<std::pair<Ints, Ints>>{
             {{300, 1300}, {0, 0}}, {{300, 1300}, {1, 0}}, {{20, 90, 40}, {1, 1}}})
      list.push_back(more);
  return list;
}

/// Whether every element of the result is made of at least `least` values.
bool reduces(const Ints& shape, const Ints& ints, int64_t least) {
  const Ints dims = dims_of(ints);
  if (dims.empty() || shape.empty()) return numel_of(shape) >= least;
  int64_t count = 1;
  for (int64_t d : dims) count *= shape[d < 0 ? d + static_cast<int64_t>(shape.size()) : d];
  return count >= least;
}

std::vector<Args> samples(ScalarType dtype, const Domain& domain) {
  Random random(11);
  std::vector<Args> list;
  for (const auto& [shape, ints] : settings(dtype, domain))
    if (domain.of_nothing || reduces(shape, ints, 1))
      list.push_back({{random_tensor(shape, dtype, domain.range, random)}, ints});
  return list;
}

/// The samples for which `condition` holds.
template <class Condition>
std::vector<Args> only(std::vector<Args> list, const Condition& condition) {
  list.erase(std::remove_if(list.begin(), list.end(), [&](const Args& a) { return !condition(a); }),
             list.end());
  return list;
}

/// Inputs without equal elements, for functions that choose one.
std::vector<Args> distinct_samples(const Domain& domain) {
  std::vector<Args> list =
      only(samples(kDouble, domain), [](const Args& a) { return a.t[0].numel() <= 300; });
  for (Args& a : list)
    for (int64_t i = 0; i < a.t[0].numel(); ++i)
      set_element(a.t[0], i, get_element(a.t[0], i) + 1e-3 * static_cast<double>(i));
  return list;
}

// ---------------------------------------------------------------------- cases
using All = std::function<Tensor(const Tensor&)>;
using Along = std::function<Tensor(const Tensor&, IntArrayRef dims, bool keepdim)>;

OpCase reduction(std::string name, All all, Along along, Fold f, Domain domain = {}) {
  OpCase c;
  c.name = std::move(name);
  c.dtypes = kFloatingDtypes;
  c.samples = [domain](ScalarType t) { return samples(t, domain); };
  c.call = [all, along](const Args& a) {
    const Ints dims = dims_of(a.i);
    return dims.empty() ? all(a.t[0]) : along(a.t[0], dims, keep_of(a.i));
  };
  c.reference = [f](const ArrayArgs& a) { return fold(a, f); };
  return c;
}

/// The form that writes into `out`; no dimensions for all.
template <class Into>
void add_out(OpCase& c, const Into& into) {
  c.out = [into](Tensor& out, const Args& a) -> Tensor {
    return into(out, a.t[0], dims_of(a.i), keep_of(a.i));
  };
}

OpCase looser(OpCase c, double tolerance) {
  c.tolerance = tolerance;
  return c;
}

TAPER_OP_CASES(sums, {
  OpCase sum =
      looser(reduction(
                 "sum", [](const Tensor& x) { return x.sum(); },
                 [](const Tensor& x, IntArrayRef d, bool k) { return x.sum(d, k); }, sum_of),
             4);
  sum.dtypes = kAllDtypes;
  sum.result_dtype = [](ScalarType t) { return isFloatingType(t) ? t : kLong; };
  sum.out = [](Tensor& out, const Args& a) {
    const Ints dims = dims_of(a.i);
    return dims.empty() ? sum_out(out, a.t[0], OptionalIntArrayRef(), false)
                        : sum_out(out, a.t[0], IntArrayRef(dims), keep_of(a.i));
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
      [](const Tensor& x, IntArrayRef d, bool k) { return x.mean(d, k); }, mean_of);
  add_out(mean, [](Tensor& out, const Tensor& x, const Ints& d, bool k) {
    return mean_out(out, x, d.empty() ? OptionalIntArrayRef() : IntArrayRef(d), k);
  });
  // The mean of nothing is NaN, of which a gradient says nothing.
  mean.gradient_samples = [] { return samples(kDouble, of_something()); };
  mean.errors = {error<Error>(
      "mean(): could not infer output dtype. Input dtype must be either a floating point or "
      "complex dtype. Got: Long",
      [] { to_tensor(Array({2}), kLong).mean(); })};

  OpCase nans = looser(
      reduction(
          "nansum", [](const Tensor& x) { return taper::nansum(x); },
          [](const Tensor& x, IntArrayRef d, bool k) { return taper::nansum(x, d, k); }, sum_of),
      4);
  return std::vector<OpCase>{sum, mean, nans};
});

TAPER_OP_CASES(products, {
  OpCase prod =
      looser(reduction(
                 "prod", [](const Tensor& x) { return x.prod(); },
                 [](const Tensor& x, IntArrayRef d, bool k) { return x.prod(d[0], k); }, prod_of),
             8);
  // The more factors, the nearer to 1 they are: neither overflow nor zero.
  prod.samples = [](ScalarType t) {
    std::vector<Args> list = only(samples(t, {{0.7, 1.3}, true, true, false}),
                                  [](const Args& a) { return a.t[0].numel() < 400; });
    for (Args& a : only(samples(t, {{0.9, 1.1}, true, true, false}), [](const Args& a) {
           return a.t[0].numel() >= 400 && a.t[0].numel() < 7000;
         }))
      list.push_back(std::move(a));
    for (Args& a : only(samples(t, {{0.999, 1.001}, true, true, false}),
                        [](const Args& a) { return a.t[0].numel() >= 7000; }))
      list.push_back(std::move(a));
    return list;
  };
  // Zeros: none, one, two and three in what is multiplied.
  prod.gradient_samples = [all = prod.samples] {
    std::vector<Args> list = all(kDouble);
    for (size_t i = 0; i < list.size(); ++i) {
      const Tensor& x = list[i].t[0];
      for (int64_t k = 0; k < std::min<int64_t>(x.numel(), static_cast<int64_t>(i) % 4); ++k)
        set_element(x, (5 * k) % x.numel(), 0);
    }
    return list;
  };
  return std::vector<OpCase>{prod};
});

/// The same over zeros and others.
OpCase of_truths(OpCase c, std::function<ScalarType(ScalarType)> result) {
  c.dtypes = kAllDtypes;
  c.differentiable = false;
  c.result_dtype = std::move(result);
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (const Range& range : {Range{0, 1}, Range{-2, 2}})
      for (Args& a : samples(kLong, {range, true, true, false})) {
        a.t[0] = to_tensor(to_array(a.t[0]), t);
        list.push_back(std::move(a));
      }
    return list;
  };
  return c;
}

TAPER_OP_CASES(truths, {
  const auto truth = [](ScalarType t) { return t == kByte ? kByte : kBool; };
  const auto count = [](ScalarType) { return kLong; };
  std::vector<OpCase> list = {
      of_truths(reduction(
                    "any", [](const Tensor& x) { return x.any(); },
                    [](const Tensor& x, IntArrayRef d, bool k) { return x.any(d[0], k); }, any_of),
                truth),
      of_truths(reduction(
                    "all", [](const Tensor& x) { return x.all(); },
                    [](const Tensor& x, IntArrayRef d, bool k) { return x.all(d[0], k); }, all_of),
                truth),
      of_truths(reduction(
                    "count_nonzero", [](const Tensor& x) { return x.count_nonzero(); },
                    [](const Tensor& x, IntArrayRef d, bool k) {
                      const Tensor y = x.count_nonzero(d[0]);
                      return k && x.dim() > 0 ? y.unsqueeze(d[0]) : y;
                    },
                    nonzeros_of),
                count),
  };
  add_out(case_in(list, "any"), [](Tensor& out, const Tensor& x, const Ints& d, bool k) {
    return d.empty() ? any_out(out, x) : any_out(out, x, d[0], k);
  });
  add_out(case_in(list, "all"), [](Tensor& out, const Tensor& x, const Ints& d, bool k) {
    return d.empty() ? all_out(out, x) : all_out(out, x, d[0], k);
  });
  return list;
});

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

TAPER_OP_CASES(medians, {
  const Domain domain{{}, false, true, false};
  OpCase median = reduction(
      "median", [](const Tensor& x) { return taper::median(x); },
      [](const Tensor& x, IntArrayRef d, bool k) { return std::get<0>(taper::median(x, d[0], k)); },
      median_of, domain);
  median.gradient_samples = [domain] { return distinct_samples(domain); };
  return std::vector<OpCase>{median};
});

}  // namespace
}  // namespace taper::testing
