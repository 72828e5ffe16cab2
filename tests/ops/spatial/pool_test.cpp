#include <taper/ops/spatial/pool.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/node.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/reduce/reduce_minmax.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>

#include "harness/samples.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

Tensor numbers(const std::vector<int64_t>& sizes, ScalarType dtype = kFloat) {
  return sample_of({sizes}, dtype).t[0];
}

// kernel, stride, padding, dilation, ceil_mode, count_include_pad, divisor (0: none)
using Setting = std::vector<int64_t>;

int64_t pooled(int64_t in, const Setting& s) {
  const double room = static_cast<double>(in + 2 * s[2] - s[3] * (s[0] - 1) - 1);
  const double steps = room / static_cast<double>(s[1]);
  int64_t out = static_cast<int64_t>(s[4] ? std::ceil(steps) : std::floor(steps)) + 1;
  if (s[4] && (out - 1) * s[1] >= in + s[2]) --out;
  return out;
}

// Calls each(output index, input index) for every element of every window.
template <class Each>
Array windows(const Array& x, int64_t spatial, const Setting& s, const Each& each) {
  std::vector<int64_t> sizes = x.sizes;
  const size_t lead = sizes.size() - static_cast<size_t>(spatial);
  for (size_t d = lead; d < sizes.size(); ++d) sizes[d] = pooled(sizes[d], s);
  Array y(sizes);
  for_each_index(sizes, [&](const std::vector<int64_t>& at) {
    for_each_index(std::vector<int64_t>(static_cast<size_t>(spatial), s[0]),
                   [&](const auto& element) {
                     std::vector<int64_t> in = at;
                     for (size_t d = lead; d < in.size(); ++d) {
                       in[d] = at[d] * s[1] - s[2] + element[d - lead] * s[3];
                       if (in[d] < 0 || in[d] >= x.sizes[d]) return;
                     }
                     each(y, at, in);
                   });
  });
  return y;
}

Arrays naive_max(const Array& x, int64_t spatial, const Setting& s) {
  Array where = windows(x, spatial, s, [](Array&, const auto&, const auto&) {});
  for (double& v : where.v) v = -1;
  const Array y = windows(x, spatial, s, [&](Array& y, const auto& at, const auto& in) {
    if (where.at(at) >= 0 && !(x.at(in) > y.at(at))) return;
    y.at(at) = x.at(in);
    double flat = 0;
    for (size_t d = in.size() - static_cast<size_t>(spatial); d < in.size(); ++d)
      flat = flat * static_cast<double>(x.sizes[d]) + static_cast<double>(in[d]);
    where.at(at) = flat;
  });
  return Arrays{y, where};
}

Array naive_avg(const Array& x, int64_t spatial, const Setting& s) {
  Array counts = windows(x, spatial, s, [](Array&, const auto&, const auto&) {});
  Array y = windows(x, spatial, s, [&](Array& y, const auto& at, const auto& in) {
    y.at(at) += x.at(in);
    counts.at(at) += 1;
  });
  for_each_index(y.sizes, [&](const std::vector<int64_t>& at) {
    double n = counts.at(at);
    if (s[5]) {
      n = 1;
      for (size_t d = at.size() - static_cast<size_t>(spatial); d < at.size(); ++d) {
        const int64_t start = at[d] * s[1] - s[2];
        n *= static_cast<double>(std::min(start + s[0], x.sizes[d] + s[2]) - start);
      }
    }
    y.at(at) /= s[6] ? static_cast<double>(s[6]) : n;
  });
  return y;
}

std::vector<Args> samples(int64_t spatial, const std::vector<std::vector<int64_t>>& sizes,
                          const std::vector<Setting>& settings, ScalarType dtype) {
  std::vector<Args> list;
  for (const auto& size : sizes)
    for (const Setting& s : settings) list.push_back(sample_of({size}, dtype, {}, s));
  // The shapes of the fast path, larger than a vector and odd.
  if (spatial == 2) {
    list.push_back(sample_of({{2, 3, 24, 24}}, dtype, {}, {2, 2, 0, 1, 0, 1, 0}));
    list.push_back(sample_of({{1, 2, 7, 71}}, dtype, {}, {2, 2, 0, 1, 0, 1, 0}));
    list.push_back(sample_of({{0, 2, 6, 6}}, dtype, {}, {2, 2, 0, 1, 0, 1, 0}));
  }
  return list;
}

