#include <taper/ops/spatial/grid_sample.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <taper/framework/autograd/autograd.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/tensor/factory.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Sizes = std::vector<int64_t>;

// a.i: interpolation mode, padding mode, align_corners.
struct Axis {
  int64_t size, mode, padding;
  bool corners;

  // Into the image, or for zeros as it is.
  double padded(double v) const {
    const double n = static_cast<double>(size);
    if (padding == 0) return v;
    if (padding == 2) {
      const double low = corners ? 0 : -0.5, span = corners ? n - 1 : n;
      if (span == 0) return 0;
      double turn = std::fmod(std::abs(v - low), 2 * span);
      v = low + (turn > span ? 2 * span - turn : turn);
    }
    return std::min(std::max(v, 0.0), n - 1);
  }
  // The weight of every pixel of the axis at the grid's number g.
  std::vector<double> weights(double g) const {
    const double n = static_cast<double>(size);
    const double place = corners ? (g + 1) / 2 * (n - 1) : ((g + 1) * n - 1) / 2;
    std::vector<double> w(static_cast<size_t>(size), 0);
    const auto add = [&](double i, double weight) {
      if (i >= 0 && i < n) w[static_cast<size_t>(i)] += weight;
    };
    if (mode == 1) {
      add(std::nearbyint(padded(place)), 1);
    } else if (mode == 0) {
      const double p = padded(place), i = std::floor(p);
      add(i, 1 - (p - i));
      add(i + 1, p - i);
    } else {
      const double first = std::floor(place) - 1, a = -0.75;
      for (double i = first; i < first + 4; ++i) {
        const double x = std::abs(place - i);
        add(padded(i), x <= 1 ? (a + 2) * x * x * x - (a + 3) * x * x + 1
                              : a * (x * x * x - 5 * x * x + 8 * x - 4));
      }
    }
    return w;
  }
};

Array sampled(const Array& x, const Array& grid, const std::vector<int64_t>& i) {
  const size_t dims = x.sizes.size() - 2;
  std::vector<int64_t> sizes = {x.sizes[0], x.sizes[1]};
  sizes.insert(sizes.end(), grid.sizes.begin() + 1, grid.sizes.end() - 1);
  Array y(sizes);
  for_each_index(sizes, [&](const std::vector<int64_t>& at) {
    std::vector<std::vector<double>> w(dims);
    for (size_t d = 0; d < dims; ++d) {
      std::vector<int64_t> place = {at[0]};
      place.insert(place.end(), at.begin() + 2, at.end());
      place.push_back(static_cast<int64_t>(dims - 1 - d));
      w[d] = Axis{x.sizes[d + 2], i[0], i[1], i[2] != 0}.weights(grid.at(place));
    }
    for_each_index({x.sizes.begin() + 2, x.sizes.end()}, [&](const std::vector<int64_t>& pixel) {
      std::vector<int64_t> from = {at[0], at[1]};
      double weight = 1;
      for (size_t d = 0; d < dims; ++d) {
        from.push_back(pixel[d]);
        weight *= w[d][static_cast<size_t>(pixel[d])];
      }
      y.at(at) += weight * x.at(from);
    });
  });
  return y;
}

// Places that keep away from where the blends have kinks.
Args sample(const std::vector<int64_t>& image, const std::vector<int64_t>& grid, ScalarType t,
            const std::vector<int64_t>& i) {
  Args a = sample_of({image, grid}, t, {}, i);
  Random random(7);
  const int64_t last = grid.back();
  for (int64_t k = 0; k < a.t[1].numel(); ++k) {
    const double n = static_cast<double>(image[image.size() - 1 - static_cast<size_t>(k % last)]);
    const double pixel = std::floor(random.uniform(-n, 2 * n)) + random.uniform(0.1, 0.4);
    set_element(a.t[1], k,
                i[2] ? (n > 1 ? 2 * pixel / (n - 1) - 1 : 0.3) : (2 * pixel + 1) / n - 1);
  }
  return a;
}

TAPER_OP_CASES(grid_cases, {
  OpCase c;
  c.name = "grid_sampler";
  c.covers = {"grid_sampler_2d", "grid_sampler_3d"};
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (int64_t mode = 0; mode < 3; ++mode)
      for (int64_t padding = 0; padding < 3; ++padding)
        for (int64_t corners = 0; corners < 2; ++corners) {
          const std::vector<int64_t> i = {mode, padding, corners};
          list.push_back(sample({2, 3, 4, 5}, {2, 3, 2, 2}, t, i));
          if (mode < 2) list.push_back(sample({2, 2, 3, 2, 4}, {2, 1, 3, 2, 3}, t, i));
        }
    list.push_back(sample({1, 2, 9, 7}, {1, 20, 33, 2}, t, {0, 0, 0}));
    list.push_back(sample({0, 2, 3, 3}, {0, 2, 2, 2}, t, {0, 0, 0}));
    list.push_back(sample({1, 2, 1, 3}, {1, 2, 2, 2}, t, {0, 2, 1}));
    return list;
  };
  c.call = [](const Args& a) { return grid_sampler(a.t[0], a.t[1], a.i[0], a.i[1], a.i[2] != 0); };
  c.reference = [](const ArrayArgs& a) { return sampled(a.t[0], a.t[1], a.i); };
  c.tolerance = 4;
  c.errors = {
      error<Error>("grid_sampler(): expected grid to have size 2 in last dimension, but got grid "
                   "with sizes [1, 2, 2, 3]",
                   [] {
                     grid_sampler(numbers({1, 3, 3, 3}), numbers({1, 2, 2, 3}), 0, 0, true);
                   }),
      error<Error>("grid_sampler(): expected grid and input to have same batch size",
                   [] {
                     grid_sampler(numbers({1, 3, 3, 3}), numbers({2, 2, 2, 2}), 0, 0, true);
                   }),
      error<Error>("grid_sampler(): bicubic interpolation only supports 4D input",
                   [] {
                     grid_sampler(numbers({1, 3, 3, 3, 3}), numbers({1, 2, 2, 2, 3}), 2, 0, true);
                   }),
      error<Error>("expected scalar type Double but found Float", [] {
        grid_sampler(numbers({1, 3, 3, 3}, kDouble), numbers({1, 2, 2, 2}), 0, 0, true);
      })};
  return std::vector<OpCase>{c};
});

