// What is taken of rows, from its definition: quantiles, modes, and the same without NaNs.
#include <taper/ops/reduce/statistics.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/reduce/covariance.h>
#include <taper/ops/reduce/reduce_median.h>
#include <taper/ops/reduce/reduce_minmax.h>
#include <taper/ops/reduce/reduce_norm.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/reduce/sort.h>
#include <taper/ops/tensor/factory.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Values = std::vector<double>;

const double kNaN = std::nan("");

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

TAPER_OP_CASES(quantile_cases, {
  std::vector<OpCase> list;
  for (const std::string word : {"linear", "lower", "higher", "midpoint", "nearest"}) {
    OpCase c;
    c.name = "quantile_" + word;
    c.samples = [](ScalarType t) {
      return std::vector<Args>{sample_of({{3, 4}}, t, {}, {0}, {0.3}),
                               sample_of({{33}}, t, {}, {0}, {0.77}),
                               sample_of({{2, 7}}, t, {}, {1}, {1})};
    };
    c.call = [word](const Args& a) { return quantile(a.t[0], a.d[0], a.i[0], true, word); };
    c.reference = [word](const ArrayArgs& a) {
      const auto dim = static_cast<size_t>(a.i[0]);
      std::vector<int64_t> sizes = a.t[0].sizes;
      sizes[dim] = 1;
      Array y(sizes);
      for_each_index(sizes, [&](std::vector<int64_t> at) {
        double& to = y.at(at);
        std::vector<double> v;
        for (; at[dim] < a.t[0].sizes[dim]; ++at[dim]) v.push_back(a.t[0].at(at));
        std::sort(v.begin(), v.end());
        const double rank = a.d[0] * static_cast<double>(v.size() - 1);
        const double low = v[static_cast<size_t>(rank)],
                     high = v[static_cast<size_t>(std::ceil(rank))];
        to = word == "lower"      ? low
             : word == "higher"   ? high
             : word == "midpoint" ? (low + high) / 2
             : word == "nearest"  ? v[static_cast<size_t>(std::nearbyint(rank))]
                                  : low + (high - low) * (rank - std::floor(rank));
      });
      return y;
    };
    list.push_back(c);
  }
  case_in(list, "quantile_linear").errors = {
      error<Error>("quantile() q must be in the range [0, 1] but got 1.5",
                   [] { quantile(numbers({3}), 1.5); }),
      error<Error>("quantile() input tensor must be non-empty",
                   [] { quantile(numbers({0}), 0.5); }),
      error<IndexError>("Dimension out of range (expected to be in range of [-1, 0], but got 1)",
                        [] { quantile(numbers({}), 0.5, 1); }),
      error<Error>("quantile() input tensor must be either float or double dtype",
                   [] { quantile(counting({2}, kLong), 0.5); }),
      error<Error>("quantile() interpolation must be one of linear, lower, higher, midpoint or "
                   "nearest, but got x",
                   [] { quantile(numbers({2}), 0.5, nullopt, false, "x"); })};
  return list;
});

TEST(Quantile, SeveralAndNaN) {
  const Tensor x = tensor_of({2, 3}, {1, 5, 2, kNaN, 4, 3});
  EXPECT_EQ(quantile(x, values({0.5, 1}), 0).sizes().vec(), (std::vector<int64_t>{2, 3}));
  expect_values(nanquantile(x, values({0, 1}), 1), {2, 2}, {1, 3, 5, 4});
  EXPECT_TRUE(std::isnan(quantile(x, 0.5).item<double>()));
  expect_values(nanquantile(x, 0.5), {}, {3});
  expect_values(nanmean(x, 1), {2}, {8.0f / 3.0f, 3.5});
}

TEST(Mode, TakesTheSmallestOfTheMostFrequent) {
  const auto [v, i] = mode(tensor_of({2, 5}, {3, 1, 1, 2, 2, 2, 2, 3, 3, 3}));
  expect_values(v, {2}, {1, 3});
  expect_values(i, {2}, {2, 4});
  const Tensor x = values({1, 2, 2}).requires_grad_();
  std::get<0>(mode(x)).backward();
  expect_values(x.grad(), {3}, {0, 0, 1});
  expect_error<IndexError>("mode(): Expected reduction dim 1 to have non-zero size.", [] {
    mode(numbers({2, 0}));
  });
}

void expect_near(const Tensor& t, const std::vector<double>& expected, double tolerance = 1e-6) {
  const std::vector<double> got = values_of(t);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_TRUE(std::abs(got[i] - expected[i]) <= tolerance) << i << ": " << got[i];
}

OpCase cov_case() {
  OpCase c;
  c.name = "cov";
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{3, 5}}, t, {}, {1}), sample_of({{2, 33}}, t, {}, {0}),
                             sample_of({{4, 1}}, t, {}, {0})};
  };
  c.call = [](const Args& a) { return cov(a.t[0], a.i[0]); };
  c.reference = [](const ArrayArgs& a) {
    const Array& x = a.t[0];
    const int64_t D = x.sizes[0], N = x.sizes[1];
    Array y({D, D}), mean({D});
    for (int64_t d = 0; d < D; ++d)
      for (int64_t n = 0; n < N; ++n) mean.at({d}) += x.at({d, n}) / static_cast<double>(N);
    for_each_index(y.sizes, [&](const std::vector<int64_t>& i) {
      for (int64_t n = 0; n < N; ++n)
        y.at(i) += (x.at({i[0], n}) - mean.at({i[0]})) * (x.at({i[1], n}) - mean.at({i[1]})) /
                   static_cast<double>(N - a.i[0]);
    });
    return y;
  };
  c.errors = {error<Error>("expected input to have two or fewer dimensions",
                           [] {
                             cov(zeros({1, 2, 3}));
                           }),
              error<Error>("fweights cannot be negative",
                           [] {
                             cov(zeros({3}), 1, values({1, -1, 1}, kLong));
                           }),
              error<Error>("to have the same numel as there are observations",
                           [] {
                             cov(zeros({3}), 1, values({1, 1}, kLong));
                           }),
              error<Error>("to have floating point dtype", [] {
                cov(zeros({3}), 1, nullopt, values({1, 1, 1}, kLong));
              })};
  return c;
}

TAPER_OP_CASES(covariance_cases, { return std::vector<OpCase>{cov_case()}; });

// Expected numbers: PyTorch's.
TEST(Cov, Weighs) {
  const Tensor x = tensor_of({2, 4}, {0, 2, 1, 5, 1, 1, 0, 3}, kDouble);
  const Tensor f = values({1, 2, 1, 3}, kLong), a = values({0.5, 1, 2, 0.25}, kDouble);
  expect_near(cov(x, 1, f), {4.4761905, 2.4523810, 2.4523810, 1.5714286});
  expect_near(cov(x, 1, nullopt, a), {2.1, 1.1142857, 1.1142857, 1.0285714});
  expect_near(cov(x, 1, f, a), {2.6449704, 1.5976331, 1.5976331, 1.2307692});
  expect_near(cov(x, 0, f, a), {2.0272109, 1.2244898, 1.2244898, 0.9433107});
  expect_near(corrcoef(x), {1, 0.8583951, 0.8583951, 1});
  expect_near(cov(x[0]), {4.6666667});
  EXPECT_EQ(corrcoef(x[0]).item<double>(), 1);
  EXPECT_EQ(cov(values({1, 2, 4}, kLong)).scalar_type(), kFloat);
}

}  // namespace
}  // namespace torch::taper::testing