const std::vector<Setting> kSettings = {{2, 2, 0, 1, 0, 1, 0}, {3, 2, 1, 1, 0, 1, 0},
                                        {3, 2, 1, 1, 1, 0, 0}, {2, 3, 1, 1, 1, 1, 0},
                                        {3, 1, 1, 1, 0, 1, 5}, {2, 2, 0, 1, 1, 1, 3}};
const std::vector<Setting> kDilated = {{2, 1, 1, 2, 0, 1, 0}, {2, 2, 0, 3, 1, 1, 0}};
const std::vector<ScalarType> kFloats = {kFloat, kDouble, kHalf, kBFloat16};

// The same samples with values so far apart that no small step makes another one the largest.
std::vector<Args> distinct(std::vector<Args> list) {
  Random random(3);
  for (Args& a : list) {
    const int64_t n = a.t[0].numel();
    std::vector<int64_t> order(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) order[static_cast<size_t>(i)] = i;
    for (int64_t i = n - 1; i > 0; --i)
      std::swap(order[static_cast<size_t>(i)],
                order[static_cast<size_t>(random.integer(0, i + 1))]);
    for (int64_t i = 0; i < n; ++i)
      set_element(a.t[0], i, 0.1 * static_cast<double>(order[static_cast<size_t>(i)] - n / 2));
  }
  return list;
}

OpCase max_case(int64_t spatial, const std::vector<std::vector<int64_t>>& sizes) {
  OpCase c;
  c.name = "max_pool" + std::to_string(spatial) + "d_with_indices";
  c.covers = {"max_pool" + std::to_string(spatial) + "d"};
  c.dtypes = kFloats;
  c.samples = [=](ScalarType t) {
    std::vector<Setting> settings = kSettings;
    settings.insert(settings.end(), kDilated.begin(), kDilated.end());
    return samples(spatial, sizes, settings, t);
  };
  c.gradient_samples = [all = c.samples] { return distinct(all(kDouble)); };
  c.call = [spatial](const Args& a) {
    const auto op = spatial == 1   ? &max_pool1d_with_indices
                    : spatial == 2 ? &max_pool2d_with_indices
                                   : &max_pool3d_with_indices;
    const auto [y, i] = op(a.t[0], a.i[0], a.i[1], a.i[2], a.i[3], a.i[4] != 0);
    return Results{y, i};
  };
  c.reference = [spatial](const ArrayArgs& a) { return naive_max(a.t[0], spatial, a.i); };
  return c;
}

OpCase avg_case(int64_t spatial, const std::vector<std::vector<int64_t>>& sizes) {
  OpCase c;
  c.name = "avg_pool" + std::to_string(spatial) + "d";
  c.dtypes = kFloats;
  c.samples = [=](ScalarType t) {
    std::vector<Setting> settings;
    for (const Setting& s : kSettings)
      if (spatial != 1 || s[6] == 0) settings.push_back(s);
    return samples(spatial, sizes, settings, t);
  };
  c.call = [spatial](const Args& a) {
    const optional<int64_t> divisor = a.i[6] ? optional<int64_t>(a.i[6]) : nullopt;
    if (spatial == 1) return avg_pool1d(a.t[0], a.i[0], a.i[1], a.i[2], a.i[4] != 0, a.i[5] != 0);
    const auto op = spatial == 2 ? &avg_pool2d : &avg_pool3d;
    return op(a.t[0], a.i[0], a.i[1], a.i[2], a.i[4] != 0, a.i[5] != 0, divisor);
  };
  c.reference = [spatial](const ArrayArgs& a) { return naive_avg(a.t[0], spatial, a.i); };
  return c;
}