// Numbers of PyTorch 1.13.
TEST(AffineGrid, GivesPlacesOfTheOutputsPixels) {
  const Tensor theta = tensor_of({1, 2, 3}, {1, 0, 0.5, 0, 2, 0});
  expect_values(affine_grid_generator(theta, {1, 1, 2, 2}, true), {1, 2, 2, 2},
                {-0.5, -2, 1.5, -2, -0.5, 2, 1.5, 2});
  expect_values(affine_grid_generator(theta, {1, 1, 2, 2}, false), {1, 2, 2, 2},
                {0, -1, 1, -1, 0, 1, 1, 1});
}

// With create_graph the gradients are made of public ops, without by a kernel: they agree, beyond
// the image and at its edges too.
TEST(GridSample, GradientsOfBothKindsAgree) {
  for (int64_t mode = 0; mode < 3; ++mode)
    for (int64_t padding = 0; padding < 3; ++padding)
      for (const bool corners : {false, true}) {
        const Tensor x = sin(arange(24, kDouble)).view({1, 2, 3, 4}).requires_grad_();
        const Tensor grid = linspace(-2.1, 2.1, 60, kDouble).view({1, 5, 6, 2}).requires_grad_();
        const auto gradients = [&](bool twice) {
          const Tensor y = grid_sampler(x, grid, mode, padding, corners);
          const Tensor weights = cos(arange(y.numel(), kDouble)).view(y.sizes());
          return autograd::grad({(y * weights).sum()}, {x, grid}, {}, nullopt, twice);
        };
        const auto plain = gradients(false), in_ops = gradients(true);
        for (size_t i = 0; i < 2; ++i)
          EXPECT_TRUE(allclose(plain[i], in_ops[i], 1e-9, 1e-11))
              << mode << padding << corners << i << "\n"
              << plain[i] << in_ops[i];
      }
}

TEST(GridSample, PlacesThatNoIntegerHoldsHaveSecondDerivatives) {
  const Tensor x = numbers({1, 1, 3, 3}).requires_grad_();
  const Tensor grid = tensor_of({1, 1, 3, 2}, {NAN, 0, 1e30, 0, 0, -INFINITY}).requires_grad_();
  for (int64_t padding = 0; padding < 3; ++padding) {
    const Tensor y = grid_sampler(x, grid, 0, padding, false);
    const Tensor g = autograd::grad({y.sum()}, {x}, {}, nullopt, true)[0];
    EXPECT_EQ(g.sizes(), x.sizes());
  }
}

TAPER_OP_CASES(maps, {
  std::vector<OpCase> list;
  for (const bool corners : {false, true}) {
    OpCase c;
    c.name = corners ? "affine_grid_corners" : "affine_grid";
    c.samples = [](ScalarType t) {
      return std::vector<Args>{sample_of({{2, 2, 3}}, t, {}, {2, 1, 3, 4}),
                               sample_of({{1, 3, 4}}, t, {}, {1, 2, 2, 3, 4})};
    };
    c.call = [=](const Args& a) { return affine_grid_generator(a.t[0], a.i, corners); };
    c.reference = [=](const ArrayArgs& a) {
      const auto dims = int64_t(a.i.size()) - 2;
      Sizes places(a.i.begin() + 2, a.i.end()), sizes = places;
      sizes.insert(sizes.begin(), a.i[0]);
      sizes.push_back(dims);
      Array y(sizes);
      for_each_index(sizes, [&](const Sizes& index) {
        double sum = a.t[0].at({index[0], index.back(), dims});
        for (int64_t d = 0; d < dims; ++d) {  // x is the last of the places
          const double n = double(places[size_t(dims - 1 - d)]);
          const double i = double(index[size_t(dims - d)]);
          const double place = corners ? 2 * i / (n - 1) - 1 : (2 * i + 1) / n - 1;
          sum += a.t[0].at({index[0], index.back(), d}) * place;
        }
        y.at(index) = sum;
      });
      return y;
    };
    c.tolerance = 4;
    list.push_back(c);
  }
  return list;
});

}  // namespace
}  // namespace torch::taper::testing
