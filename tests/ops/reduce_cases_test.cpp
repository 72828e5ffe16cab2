// Cases of the reductions.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <taper/framework/tensor.h>

#include "harness/pointwise.h"

namespace taper::testing {
namespace {

using Values = std::vector<double>;
using Reduction = double (*)(const Values&);

/// The values along `dims` (all of them where empty), reduced; keepdim as in the op.
Array reduce(const Array& x, std::vector<int64_t> dims, bool keepdim, Reduction f) {
  for (int64_t& d : dims) d = d < 0 ? d + x.dim() : d;
  const auto gone = [&](int64_t d) {
    return dims.empty() || std::find(dims.begin(), dims.end(), d) != dims.end();
  };
  std::vector<int64_t> kept, dropped;
  for (int64_t d = 0; d < x.dim(); ++d) {
    kept.push_back(gone(d) ? 1 : x.size(d));
    if (!gone(d)) dropped.push_back(x.size(d));
  }
  Array y(kept);
  for_each_index(kept, [&](const std::vector<int64_t>& at) {
    Values values;
    for_each_index(x.sizes, [&](const std::vector<int64_t>& index) {
      for (int64_t d = 0; d < x.dim(); ++d)
        if (!gone(d) && index[d] != at[d]) return;
      values.push_back(x.at(index));
    });
    y.at(at) = f(values);
  });
  if (!keepdim) y.sizes = dropped;
  return y;
}

double sum_of(const Values& v) { return std::accumulate(v.begin(), v.end(), 0.0); }
double mean_of(const Values& v) { return sum_of(v) / static_cast<double>(v.size()); }
double prod_of(const Values& v) {
  return std::accumulate(v.begin(), v.end(), 1.0, [](double a, double b) { return a * b; });
}
double deviation_of(const Values& v, double correction) {
  double squares = 0;
  for (double x : v) squares += (x - mean_of(v)) * (x - mean_of(v));
  return squares / (static_cast<double>(v.size()) - correction);
}
double max_of(const Values& v) { return *std::max_element(v.begin(), v.end()); }
double min_of(const Values& v) { return *std::min_element(v.begin(), v.end()); }
double norm_of(const Values& v) {
  double squares = 0;
  for (double x : v) squares += x * x;
  return std::sqrt(squares);
}
double logsumexp_of(const Values& v) {
  double s = 0;
  for (double x : v) s += std::exp(x);
  return std::log(s);
}

/// Whether the samples may have no elements to reduce.
enum class Empty { kAllowed, kNot };

std::vector<Args> whole_samples(ScalarType dtype, Range range, Empty empty) {
  std::vector<Args> list;
  for (const Args& a : samples_of_one(dtype, range))
    if (empty == Empty::kAllowed || a.t[0].numel() > 0) list.push_back(a);
  return list;
}

/// ints: the dimensions, then keepdim.
std::vector<Args> dim_samples(ScalarType dtype, Range range, Empty empty) {
  std::vector<Args> list = {
      sample_of({{5}}, dtype, range, {0, 0}),        sample_of({{3, 4}}, dtype, range, {0, 0}),
      sample_of({{3, 4}}, dtype, range, {1, 1}),     sample_of({{2, 3, 4}}, dtype, range, {1, 0}),
      sample_of({{2, 3, 4}}, dtype, range, {-1, 1}), sample_of({{33, 7}}, dtype, range, {0, 0}),
      sample_of({{3, 33}}, dtype, range, {1, 0}),    sample_of({{2, 1025}}, dtype, range, {-1, 0}),
      sample_of({{1025, 2}}, dtype, range, {0, 0}),  sample_of({{1}}, dtype, range, {0, 0}),
      sample_of({{0, 3}}, dtype, range, {1, 0}),     sample_of({{3, 1, 2}}, dtype, range, {1, 1})};
  if (empty == Empty::kAllowed) list.push_back(sample_of({{0, 3}}, dtype, range, {0, 0}));
  return list;
}

std::vector<Args> dims_samples(ScalarType dtype, Range range, Empty empty) {
  std::vector<Args> list = dim_samples(dtype, range, empty);
  list.push_back(sample_of({{2, 3, 4}}, dtype, range, {0, 2, 0}));
  list.push_back(sample_of({{2, 3, 4}}, dtype, range, {-1, 1, 1}));
  list.push_back(sample_of({{2, 3, 4, 5}}, dtype, range, {0, 2, 0}));
  return list;
}

std::vector<int64_t> dims_of(const std::vector<int64_t>& ints) {
  return {ints.begin(), ints.end() - 1};
}
bool keep_of(const std::vector<int64_t>& ints) { return ints.back() != 0; }

using Op = Tensor (*)(const Args&);

OpCase whole(const char* name, Op op, Reduction f, Empty empty = Empty::kAllowed,
             Range range = {}) {
  OpCase c;
  c.name = std::string(name) + "_all";
  c.covers = {name};
  c.samples = [=](ScalarType dtype) { return whole_samples(dtype, range, empty); };
  c.call = [op](const Args& a) { return op(a); };
  c.reference = [f](const ArrayArgs& a) { return reduce(a.t[0], {}, false, f); };
  return c;
}

OpCase along(const char* name, Op op, Reduction f, Empty empty = Empty::kAllowed, Range range = {},
             bool several = true) {
  OpCase c;
  c.name = std::string(name) + "_dim";
  c.samples = [=](ScalarType dtype) {
    return several ? dims_samples(dtype, range, empty) : dim_samples(dtype, range, empty);
  };
  c.call = [op](const Args& a) { return op(a); };
  c.reference = [f](const ArrayArgs& a) { return reduce(a.t[0], dims_of(a.i), keep_of(a.i), f); };
  return c;
}

OpCase with_integers(OpCase c) {
  c.dtypes = {kFloat, kDouble, kLong, kInt, kByte, kBFloat16, kHalf};
  c.result_dtype = [](ScalarType t) { return isFloatingType(t) ? t : kLong; };
  c.tolerance = 4;
  return c;
}

/// The mean of nothing is NaN, of which a gradient says nothing.
OpCase not_of_nothing(OpCase c) {
  const auto all = c.samples;
  c.gradient_samples = [all] {
    std::vector<Args> kept;
    for (const Args& a : all(kDouble))
      if (a.t[0].numel() > 0) kept.push_back(a);
    return kept;
  };
  return c;
}

OpCase looser(OpCase c, double tolerance = 8) {
  c.tolerance = tolerance;
  return c;
}

#define DIMS(a) dims_of(a.i)
#define KEEP(a) keep_of(a.i)

TAPER_OP_CASES(reduce_sums, {
  return std::vector<OpCase>{
      with_integers(whole(
          "sum", [](const Args& a) { return a.t[0].sum(); }, sum_of)),
      with_integers(along(
          "sum", [](const Args& a) { return a.t[0].sum(DIMS(a), KEEP(a)); }, sum_of)),
      not_of_nothing(whole(
          "mean", [](const Args& a) { return a.t[0].mean(); }, mean_of)),
      not_of_nothing(along(
          "mean", [](const Args& a) { return a.t[0].mean(DIMS(a), KEEP(a)); }, mean_of)),
      looser(along(
          "prod", [](const Args& a) { return a.t[0].prod(a.i[0], KEEP(a)); }, prod_of,
          Empty::kAllowed, {0.9, 1.1}, false)),
      looser(whole("prod", [](const Args& a) { return a.t[0].prod(); }, prod_of, Empty::kAllowed,
                   {0.999, 1.001})),
      looser(along(
          "logsumexp", [](const Args& a) { return a.t[0].logsumexp(DIMS(a), KEEP(a)); },
          logsumexp_of, Empty::kNot)),
  };
});

TAPER_OP_CASES(reduce_norms, {
  const auto var = [](const Values& v) { return deviation_of(v, 1); };
  const auto biased = [](const Values& v) { return deviation_of(v, 0); };
  const auto std_of = [](const Values& v) { return std::sqrt(deviation_of(v, 1)); };
  std::vector<OpCase> list = {
      looser(whole(
          "norm", [](const Args& a) { return a.t[0].norm(); }, norm_of, Empty::kNot)),
      looser(along(
          "norm", [](const Args& a) { return a.t[0].norm(2, DIMS(a), KEEP(a)); }, norm_of,
          Empty::kNot)),
      looser(whole(
          "var", [](const Args& a) { return a.t[0].var(); }, var, Empty::kNot)),
      looser(whole(
          "std", [](const Args& a) { return a.t[0].std(); }, std_of, Empty::kNot)),
      looser(along(
          "var", [](const Args& a) { return a.t[0].var(DIMS(a), false, KEEP(a)); }, biased,
          Empty::kNot)),
      looser(along(
          "std", [](const Args& a) { return a.t[0].std(DIMS(a), true, KEEP(a)); }, std_of,
          Empty::kNot)),
  };
  // One value has no deviation (NaN); a gradient there would say nothing.
  for (OpCase& c : list) {
    if (c.name.rfind("norm", 0) == 0) continue;
    const auto all = c.samples;
    c.samples = [all](ScalarType dtype) {
      std::vector<Args> kept;
      for (const Args& a : all(dtype)) {
        const bool along = !a.i.empty();
        const int64_t n = along && a.i.size() == 2 ? a.t[0].size(a.i[0]) : a.t[0].numel();
        if (n > 1) kept.push_back(a);
      }
      return kept;
    };
  }
  return list;
});

/// The first index of the largest or smallest value along a dimension.
Array arg_of(const Array& x, int64_t dim, bool keepdim, bool largest) {
  static bool want_largest;
  want_largest = largest;
  return reduce(x, {dim}, keepdim, [](const Values& v) {
    const auto at =
        want_largest ? std::max_element(v.begin(), v.end()) : std::min_element(v.begin(), v.end());
    return static_cast<double>(at - v.begin());
  });
}

OpCase extreme_with_index(const char* name, bool largest) {
  OpCase c;
  c.name = std::string(name) + "_dim_with_index";
  c.covers = {name};
  c.dtypes = {kFloat, kDouble, kBFloat16};
  c.samples = [](ScalarType dtype) { return dim_samples(dtype, {-1000, 1000}, Empty::kNot); };
  c.call = [largest](const Args& a) {
    const auto [v, i] = largest ? a.t[0].max(a.i[0], KEEP(a)) : a.t[0].min(a.i[0], KEEP(a));
    return Results{v, i};
  };
  c.reference = [largest](const ArrayArgs& a) {
    return Arrays{reduce(a.t[0], {a.i[0]}, KEEP(a), largest ? max_of : min_of),
                  arg_of(a.t[0], a.i[0], KEEP(a), largest)};
  };
  return c;
}

OpCase index_of_extreme(const char* name, bool largest) {
  OpCase c;
  c.name = name;
  c.dtypes = {kFloat, kDouble, kLong};
  c.samples = [](ScalarType dtype) {
    // Ties, among long rows too: the first counts.
    return dim_samples(dtype == kLong ? kLong : dtype, {-9, 9}, Empty::kNot);
  };
  c.call = [largest](const Args& a) {
    return largest ? a.t[0].argmax(a.i[0], KEEP(a)) : a.t[0].argmin(a.i[0], KEEP(a));
  };
  c.reference = [largest](const ArrayArgs& a) { return arg_of(a.t[0], a.i[0], KEEP(a), largest); };
  c.result_dtype = [](ScalarType) { return kLong; };
  c.differentiable = false;
  return c;
}

OpCase in_range(OpCase c) {
  c.dtypes = {kFloat, kDouble, kLong, kBFloat16};
  return c;
}

TAPER_OP_CASES(reduce_extremes, {
  const Range wide{-1000, 1000};
  return std::vector<OpCase>{
      in_range(whole(
          "max", [](const Args& a) { return a.t[0].max(); }, max_of, Empty::kNot)),
      in_range(whole(
          "min", [](const Args& a) { return a.t[0].min(); }, min_of, Empty::kNot)),
      in_range(along(
          "amax", [](const Args& a) { return a.t[0].amax(DIMS(a), KEEP(a)); }, max_of, Empty::kNot,
          wide)),
      in_range(along(
          "amin", [](const Args& a) { return a.t[0].amin(DIMS(a), KEEP(a)); }, min_of, Empty::kNot,
          wide)),
      extreme_with_index("max", true),
      extreme_with_index("min", false),
      index_of_extreme("argmax", true),
      index_of_extreme("argmin", false),
  };
});

OpCase truth(OpCase c) {
  c.dtypes = {kBool, kLong, kFloat};
  const auto any = c.samples;
  c.samples = [any](ScalarType dtype) {
    std::vector<Args> list = any(kLong);
    for (Args& a : list)
      for (Tensor& t : a.t) t = to_tensor(to_array(t), dtype);
    return list;
  };
  c.result_dtype = bool_result;
  c.differentiable = false;
  return c;
}

TAPER_OP_CASES(reduce_truth, {
  const auto any_of = [](const Values& v) {
    return std::any_of(v.begin(), v.end(), [](double x) { return x != 0; }) ? 1.0 : 0.0;
  };
  const auto all_of = [](const Values& v) {
    return std::all_of(v.begin(), v.end(), [](double x) { return x != 0; }) ? 1.0 : 0.0;
  };
  const Range bits{0, 1};
  return std::vector<OpCase>{
      truth(whole(
          "any", [](const Args& a) { return a.t[0].any(); }, any_of, Empty::kAllowed, bits)),
      truth(whole(
          "all", [](const Args& a) { return a.t[0].all(); }, all_of, Empty::kAllowed, bits)),
      truth(along(
          "any", [](const Args& a) { return a.t[0].any(a.i[0], KEEP(a)); }, any_of, Empty::kAllowed,
          bits, false)),
      truth(along(
          "all", [](const Args& a) { return a.t[0].all(a.i[0], KEEP(a)); }, all_of, Empty::kAllowed,
          bits, false)),
  };
});

}  // namespace
}  // namespace taper::testing