TAPER_OP_CASES(pool_cases, {
  const std::vector<std::vector<int64_t>> lines = {{2, 3, 9}, {3, 8}},
                                          planes = {{2, 2, 6, 7}, {2, 5, 5}},
                                          volumes = {{1, 2, 4, 5, 4}};
  OpCase max2 = max_case(2, planes);
  max2.errors = {
      error<Error>("pad should be at most half of kernel size, but got pad=2 and kernel_size=2",
                   [] {
                     max_pool2d(numbers({1, 3, 8, 8}), 2, 2, 2);
                   }),
      error<Error>("Given input size: (3x8x8). Calculated output size: (3x0x0). Output size is too "
                   "small",
                   [] {
                     max_pool2d(numbers({2, 3, 8, 8}), 9);
                   }),
      error<Error>("max_pool2d: kernel_size must either be a single int, or a tuple of two ints",
                   [] {
                     max_pool2d(numbers({2, 3, 8, 8}), {2, 2, 2});
                   }),
      error<Error>("stride should not be zero",
                   [] {
                     max_pool2d(numbers({2, 3, 8, 8}), 2, 0);
                   }),
      error<Error>("max_pool2d: Expected 3D or 4D",
                   [] {
                     max_pool2d(numbers({3, 8}), 2);
                   }),
      error<NotImplementedError>("\"max_pool2d\" not implemented for 'Bool'", [] {
        max_pool2d(numbers({1, 1, 4, 4}, kBool), 2);
      })};
  OpCase avg2 = avg_case(2, planes);
  avg2.errors = {error<Error>("divisor must be not zero", [] {
    avg_pool2d(numbers({2, 3, 8, 8}), 2, 2, 0, false, true, 0);
  })};
  return std::vector{max_case(1, lines), max2, max_case(3, volumes),
                     avg_case(1, lines), avg2, avg_case(3, volumes)};
});

// Adaptive windows: [floor(i in / out), ceil((i + 1) in / out)).
template <class Each>
Array adaptive(const Array& x, int64_t spatial, const std::vector<int64_t>& out, const Each& each) {
  std::vector<int64_t> sizes = x.sizes;
  const size_t lead = sizes.size() - static_cast<size_t>(spatial);
  for (size_t d = lead; d < sizes.size(); ++d) sizes[d] = out[d - lead];
  Array y(sizes);
  for_each_index(x.sizes, [&](const std::vector<int64_t>& in) {
    for_each_index(out, [&](const std::vector<int64_t>& o) {
      std::vector<int64_t> at = in;
      for (size_t d = lead; d < in.size(); ++d) {
        const int64_t i = o[d - lead], n = out[d - lead], size = x.sizes[d];
        if (in[d] < i * size / n || in[d] >= ((i + 1) * size + n - 1) / n) return;
        at[d] = i;
      }
      each(y, at, in);
    });
  });
  return y;
}

Array adaptive_mean(const Array& x, int64_t spatial, const std::vector<int64_t>& out) {
  Array n = adaptive(x, spatial, out, [](Array& y, const auto& at, const auto&) { y.at(at) += 1; });
  Array y = adaptive(x, spatial, out,
                     [&](Array& y, const auto& at, const auto& in) { y.at(at) += x.at(in); });
  for (size_t i = 0; i < y.v.size(); ++i) y.v[i] /= n.v[i];
  return y;
}

Array adaptive_maximum(const Array& x, int64_t spatial, const std::vector<int64_t>& out) {
  Array seen = adaptive(x, spatial, out, [](Array&, const auto&, const auto&) {});
  return adaptive(x, spatial, out, [&](Array& y, const auto& at, const auto& in) {
    if (seen.at(at) == 0 || x.at(in) > y.at(at)) y.at(at) = x.at(in);
    seen.at(at) = 1;
  });
}

TAPER_OP_CASES(adaptive_cases, {
  std::vector<OpCase> list;
  for (int64_t spatial = 1; spatial <= 3; ++spatial) {
    OpCase c;
    c.name = "adaptive_avg_pool" + std::to_string(spatial) + "d";
    c.dtypes = kFloats;
    c.samples = [spatial](ScalarType t) {
      const std::vector<int64_t> all = {5, 4, 3};
      std::vector<int64_t> size = {2, 2};
      size.insert(size.end(), all.begin(), all.begin() + spatial);
      std::vector<Args> args;
      for (const std::vector<int64_t>& o : {std::vector<int64_t>{1, 1, 1}, {3, 2, 2}, {2, 6, 3}})
        args.push_back(sample_of({size}, t, {}, {o.begin(), o.begin() + spatial}));
      return args;
    };
    c.call = [spatial](const Args& a) {
      return spatial == 1   ? adaptive_avg_pool1d(a.t[0], a.i)
             : spatial == 2 ? adaptive_avg_pool2d(a.t[0], a.i)
                            : adaptive_avg_pool3d(a.t[0], a.i);
    };
    c.reference = [spatial](const ArrayArgs& a) { return adaptive_mean(a.t[0], spatial, a.i); };
    c.errors = {error<Error>("tensor, but got [3]", [spatial] {
      spatial == 1   ? adaptive_avg_pool1d(numbers({3}), 2)
      : spatial == 2 ? adaptive_avg_pool2d(numbers({3}), 2)
                     : adaptive_avg_pool3d(numbers({3}), 2);
    })};
    OpCase m = c;
    m.name = "adaptive_max_pool" + std::to_string(spatial) + "d";
    m.call = [spatial](const Args& a) {
      return std::get<0>(spatial == 1   ? adaptive_max_pool1d(a.t[0], a.i)
                         : spatial == 2 ? adaptive_max_pool2d(a.t[0], a.i)
                                        : adaptive_max_pool3d(a.t[0], a.i));
    };
    m.reference = [spatial](const ArrayArgs& a) { return adaptive_maximum(a.t[0], spatial, a.i); };
    m.gradient_samples = [all = c.samples] { return distinct(all(kDouble)); };
    m.errors.clear();
    list.push_back(c);
    list.push_back(m);
  }
  return list;
});

