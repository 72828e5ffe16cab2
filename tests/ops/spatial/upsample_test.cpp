#include <taper/ops/spatial/upsample.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <utility>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/tensor/factory.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

enum class Kind { kNearest, kExact, kLinear, kCubic };

double filter(Kind kind, double x, bool wide) {
  x = std::abs(x);
  if (kind == Kind::kLinear) return x < 1 ? 1 - x : 0;
  const double a = wide ? -0.5 : -0.75;
  if (x <= 1) return (a + 2) * x * x * x - (a + 3) * x * x + 1;
  return x < 2 ? a * (x * x * x - 5 * x * x + 8 * x - 4) : 0;
}

// Row o: the weight of every input pixel in output pixel o.
std::vector<std::vector<double>> weights(Kind kind, int64_t in, int64_t out, bool corners,
                                         double factor, bool wide, size_t spatial) {
  const auto n = static_cast<double>(in), m = static_cast<double>(out);
  double step = factor > 0 ? 1 / factor : n / m;
  if (corners) step = out > 1 ? (n - 1) / (m - 1) : 0;
  // As LibTorch: whatever the factor, by linear weights a size that stays is left alone, and so is
  // by the nearest pixels of two dimensions, as is a size that doubles.
  if (in == out && kind == Kind::kLinear && !wide) step = 1;
  if (kind == Kind::kNearest && spatial == 2 && (in == out || 2 * in == out)) step = n / m;
  std::vector<std::vector<double>> rows(static_cast<size_t>(out));
  for (int64_t o = 0; o < out; ++o) {
    std::vector<double>& w = rows[static_cast<size_t>(o)];
    w.assign(static_cast<size_t>(in), 0);
    const auto at = static_cast<double>(o);
    const auto pixel = [&](double i) -> double& {
      return w[static_cast<size_t>(std::min(std::max(i, 0.0), n - 1))];
    };
    if (kind == Kind::kNearest || kind == Kind::kExact) {
      pixel(std::floor((at + (kind == Kind::kExact ? 0.5 : 0)) * step)) = 1;
    } else if (wide) {
      const double scale = std::max(step, 1.0), centre = step * (at + 0.5);
      double total = 0;
      for (int64_t i = 0; i < in; ++i)
        total += pixel(static_cast<double>(i)) =
            filter(kind, (static_cast<double>(i) + 0.5 - centre) / scale, true);
      if (total != 0)
        for (double& v : w) v /= total;
    } else {
      const double place = corners ? step * at : step * (at + 0.5) - 0.5;
      for (double i = std::floor(place) - 1; i <= std::floor(place) + 2; ++i)
        pixel(i) += filter(kind, place - i, false);
    }
  }
  return rows;
}

// a.i: the output's sizes, align_corners; a.d: a factor for each dimension, 0 for none.
Array resampled(const Array& x, Kind kind, const ArrayArgs& a, bool wide) {
  Array y = x;
  const size_t spatial = x.sizes.size() - 2;
  for (size_t d = 0; d < spatial; ++d) {
    const auto w = weights(kind, y.sizes[d + 2], a.i[d], a.i[spatial] != 0, a.d[d], wide, spatial);
    std::vector<int64_t> sizes = y.sizes;
    sizes[d + 2] = a.i[d];
    Array z(sizes);
    for_each_index(sizes, [&](std::vector<int64_t> at) {
      const auto o = static_cast<size_t>(at[d + 2]);
      double& sum = z.at(at);
      for (int64_t i = 0; i < y.sizes[d + 2]; ++i) {
        at[d + 2] = i;
        if (w[o][static_cast<size_t>(i)] != 0) sum += w[o][static_cast<size_t>(i)] * y.at(at);
      }
    });
    y = z;
  }
  return y;
}

optional<double> factor(const Args& a, size_t d) {
  return a.d[d] > 0 ? optional<double>(a.d[d]) : nullopt;
}

