// Cases of the reductions. The numbers of a case are the dimensions that go, then keepdim; without
// dimensions the form of the op that reduces all of them is called.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <taper/ops/reduce/reduce_sum.h>

#include "harness/samples.h"

namespace torch::taper::testing {

using Values = std::vector<double>;
using Ints = std::vector<int64_t>;
using Fold = std::function<double(const Values&)>;

inline const std::vector<ScalarType> kFloatingDtypes = {kFloat, kDouble, kHalf, kBFloat16};
inline const std::vector<ScalarType> kAllDtypes = {kFloat, kDouble, kHalf, kBFloat16, kLong,
                                                   kInt,   kShort,  kByte, kBool};
inline Ints dims_of(const Ints& ints) { return {ints.begin(), ints.end() - 1}; }
inline bool keep_of(const Ints& ints) { return ints.back() != 0; }

/// Applies `f` to the values that meet in each element of the result, in index order.
inline Array fold(const ArrayArgs& a, const Fold& f) {
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

inline double sum_of(const Values& v) { return std::accumulate(v.begin(), v.end(), 0.0); }
inline double mean_of(const Values& v) { return sum_of(v) / static_cast<double>(v.size()); }
inline double prod_of(const Values& v) {
  return std::accumulate(v.begin(), v.end(), 1.0, [](double a, double b) { return a * b; });
}
inline double squared_deviation(const Values& v) {
  const double m = mean_of(v);
  double s = 0;
  for (double x : v) s += (x - m) * (x - m);
  return s;
}
inline double biased_var_of(const Values& v) {
  return squared_deviation(v) / static_cast<double>(v.size());
}
inline double var_of(const Values& v) {
  return squared_deviation(v) / (static_cast<double>(v.size()) - 1);
}
inline double std_of(const Values& v) { return std::sqrt(var_of(v)); }
inline double max_of(const Values& v) { return *std::max_element(v.begin(), v.end()); }
inline double min_of(const Values& v) { return *std::min_element(v.begin(), v.end()); }
inline double first_max(const Values& v) {
  return static_cast<double>(std::max_element(v.begin(), v.end()) - v.begin());
}
inline double first_min(const Values& v) {
  return static_cast<double>(std::min_element(v.begin(), v.end()) - v.begin());
}
inline double logsumexp_of(const Values& v) {
  double s = 0;
  for (double x : v) s += std::exp(x);
  return std::log(s);
}
inline Fold norm_of(double p) {
  return [p](const Values& v) {
    double s = 0;
    for (double x : v) s += std::pow(std::abs(x), p);
    return std::pow(s, 1 / p);
  };
}
inline double largest_magnitude(const Values& v) {
  double m = 0;
  for (double x : v) m = std::max(m, std::abs(x));
  return m;
}
inline double median_of(Values v) {
  std::sort(v.begin(), v.end());
  return v[(v.size() - 1) / 2];
}
inline double nonzeros_of(const Values& v) {
  return static_cast<double>(v.size()) - static_cast<double>(std::count(v.begin(), v.end(), 0.0));
}
inline double any_of(const Values& v) { return nonzeros_of(v) > 0; }
inline double all_of(const Values& v) { return nonzeros_of(v) == static_cast<double>(v.size()); }
/// What an op can do, and its values.
struct Domain {
  Range range = {};
  /// May there be nothing to reduce; is there a form for all dimensions, for a list of them?
  bool of_nothing = true, all = true, list = true;
};
inline Domain of_something() { return {{}, false}; }
inline Domain along_one(Range range = {}) { return {range, false, false, false}; }

/// Shapes and the dimensions that go, with keepdim behind.
inline std::vector<std::pair<Ints, Ints>> settings(ScalarType dtype, const Domain& domain) {
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
inline bool reduces(const Ints& shape, const Ints& ints, int64_t least) {
  const Ints dims = dims_of(ints);
  if (dims.empty() || shape.empty()) return numel_of(shape) >= least;
  int64_t count = 1;
  for (int64_t d : dims) count *= shape[d < 0 ? d + static_cast<int64_t>(shape.size()) : d];
  return count >= least;
}

inline std::vector<Args> samples(ScalarType dtype, const Domain& domain) {
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
inline std::vector<Args> distinct_samples(const Domain& domain) {
  std::vector<Args> list =
      only(samples(kDouble, domain), [](const Args& a) { return a.t[0].numel() <= 300; });
  for (Args& a : list)
    for (int64_t i = 0; i < a.t[0].numel(); ++i)
      set_element(a.t[0], i, get_element(a.t[0], i) + 1e-3 * static_cast<double>(i));
  return list;
}
using All = std::function<Tensor(const Tensor&)>;
using Along = std::function<Tensor(const Tensor&, IntArrayRef dims, bool keepdim)>;

inline OpCase reduction(std::string name, All all, Along along, Fold f, Domain domain = {}) {
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

inline OpCase looser(OpCase c, double tolerance) {
  c.tolerance = tolerance;
  return c;
}

}  // namespace torch::taper::testing
