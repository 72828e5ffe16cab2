
#include <gtest/gtest.h>

#include <cmath>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/index/index_scatter.h>
#include <taper/ops/reduce/gradient.h>
#include <taper/ops/reduce/histogram.h>
#include <taper/ops/reduce/reduce_minmax.h>
#include <taper/ops/reduce/reduce_norm.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/reduce/scan.h>
#include <taper/ops/reduce/search.h>
#include <taper/ops/reduce/statistics.h>
#include <taper/ops/reduce/unique.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/flip.h>
#include <taper/ops/tensor/meshgrid.h>
#include <taper/ops/tensor/split.h>

#include "harness/devices.h"
#include "test_util.h"

namespace taper::testing {
namespace {

const double kNaN = std::nan("");

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

TAPER_OP_CASES(derived_cases, {
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

  OpCase blocks;
  blocks.name = "block_diag";
  blocks.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{2, 3}, {4}, {}}, t), sample_of({{1, 1}, {0, 2}}, t)};
  };
  blocks.call = [](const Args& a) { return block_diag(a.t); };
  blocks.reference = [](const ArrayArgs& a) {
    int64_t rows = 0, columns = 0;
    std::vector<Array> parts = a.t;
    for (Array& p : parts) {
      while (p.sizes.size() < 2) p.sizes.insert(p.sizes.begin(), 1);
      rows += p.sizes[0];
      columns += p.sizes[1];
    }
    Array y({rows, columns});
    int64_t row = 0, column = 0;
    for (const Array& p : parts) {
      for_each_index(p.sizes, [&](const auto& at) {
        y.at({row + at[0], column + at[1]}) = p.at(at);
      });
      row += p.sizes[0];
      column += p.sizes[1];
    }
    return y;
  };

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
  return std::vector<OpCase>{d, blocks, r};
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

// Expected values from here on are PyTorch 1.13's.
TEST(Rot90, IsLaidOutAsWhatItWasTurnedFrom) {
  EXPECT_EQ(rot90(counting({2, 3}), 1, {0, 1}).strides(), IntArrayRef({1, 3}));
  EXPECT_EQ(rot90(counting({2, 3}), 3, {0, 1}).strides(), IntArrayRef({1, 3}));
  EXPECT_EQ(rot90(counting({2, 3}), 2, {0, 1}).strides(), IntArrayRef({3, 1}));
}

TEST(Quantile, SeveralAndNaN) {
  const Tensor x = tensor_of({2, 3}, {1, 5, 2, kNaN, 4, 3});
  EXPECT_EQ(quantile(x, values({0.5, 1}), 0).sizes().vec(), (std::vector<int64_t>{2, 3}));
  expect_values(nanquantile(x, values({0, 1}), 1), {2, 2}, {1, 3, 5, 4});
  EXPECT_TRUE(std::isnan(quantile(x, 0.5).item<double>()));
  expect_values(nanquantile(x, 0.5), {}, {3});
  expect_values(nanmean(x, 1), {2}, {8.0f / 3.0f, 3.5});
}

TEST(Search, FindsPlaces) {
  const Tensor sorted = tensor_of({2, 4}, {1, 3, 5, 7, 2, 4, 6, 8});
  const Tensor v = tensor_of({2, 2}, {3, 9, 1, 5});
  expect_values(searchsorted(sorted, v), {2, 2}, {1, 4, 0, 2});
  expect_values(searchsorted(sorted, v, false, true), {2, 2}, {2, 4, 0, 2});
  expect_values(searchsorted(sorted[0], v, true), {2, 2}, {1, 4, 0, 2});
  EXPECT_EQ(searchsorted(sorted[0], v, true).scalar_type(), kInt);
  EXPECT_EQ(searchsorted(sorted[0], 4).item<int64_t>(), 2);
  expect_values(bucketize(v, sorted[0], false, true), {2, 2}, {2, 4, 1, 3});
  const Tensor shuffled = values({5, 1, 3});
  expect_values(
      searchsorted(shuffled, values({2, 5}), false, false, "right", values({1, 2, 0}, kLong)), {2},
      {1, 3});
  expect_error("torch.searchsorted(): boundaries tensor should be 1 dimension", [&] {
    searchsorted(sorted, numbers({3, 2}));
  });
  expect_error("boundaries tensor must be 1 dimension, but got dim(2)",
               [&] { bucketize(v, sorted); });
}

TEST(Statistics, Counts) {
  const Tensor x = values({1, 3, 1, 0}, kLong);
  expect_values(bincount(x), {4}, {1, 2, 0, 1});
  expect_values(bincount(x, values({1, 2, 3, 4}), 6), {6}, {4, 4, 0, 2, 0, 0});
  EXPECT_EQ(bincount(values({}, kLong), {}, 3).sum().item<int64_t>(), 0);
  EXPECT_EQ(bincount(values({}, kLong), values({}), 3).scalar_type(), kLong);
  expect_error("bincount only supports 1-d non-negative integral inputs.",
               [] { bincount(values({-1}, kLong)); });
  expect_values(histc(values({1, 2, 1, 4, 9}), 4, 0, 4), {4}, {0, 2, 1, 1});
  expect_values(histc(values({1, 2, 3})), {100}, values_of(histc(values({1, 2, 3}), 100, 1, 3)));
  expect_error("torch.histc: max must be larger than min", [] { histc(values({1}), 3, 2, 1); });
}