OpCase upsample_case(const std::string& name, Kind kind, size_t spatial, bool wide,
                     std::function<Tensor(const Args&, IntArrayRef, bool)> call) {
  OpCase c;
  c.name = name;
  c.dtypes = {kFloat, kDouble, kHalf};
  c.samples = [=](ScalarType t) {
    const bool blends = kind == Kind::kLinear || kind == Kind::kCubic;
    std::vector<Args> list;
    const std::vector<std::vector<int64_t>> ins = {{5, 4, 3}, {3, 7, 5}, {2, 1, 4}};
    const std::vector<std::vector<int64_t>> outs = {{7, 9, 4}, {2, 4, 8}, {5, 3, 4}};
    for (size_t i = 0; i < ins.size(); ++i)
      for (int64_t corners = 0; corners <= blends; ++corners) {
        std::vector<int64_t> sizes = {2, 3}, numbers;
        sizes.insert(sizes.end(), ins[i].end() - static_cast<long>(spatial), ins[i].end());
        numbers.insert(numbers.end(), outs[i].end() - static_cast<long>(spatial), outs[i].end());
        numbers.push_back(corners);
        list.push_back(sample_of({sizes}, t, {}, numbers, std::vector<double>(spatial, 0)));
        list.push_back(sample_of({sizes}, t, {}, numbers, std::vector<double>(spatial, 1.7)));
      }
    return list;
  };
  c.call = [=](const Args& a) {
    return call(a, IntArrayRef(a.i).slice(0, spatial), a.i[spatial] != 0);
  };
  c.reference = [=](const ArrayArgs& a) { return resampled(a.t[0], kind, a, wide); };
  c.tolerance = 40;  // places are found in the pixels' own precision
  return c;
}

TAPER_OP_CASES(upsample_cases, {
  using Size = IntArrayRef;
  OpCase bilinear = upsample_case(
      "upsample_bilinear2d", Kind::kLinear, 2, false, [](const Args& a, Size s, bool corners) {
        return upsample_bilinear2d(a.t[0], s, corners, factor(a, 0), factor(a, 1));
      });
  bilinear.errors = {error<Error>("It is expected input_size equals to 4, but got size 3",
                                  [] {
                                    upsample_bilinear2d(numbers({1, 3, 3}), {2, 2}, false);
                                  }),
                     error<Error>("It is expected output_size equals to 2, but got size 1",
                                  [] {
                                    upsample_bilinear2d(numbers({1, 3, 3, 3}), {2}, false);
                                  }),
                     error<Error>("Input and output sizes should be greater than 0",
                                  [] {
                                    upsample_bilinear2d(numbers({1, 3, 3, 3}), {2, 0}, false);
                                  }),
                     error<NotImplementedError>("not implemented for 'Long'", [] {
                       upsample_bilinear2d(numbers({1, 3, 3, 3}, kLong), {2, 2}, false);
                     })};
  return std::vector<OpCase>{
      bilinear,
      upsample_case(
          "upsample_nearest1d", Kind::kNearest, 1, false,
          [](const Args& a, Size s, bool) { return upsample_nearest1d(a.t[0], s, factor(a, 0)); }),
      upsample_case("upsample_nearest2d", Kind::kNearest, 2, false,
                    [](const Args& a, Size s, bool) {
                      return upsample_nearest2d(a.t[0], s, factor(a, 0), factor(a, 1));
                    }),
      upsample_case("upsample_nearest3d", Kind::kNearest, 3, false,
                    [](const Args& a, Size s, bool) {
                      return upsample_nearest3d(a.t[0], s, factor(a, 0), factor(a, 1),
                                                factor(a, 2));
                    }),
      upsample_case("_upsample_nearest_exact1d", Kind::kExact, 1, false,
                    [](const Args& a, Size s, bool) {
                      return _upsample_nearest_exact1d(a.t[0], s, factor(a, 0));
                    }),
      upsample_case("_upsample_nearest_exact2d", Kind::kExact, 2, false,
                    [](const Args& a, Size s, bool) {
                      return _upsample_nearest_exact2d(a.t[0], s, factor(a, 0), factor(a, 1));
                    }),
      upsample_case("_upsample_nearest_exact3d", Kind::kExact, 3, false,
                    [](const Args& a, Size s, bool) {
                      return _upsample_nearest_exact3d(a.t[0], s, factor(a, 0), factor(a, 1),
                                                       factor(a, 2));
                    }),
      upsample_case("upsample_linear1d", Kind::kLinear, 1, false,
                    [](const Args& a, Size s, bool corners) {
                      return upsample_linear1d(a.t[0], s, corners, factor(a, 0));
                    }),
      upsample_case("upsample_trilinear3d", Kind::kLinear, 3, false,
                    [](const Args& a, Size s, bool corners) {
                      return upsample_trilinear3d(a.t[0], s, corners, factor(a, 0), factor(a, 1),
                                                  factor(a, 2));
                    }),
      upsample_case("upsample_bicubic2d", Kind::kCubic, 2, false,
                    [](const Args& a, Size s, bool corners) {
                      return upsample_bicubic2d(a.t[0], s, corners, factor(a, 0), factor(a, 1));
                    }),
      upsample_case("_upsample_bilinear2d_aa", Kind::kLinear, 2, true,
                    [](const Args& a, Size s, bool corners) {
                      return _upsample_bilinear2d_aa(a.t[0], s, corners, factor(a, 0),
                                                     factor(a, 1));
                    }),
      upsample_case("_upsample_bicubic2d_aa", Kind::kCubic, 2, true,
                    [](const Args& a, Size s, bool corners) {
                      return _upsample_bicubic2d_aa(a.t[0], s, corners, factor(a, 0), factor(a, 1));
                    })};
});

