// Cases of the statistics: what is taken of rows, and counts, from their definitions.
#include <taper/ops/reduce/statistics.h>

#include <algorithm>
#include <cmath>
#include <map>

#include <taper/ops/reduce/covariance.h>
#include <taper/ops/reduce/histogram.h>
#include <taper/ops/reduce/reduce_median.h>
#include <taper/ops/reduce/reduce_minmax.h>
#include <taper/ops/reduce/reduce_norm.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/reduce/search.h>
#include <taper/ops/reduce/sort.h>
#include <taper/ops/reduce/trapezoid.h>

#include "test_util.h"

namespace taper::testing {
namespace {

using Values = std::vector<double>;

// ---------------------------------------------------------------------- along a dimension
/// `results` numbers of each row along dimension a.i[0], which goes.
Arrays of_rows(const ArrayArgs& a, size_t results, Values (*f)(const Values&)) {
  const Array& x = a.t[0];
  const auto dim = static_cast<size_t>(a.i[0] < 0 ? a.i[0] + x.dim() : a.i[0]);
  std::vector<int64_t> sizes = x.sizes;
  sizes.erase(sizes.begin() + static_cast<int64_t>(dim));
  Arrays y;
  for (size_t i = 0; i < results; ++i) y.emplace_back(sizes);
  int64_t at = 0;
  for_each_index(sizes, [&](std::vector<int64_t> index) {
    index.insert(index.begin() + static_cast<int64_t>(dim), 0);
    Values row;
    for (index[dim] = 0; index[dim] < x.sizes[dim]; ++index[dim]) row.push_back(x.at(index));
    const Values numbers = f(row);
    for (size_t i = 0; i < results; ++i) y[i].v[static_cast<size_t>(at)] = numbers[i];
    ++at;
  });
  return y;
}
std::vector<Args> rows(ScalarType t, Range range = {}) {
  return {sample_of({{7}}, t, range, {0}), sample_of({{3, 5}}, t, range, {1}),
          sample_of({{4, 2, 3}}, t, range, {0}), sample_of({{2, 33}}, t, range, {-1}),
          sample_of({{3, 1}}, t, range, {1})};
}
/// The same with NaNs among the elements of each row, none of nothing else.
std::vector<Args> rows_with_nans(ScalarType t) {
  std::vector<Args> list = rows(t);
  list.pop_back();
  for (Args& a : list)
    for (int64_t i = 2; i < a.t[0].numel(); i += 5) set_element(a.t[0], i, NAN);
  return list;
}
OpCase row_case(std::string name, size_t results, std::function<Results(const Args&)> call,
                Values (*f)(const Values&)) {
  OpCase c;
  c.name = std::move(name);
  c.samples = [](ScalarType t) { return rows(t); };
  c.call = std::move(call);
  c.reference = [results, f](const ArrayArgs& a) { return of_rows(a, results, f); };
  c.tolerance = 8;
  return c;
}
template <class... T>
Results all_of(const std::tuple<T...>& t) {
  return std::apply([](const auto&... x) { return Results{x...}; }, t);
}
Values numbers_of(const Values& row) {
  Values y;
  for (double v : row)
    if (!std::isnan(v)) y.push_back(v);
  return y;
}
double mean_of(const Values& row) {
  double s = 0;
  for (double v : row) s += v;
  return s / static_cast<double>(row.size());
}
double place_of(const Values& row, double v) {
  return static_cast<double>(std::find(row.begin(), row.end(), v) - row.begin());
}
double deviation_of(const Values& row) {
  double s = 0;
  for (double v : row) s += (v - mean_of(row)) * (v - mean_of(row));
  return std::sqrt(s / static_cast<double>(row.size()));
}

TAPER_OP_CASES(chosen, {
  OpCase second = row_case(
      "kthvalue", 2, [](const Args& a) { return all_of(kthvalue(a.t[0], 1, a.i[0])); },
      [](const Values& row) {
        const double v = *std::min_element(row.begin(), row.end());
        return Values{v, place_of(row, v)};
      });
  second.errors = {error<Error>("kthvalue(): selected number k out of range for dimension 0",
                                [] { kthvalue(numbers({3}), 4); })};
  OpCase frequent = row_case(
      "mode", 2, [](const Args& a) { return all_of(taper::mode(a.t[0], a.i[0])); },
      [](const Values& row) {
        std::map<double, int> counts;
        for (double v : row) ++counts[v];
        double best = row[0];
        int most = 0;
        for (const auto& [v, n] : counts)
          if (n > most) best = v, most = n;
        double last = 0;
        for (size_t i = 0; i < row.size(); ++i)
          if (row[i] == best) last = static_cast<double>(i);
        return Values{best, last};
      });
  frequent.dtypes = {kFloat, kDouble, kLong, kByte};
  frequent.gradient_samples = [] { return rows(kDouble); };
  OpCase ends = row_case(
      "aminmax", 2, [](const Args& a) { return all_of(aminmax(a.t[0], a.i[0])); },
      [](const Values& row) {
        return Values{*std::min_element(row.begin(), row.end()),
                      *std::max_element(row.begin(), row.end())};
      });
  ends.errors = {error<IndexError>("aminmax(): Expected reduction dim 0 to have non-zero size.",
                                   [] { aminmax(numbers({0}), 0); })};
  return std::vector<OpCase>{second, frequent, ends};
});

TAPER_OP_CASES(of_numbers_only, {
  OpCase mean = row_case(
      "nanmean", 1, [](const Args& a) { return nanmean(a.t[0], IntArrayRef(a.i[0])); },
      [](const Values& row) { return Values{mean_of(numbers_of(row))}; });
  OpCase median = row_case(
      "nanmedian", 2, [](const Args& a) { return all_of(nanmedian(a.t[0], a.i[0])); },
      [](const Values& row) {
        Values v = numbers_of(row);
        std::sort(v.begin(), v.end());
        const double middle = v[(v.size() - 1) / 2];
        return Values{middle, place_of(row, middle)};
      });
  OpCase third = row_case(
      "nanquantile", 1, [](const Args& a) { return nanquantile(a.t[0], 0.3, a.i[0]); },
      [](const Values& row) {
        Values v = numbers_of(row);
        std::sort(v.begin(), v.end());
        const double rank = 0.3 * static_cast<double>(v.size() - 1);
        const auto low = static_cast<size_t>(rank);
        const double high = v[std::min(low + 1, v.size() - 1)];
        return Values{v[low] + (rank - std::floor(rank)) * (high - v[low])};
      });
  third.errors = {error<Error>("quantile() q must be in the range [0, 1] but got 2",
                               [] { nanquantile(numbers({3}), 2.0); })};
  std::vector<OpCase> list = {mean, median, third};
  for (OpCase& c : list) {
    c.samples = &rows_with_nans;
    c.gradient_samples = [] { return rows(kDouble); };
  }
  return list;
});

TAPER_OP_CASES(moments, {
  OpCase both = row_case(
      "std_mean", 2, [](const Args& a) { return all_of(std_mean(a.t[0], {a.i[0]}, false)); },
      [](const Values& row) {
        return Values{deviation_of(row), mean_of(row)};
      });
  // The deviation of one value has no derivative.
  both.gradient_samples = [] {
    std::vector<Args> list = rows(kDouble);
    list.pop_back();
    return list;
  };
  OpCase correlations;
  correlations.name = "corrcoef";
  correlations.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{3, 6}}, t), sample_of({{2, 3}}, t)};
  };
  correlations.call = [](const Args& a) { return corrcoef(a.t[0]); };
  correlations.reference = [](const ArrayArgs& a) {
    const Array& x = a.t[0];
    const int64_t m = x.sizes[0], n = x.sizes[1];
    const auto row = [&](int64_t r) {
      return Values(x.v.begin() + r * n, x.v.begin() + (r + 1) * n);
    };
    Array y({m, m});
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < m; ++j) {
        const Values p = row(i), q = row(j);
        double s = 0;
        for (size_t k = 0; k < p.size(); ++k) s += (p[k] - mean_of(p)) * (q[k] - mean_of(q));
        y.at({i, j}) = s / double(n) / deviation_of(p) / deviation_of(q);
      }
    return y;
  };
  correlations.tolerance = 8;
  return std::vector<OpCase>{both, correlations};
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