TEST(Statistics, ManyCounts) {
  for (int64_t bins : {7, 3000}) {
    const Tensor x = arange(200003).mul(11).remainder(bins);
    const Tensor each = bincount(x);
    ASSERT_EQ(each.numel(), bins);
    for (int64_t k : {int64_t{0}, int64_t{3}, bins - 1})
      EXPECT_EQ(each[k].item<int64_t>(), x.eq(k).sum().item<int64_t>());
    EXPECT_EQ(each.sum().item<int64_t>(), 200003);
  }
}

TEST(Statistics, CountsAreTheSameOnADevice) {
  TAPER_NEEDS_DEVICES(1);
  const Tensor x = arange(5000).mul(11).remainder(37).sub(5);
  const Tensor on_device = x.to(device_at(0));
  EXPECT_TRUE(bincount(on_device.add(5)).to(kCPU).equal(bincount(x.add(5))));
  const auto [v, i, c] = _unique2(x, true, true, true);
  const auto [dv, di, dc] = _unique2(on_device, true, true, true);
  EXPECT_TRUE(dv.is_cuda() && dv.to(kCPU).equal(v));
  EXPECT_TRUE(di.to(kCPU).equal(i));
  EXPECT_TRUE(dc.to(kCPU).equal(c));
}

TEST(Statistics, ModeTakesTheSmallestOfTheMostFrequent) {
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

TEST(Statistics, Distances) {
  const Tensor x = tensor_of({3, 2}, {0, 0, 3, 4, 0, 1});
  expect_values(dist(x[0], x[1]), {}, {5});
  const auto [low, high] = aminmax(x, 0);
  expect_values(low, {2}, {0, 0});
  expect_values(high, {2}, {3, 4});
}

TEST(Combine, SetsAndPowers) {
  const Tensor x = values({1, 2, 3});
  expect_values(vander(x), {3, 3}, {1, 1, 1, 4, 2, 1, 9, 3, 1});
  expect_values(vander(x, 2, true), {3, 2}, {1, 1, 1, 2, 1, 3});
  expect_values(cartesian_prod({values({1, 2}), values({3, 4})}), {4, 2}, {1, 3, 1, 4, 2, 3, 2, 4});
  expect_values(combinations(x), {3, 2}, {1, 2, 1, 3, 2, 3});
  expect_values(combinations(values({1, 2}), 2, true), {3, 2}, {1, 1, 1, 2, 2, 2});
  expect_values(diff(values({1, 4}), 1, -1, values({0}), values({5})), {3}, {1, 3, 1});
  expect_error("Expect a 1D vector, but got shape [2, 2]", [] { combinations(numbers({2, 2})); });
}

TEST(Combine, SplitsAndStacks) {
  const Tensor x = counting({7});
  const auto parts = tensor_split(x, 3);
  ASSERT_EQ(parts.size(), 3u);
  expect_values(parts[0], {3}, {0, 1, 2});
  expect_values(parts[2], {2}, {5, 6});
  expect_values(tensor_split(x, IntArrayRef{2, 5})[1], {3}, {2, 3, 4});
  expect_values(hsplit(counting({2, 4}), 2)[1], {2, 2}, {2, 3, 6, 7});
  expect_error(
      "torch.hsplit attempted to split along dimension 0, but the size of the dimension 7 "
      "is not divisible by the split_size 3!",
      [&] { hsplit(x, 3); });
  expect_values(column_stack({values({1, 2}), values({3, 4})}), {2, 2}, {1, 3, 2, 4});
}

TEST(Combine, Elements) {
  const Tensor x = counting({2, 3});
  expect_values(put(x, values({0, 4}, kLong), values({9, 8})), {2, 3}, {9, 1, 2, 3, 8, 5});
  expect_values(put(x, values({1, 1}, kLong), values({9, 8}), true), {2, 3}, {0, 18, 2, 3, 4, 5});
  expect_values(take_along_dim(x, tensor_of({2, 1}, {2, 0}, kLong), 1), {2, 1}, {2, 3});
  expect_values(isin(x, values({1, 5, 7})), {2, 3}, {0, 1, 0, 0, 0, 1});
  const Tensor all = counting({2000}), some = all.slice(0, 5, 2000, 40);  // few tests, many tests
  for (const int64_t n : {1, 7, 50})
    EXPECT_TRUE(isin(all, some.slice(0, 0, n)).equal(all.remainder(40).eq(5) & all.lt(40 * n)));
  expect_values(isin(x, values({}), false, true), {2, 3}, {1, 1, 1, 1, 1, 1});
  expect_error<IndexError>("but got source.numel() = 1, index.numel() = 2", [&] {
    put(x, values({1, 2}, kLong), values({1}));
  });
}

// Several values are searched side by side, one alone by itself.
TEST(Search, ManyValuesAreFoundAsEachIs) {
  const Tensor v = cat({arange(21, kFloat) * 0.5, values({NAN, INFINITY})});
  for (const int64_t n : {0, 1, 2, 7, 8, 9, 100}) {
    Tensor sorted = (arange(n, kFloat) * 0.13).round();
    if (n > 7) sorted[n - 1].fill_(NAN);
    for (const bool right : {false, true}) {
      const Tensor places = searchsorted(sorted, v, false, right);
      for (int64_t i = 0; i < v.numel(); ++i)
        EXPECT_EQ(places[i].item<int64_t>(),
                  searchsorted(sorted, v[i], false, right).item<int64_t>())
            << n << " " << i;
    }
  }
}

}  // namespace
}  // namespace taper::testing