TEST(Pool, MaximumOfNaNIsNaN) {
  Tensor x = numbers({1, 1, 4, 4});
  x.data_ptr<float>()[5] = std::numeric_limits<float>::quiet_NaN();
  for (int64_t kernel : {2, 3}) {
    const Tensor y = max_pool2d(x, kernel);
    EXPECT_TRUE(std::isnan(y.data_ptr<float>()[0])) << kernel;
  }
}

TEST(Pool, EqualMaximaGiveTheirGradientToTheFirst) {
  const Tensor x = numbers({1, 1, 2, 2}).mul(0).detach().requires_grad_();
  max_pool2d(x, 2).sum().backward();
  const float* g = x.grad().data_ptr<float>();
  EXPECT_EQ((std::vector<float>(g, g + 4)), (std::vector<float>{1, 0, 0, 0}));
}

TEST(Pool, WindowsOverLargeKernelsKeepTheirPlaces) {
  const Tensor x = numbers({1, 1, 40, 40}, kDouble).requires_grad_();
  const auto [y, i] = max_pool2d_with_indices(x, 20);
  y.sum().backward();
  const Tensor flat = x.detach().view({-1});
  for (int64_t p = 0; p < 4; ++p) {
    const int64_t at = i.data_ptr<int64_t>()[p];
    EXPECT_EQ(flat.data_ptr<double>()[at], y.data_ptr<double>()[p]);
    EXPECT_EQ(x.grad().data_ptr<double>()[at], 1);
  }
}

TEST(Pool, NodesHaveThePeersNames) {
  const Tensor x = numbers({1, 1, 4, 4}).requires_grad_();
  EXPECT_EQ(max_pool2d(x, 2).grad_fn()->name(), "MaxPool2DWithIndicesBackward0");
  EXPECT_EQ(avg_pool2d(x, 2).grad_fn()->name(), "AvgPool2DBackward0");
  EXPECT_EQ(adaptive_avg_pool2d(x, 2).grad_fn()->name(), "AdaptiveAvgPool2DBackward0");
}

// Windows wider than vectors, one row high, of one element, and that overlap. The 16-bit types take
// another way, window by window.
TEST(Pool, AdaptiveWindowsOfAnySize) {
  using Sizes = std::vector<int64_t>;
  const std::vector<std::pair<Sizes, Sizes>> shapes{
      {{2, 3, 1, 75}, {1, 2}},  {{2, 3, 13, 13}, {6, 6}}, {{1, 2, 14, 14}, {7, 7}},
      {{1, 2, 14, 12}, {7, 5}}, {{2, 2, 7, 7}, {7, 7}},   {{1, 1, 33, 40}, {1, 1}},
      {{1, 2, 5, 17}, {9, 3}},  {{1, 1, 40, 70}, {2, 1}}};
  for (const auto& [size, out] : shapes)
    for (const ScalarType t : {kFloat, kDouble}) {
      const Tensor x = (numbers(size, kDouble) * 8).round().to(t).requires_grad_();
      const Tensor rough = x.detach().to(kHalf).requires_grad_();
      const Tensor mean = adaptive_avg_pool2d(x, out);
      const auto [value, place] = adaptive_max_pool2d(x, out);
      const auto [same, there] = adaptive_max_pool2d(rough, out);
      EXPECT_TRUE(there.equal(place)) << x.sizes();
      EXPECT_TRUE(same.to(t).equal(value)) << x.sizes();
      const Array expected = adaptive_mean(to_array(x.detach()), 2, out);
      EXPECT_LT(
          (mean.detach().to(kDouble) - to_tensor(expected, kDouble)).abs().max().item<double>(),
          1e-5)
          << x.sizes();
      (mean * mean.detach()).sum().backward();
      const Tensor rough_mean = adaptive_avg_pool2d(rough, out);
      (rough_mean * rough_mean.detach()).sum().backward();
      EXPECT_LT((x.grad() - rough.grad().to(t)).abs().max().item<double>(), 0.05) << x.sizes();
    }
}