// ---------------------------------------------------------------------- counts and places
OpCase counting_case(std::string name, std::vector<ScalarType> dtypes,
                     std::function<std::vector<Args>(ScalarType)> samples,
                     std::function<Results(const Args&)> call,
                     std::function<Arrays(const ArrayArgs&)> reference) {
  OpCase c;
  c.name = std::move(name);
  c.dtypes = std::move(dtypes);
  c.samples = std::move(samples);
  c.call = std::move(call);
  c.reference = std::move(reference);
  c.differentiable = false;
  return c;
}

TAPER_OP_CASES(counts, {
  OpCase whole = counting_case(
      "bincount", {kLong, kInt, kByte},
      [](ScalarType t) {
        return std::vector<Args>{sample_of({{9}}, t, {0, 6}), sample_of({{70}}, t, {0, 3}),
                                 sample_of({{0}}, t, {0, 3})};
      },
      [](const Args& a) { return bincount(a.t[0], {}, 5); },
      [](const ArrayArgs& a) {
        int64_t n = 5;
        for (double v : a.t[0].v) n = std::max(n, int64_t(v) + 1);
        Array y({n});
        for (double v : a.t[0].v) ++y.v[static_cast<size_t>(v)];
        return y;
      });
  whole.result_dtype = [](ScalarType) { return kLong; };
  whole.errors = {error<Error>("bincount only supports 1-d non-negative integral inputs.",
                               [] {
                                 bincount(counting({2, 2}, kLong));
                               }),
                  error<Error>("bincount only supports 1-d non-negative integral inputs.",
                               [] { bincount(counting({2}, kLong, -1)); })};
  OpCase parts = counting_case(
      "histc", {kFloat, kDouble},
      [](ScalarType t) {
        return std::vector<Args>{sample_of({{9}}, t), sample_of({{7, 33}}, t)};
      },
      [](const Args& a) { return histc(a.t[0], 5, -2, 3); },
      [](const ArrayArgs& a) {
        Array y({5});
        for (double v : a.t[0].v)
          if (v >= -2 && v <= 3) ++y.v[std::min<size_t>(4, static_cast<size_t>(v + 2))];
        return y;
      });
  parts.errors = {error<Error>("bins must be > 0", [] { histc(numbers({3}), 0); })};
  return std::vector<OpCase>{whole, parts};
});