TEST(Upsample, BytesAndEmptyBatches) {
  const Tensor x = counting({1, 1, 2, 2}, kByte);
  expect_values(upsample_nearest2d(x, {4, 2}), {1, 1, 4, 2}, {0, 1, 0, 1, 2, 3, 2, 3});
  EXPECT_EQ(upsample_nearest2d(x, {4, 2}).scalar_type(), kByte);
  EXPECT_EQ(upsample_bilinear2d(numbers({0, 2, 3, 3}), {5, 5}, true).sizes().vec(),
            (std::vector<int64_t>{0, 2, 5, 5}));
}

TEST(Upsample, AnyScaleStaysWithinTheImage) {
  const Tensor image = arange(16, kFloat).view({1, 1, 4, 4});
  const auto both = [&](const std::function<Tensor(const Tensor&)>& resampled) {
    Tensor x = image.clone().requires_grad_();
    const Tensor y = resampled(x);
    y.sum().backward();
    return std::make_pair(y, x.grad());
  };
  for (double scale : {1e-300, 1e-20, 1e-9}) {
    const auto [y, g] = both([&](const Tensor& x) {
      return upsample_nearest2d(x, IntArrayRef({3, 3}), scale, scale);
    });
    EXPECT_EQ(y[0][0][2][2].item<float>(), 15);  // past the image its last pixel
    EXPECT_EQ(g.sum().item<float>(), 9);
  }
  const auto [y, g] = both([](const Tensor& x) {
    return upsample_nearest2d(x, IntArrayRef({3, 3}), 1e38, 1e38);
  });
  EXPECT_TRUE(y.equal(zeros({1, 1, 3, 3})));
  EXPECT_EQ(g[0][0][0][0].item<float>(), 9);
  EXPECT_EQ(g.sum().item<float>(), 9);
  for (double scale : {1e-300, 1e-9, 1e38})
    both([&](const Tensor& x) {
      return _upsample_bilinear2d_aa(x, IntArrayRef({3, 3}), false, scale, scale);
    });
}

// In one and three dimensions the factor holds for any sizes; in two, LibTorch goes by the sizes
// where they are equal or one is twice the other.
TEST(Upsample, NearestGoesByTheFactorThatWasGiven) {
  const Tensor x = to_tensor(Array({1, 1, 5}), kFloat);
  for (int64_t i = 0; i < 5; ++i) x[0][0][i].fill_(i);
  const std::vector<double> by_factor = {0, 0, 1, 2, 2, 3, 4, 4, 4, 4};
  const optional<double> f = 1.5, one = 1.0;
  EXPECT_EQ(to_array(upsample_nearest1d(x, {10}, f)).v, by_factor);
  EXPECT_EQ(to_array(upsample_nearest1d(x, {5}, f)).v, (std::vector<double>{0, 0, 1, 2, 2}));
  EXPECT_EQ(to_array(upsample_nearest3d(x.view({1, 1, 1, 1, 5}), {1, 1, 10}, one, one, f)).v,
            by_factor);
  EXPECT_EQ(to_array(upsample_nearest2d(x.view({1, 1, 1, 5}), {1, 10}, one, f)).v,
            (std::vector<double>{0, 0, 1, 1, 2, 2, 3, 3, 4, 4}));
}

}  // namespace
}  // namespace torch::taper::testing