// Planes are summed as many together as a vector has lanes, with what is left of them and of each.
TEST(Pool, MeansOfWholePlanes) {
  for (const ScalarType t : {kFloat, kDouble})
    for (const int64_t planes : {1, 3, 16, 37})
      for (const int64_t width : {1, 2, 4, 5, 7, 8, 11, 14}) {
        const Tensor x = numbers({planes, width, width}, t), y = adaptive_avg_pool2d(x, 1);
        const Tensor expected = to_tensor(adaptive_mean(to_array(x), 2, {1, 1}), kDouble);
        EXPECT_LT((y.to(kDouble) - expected).abs().max().item<double>(), 1e-5) << x.sizes();
        const Tensor last = adaptive_avg_pool2d(x.slice(0, planes - 1), 1);
        EXPECT_TRUE(last.equal(y.slice(0, planes - 1))) << x.sizes();
      }
}

// Rows of windows of 2 x 2 are whole vectors, the last of which overlaps the one before; the 16-bit
// types take another way, window by window.
void expect_halves_as_of_16_bits(const Tensor& x) {
  const Tensor rough = x.detach().to(kHalf).requires_grad_();
  const auto [y, place] = max_pool2d_with_indices(x, 2);
  const auto [same, there] = max_pool2d_with_indices(rough, 2);
  EXPECT_TRUE(place.equal(there)) << x.sizes();
  EXPECT_TRUE(y.nan_to_num(99).equal(same.to(x.scalar_type()).nan_to_num(99))) << x.sizes();
  EXPECT_TRUE(max_pool2d(x.detach(), 2).nan_to_num(99).equal(y.nan_to_num(99))) << x.sizes();
  for (const bool maximum : {true, false}) {
    const auto gradient = [&](const Tensor& t) {
      const Tensor out = maximum ? max_pool2d(t, 2) : avg_pool2d(t, 2);
      const Tensor weights =
          (numbers({out.numel()}) * 4).round().view(out.sizes()).to(t.scalar_type());
      return autograd::grad({out}, {t}, {weights})[0].to(kDouble);
    };
    EXPECT_TRUE(gradient(x).equal(gradient(rough))) << x.sizes();
  }
  EXPECT_TRUE(avg_pool2d(x, 2).to(kHalf).nan_to_num(99).equal(avg_pool2d(rough, 2).nan_to_num(99)));
}
TEST(Pool, HalvesOfAnyWidth) {
  for (const ScalarType t : {kFloat, kDouble})
    for (const int64_t width : {1, 2, 3, 4, 5, 7, 8, 9, 14, 15, 16, 17, 28, 31, 32, 33, 50}) {
      Tensor x = (numbers({2, 2, 5, 2 * width + width % 2}, kDouble) * 4).round().to(t);
      x.view({-1})[x.numel() - 7].fill_(NAN);
      expect_halves_as_of_16_bits(x.requires_grad_());
    }
}

TEST(Pool, AdaptiveMaximaTakeTheLastNaN) {
  Tensor x = numbers({1, 1, 12, 50});
  for (const int64_t at : {3, 57, 120, 149, 430}) x.view({-1})[at].fill_(NAN);
  for (const int64_t out : {1, 3, 7}) {
    const auto [value, place] = adaptive_max_pool2d(x, out);
    const auto [same, there] = adaptive_max_pool2d(x.to(kHalf).to(kDouble), out);
    const auto [rough, expected] = adaptive_max_pool2d(x.to(kHalf), out);
    EXPECT_TRUE(there.equal(expected)) << out;
    EXPECT_TRUE(place.masked_select(value.ne(value)).equal(expected.masked_select(rough.ne(rough))))
        << out;
  }
}