TAPER_OP_CASES(places, {
  const auto samples = [](ScalarType t) {
    std::vector<Args> list;
    for (const auto& sizes : {std::vector<int64_t>{9}, {2, 17}, {}})
      list.push_back({{std::get<0>(sample_of({{7}}, t, {-9, 9}).t[0].sort()),
                       sample_of({sizes}, t, {-9, 9}).t[0]}});
    return list;
  };
  // The first place whose boundary is not below the value (`right`: is above it).
  const auto reference = [](bool right) {
    return [right](const ArrayArgs& a) {
      Array y(a.t[1].sizes);
      for (size_t i = 0; i < y.v.size(); ++i)
        for (double b : a.t[0].v) y.v[i] += right ? b <= a.t[1].v[i] : b < a.t[1].v[i];
      return y;
    };
  };
  OpCase search = counting_case(
      "searchsorted", {kFloat, kDouble, kLong, kInt}, samples,
      [](const Args& a) { return searchsorted(a.t[0], a.t[1]); }, reference(false));
  search.errors = {
      error<Error>("torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 "
                   "dimensions of boundaries tensor and input value tensor must match",
                   [] {
                     searchsorted(numbers({2, 3}), numbers({3, 3}));
                   })};
  OpCase bucket = counting_case(
      "bucketize", {kFloat, kDouble, kLong, kInt}, samples,
      [](const Args& a) { return bucketize(a.t[1], a.t[0], false, true); }, reference(true));
  std::vector<OpCase> list = {search, bucket};
  for (OpCase& c : list) c.result_dtype = [](ScalarType) { return kLong; };
  return list;
});

}  // namespace
}  // namespace taper::testing