TEST(AvgPool3d, NeedsAnInputOfTheKernelsSize) {
  const Tensor x = to_tensor(Array({1, 1, 2, 4, 4}, 1), kFloat);
  for (const bool ceil_mode : {false, true})
    expect_error("avg_pool3d: input image [2, 4, 4] smaller than kernel size [3, 2, 2]", [&] {
      avg_pool3d(x, {3, 2, 2}, {2, 2, 2}, {1, 1, 1}, ceil_mode);
    });
  expect_error("smaller than kernel size", [&] { avg_pool3d(x, 3, 1, 1, true); });
  EXPECT_EQ(avg_pool2d(x[0], {3, 2}, {2, 2}, 0, true).size(2), 2);  // of two dimensions may be
}

TEST(MaxPool, OfIntegersIsExact) {
  for (const ScalarType t : {kLong, kInt, kShort, kChar, kByte}) {
    const Tensor x = randint(0, 100, {2, 3, 7, 5}).to(t);
    const auto [y, at] = max_pool2d_with_indices(x, 3, 2, 1);
    const auto [want, want_at] = max_pool2d_with_indices(x.to(kDouble), 3, 2, 1);
    EXPECT_EQ(y.scalar_type(), t);
    EXPECT_TRUE(y.equal(want.to(t)));
    EXPECT_TRUE(at.equal(want_at));
    EXPECT_TRUE(max_pool3d(x, 2).equal(max_pool3d(x.to(kDouble), 2).to(t)));
  }
  expect_error("max_pool2d: expected integers of at most 2^53", [] {
    max_pool2d(full({1, 2, 2}, (int64_t{1} << 53) + 1, kLong), 2);
  });
}

// ---------------------------------------------------------------- chosen ways
// Where nothing wants a gradient no places are kept.
TEST(Pool, MaximaWithoutPlaces) {
  for (ScalarType t : {kFloat, kDouble, kHalf, kBFloat16}) {
    const Tensor x = numbers({2, 3, 9, 10}, t);
    const auto same = [&](const Tensor& y, const std::tuple<Tensor, Tensor>& with) {
      EXPECT_TRUE(y.equal(std::get<0>(with))) << toString(t);
    };
    same(max_pool2d(x, {3, 2}), max_pool2d_with_indices(x, {3, 2}));
    same(max_pool2d(x, {2, 2}), max_pool2d_with_indices(x, {2, 2}));
    same(max_pool2d(x, {9, 10}, {1, 1}, {4, 5}),
         max_pool2d_with_indices(x, {9, 10}, {1, 1}, {4, 5}));
    same(max_pool2d(numbers({1, 1, 20, 20}, t), {17, 17}),
         max_pool2d_with_indices(numbers({1, 1, 20, 20}, t), {17, 17}));
  }
}

TEST(Pool, MaximaOfInfinities) {
  for (ScalarType t : {kFloat, kDouble, kHalf, kBFloat16}) {
    const Tensor x = full({1, 1, 5, 7}, -INFINITY, t);
    for (int64_t kernel : {2, 3}) {
      const auto [y, places] = max_pool2d_with_indices(x, {kernel, kernel});
      EXPECT_TRUE(y.isinf().all().item<bool>() && places.ge(0).all().item<bool>()) << toString(t);
      EXPECT_EQ(places[0][0][0][1].item<int64_t>(), kernel);
    }
    EXPECT_TRUE(std::get<0>(adaptive_max_pool2d(x, {2, 3})).isinf().all().item<bool>());
  }
}

// One window, of a part of the plane: not the mean of all of it.
TEST(Pool, MeansOfOneWindow) {
  for (ScalarType t : {kFloat, kDouble, kHalf, kBFloat16}) {
    const Tensor x = counting({1, 1, 5, 5}, t).requires_grad_();
    const Tensor y = avg_pool2d(x, {3, 3});
    expect_values(y, {1, 1, 1, 1}, {6});
    y.backward(full({1, 1, 1, 1}, 9, t));
    EXPECT_EQ(x.grad().sum().item<double>(), 9);
    EXPECT_EQ(x.grad()[0][0][2][2].item<double>(), 1);
    EXPECT_EQ(x.grad()[0][0][3][0].item<double>(), 0);
    const Tensor z = counting({1, 2, 3, 4}, t).requires_grad_();
    avg_pool2d(z, {3, 4}).sum().backward();
    EXPECT_TRUE(z.grad().eq(z.grad()[0][0][0][0]).all().item<bool>());
  }
}

}  // namespace
}  // namespace torch::taper::testing
