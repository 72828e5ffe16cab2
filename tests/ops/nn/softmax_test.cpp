#include <taper/ops/nn/softmax.h>

#include <gtest/gtest.h>

#include <cmath>

#include "harness/pointwise.h"
#include "sums_along.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

// softmax or its logarithm along dimension i[0], straight from the formula.
Array softmax_reference(const ArrayArgs& a, bool logarithm) {
  const Array& x = a.t[0];
  const auto sums = sums_along(x, a.i[0], [&](int64_t i) { return std::exp(x.v[i]); });
  Array y = x;
  for (size_t i = 0; i < sums.size(); ++i)
    y.v[i] = logarithm ? x.v[i] - std::log(sums[i]) : std::exp(x.v[i]) / sums[i];
  return y;
}

OpCase softmax_case(std::string name, Tensor (*op)(const Tensor&, int64_t, optional<ScalarType>),
                    bool logarithm) {
  OpCase c;
  c.name = std::move(name);
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16};
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (const auto& [shape, dim] :
         std::vector<std::pair<std::vector<int64_t>, int64_t>>{{{}, 0},
                                                               {{0}, 0},
                                                               {{1}, 0},
                                                               {{33}, -1},
                                                               {{3, 5}, 0},
                                                               {{3, 5}, 1},
                                                               {{2, 3, 4}, 1},
                                                               {{0, 4}, 1},
                                                               {{4, 0}, 1},
                                                               {{2, 1025}, 1},
                                                               {{70, 3}, 0},
                                                               {{5, 7, 33}, 1}})
      list.push_back(sample_of({shape}, t, {-8, 8}, {dim}));
    return list;
  };
  c.call = [op](const Args& a) { return op(a.t[0], a.i[0], nullopt); };
  c.reference = [logarithm](const ArrayArgs& a) { return softmax_reference(a, logarithm); };
  c.errors = {error<IndexError>("Dimension out of range", [op] {
    op(to_tensor(Array({2, 3}), kFloat), 2, nullopt);
  })};
  c.errors.push_back(error<NotImplementedError>("not implemented for 'Long'", [op] {
    op(to_tensor(Array({2, 3}), kLong), 1, nullopt);
  }));
  return c;
}

/// From the gradient of the output and the output y (of log_softmax its logarithm), both of the
/// shape of x in softmax_case's samples: y (g - sum(g y)), or g - exp(y) sum(g).
OpCase backward_case(std::string name, Tensor (*op)(const Tensor&, const Tensor&, int64_t),
                     bool logarithm) {
  OpCase c = softmax_case(std::move(name), &softmax, false);
  c.samples = [plain = c.samples](ScalarType t) {
    std::vector<Args> list;
    for (const Args& a : plain(t))
      list.push_back(sample_of({a.t[0].sizes().vec(), a.t[0].sizes().vec()}, t, {-1, 1}, a.i));
    return list;
  };
  c.call = [op](const Args& a) { return op(a.t[0], a.t[1], a.i[0]); };
  c.reference = [logarithm](const ArrayArgs& a) {
    const Array &g = a.t[0], &y = a.t[1];
    const auto sums =
        sums_along(g, a.i[0], [&](int64_t i) { return g.v[i] * (logarithm ? 1 : y.v[i]); });
    Array gx(g.sizes);
    for (size_t i = 0; i < sums.size(); ++i)
      gx.v[i] = logarithm ? g.v[i] - std::exp(y.v[i]) * sums[i] : y.v[i] * (g.v[i] - sums[i]);
    return gx;
  };
  c.tolerance = 16;
  const auto ones = [](std::vector<int64_t> sizes, ScalarType t) {
    return to_tensor(Array(sizes, 1), t);
  };
  c.errors = {error<Error>("expected a gradient like the output, Float[2, 3], got Float[2, 2]",
                           [=] {
                             op(ones({2, 2}, kFloat), ones({2, 3}, kFloat), 1);
                           }),
              error<Error>("expected a gradient like the output, Float[2], got Double[2]",
                           [=] { op(ones({2}, kDouble), ones({2}, kFloat), 0); }),
              error<IndexError>("Dimension out of range",
                                [=] { op(ones({2}, kFloat), ones({2}, kFloat), 1); }),
              error<NotImplementedError>("not implemented for 'Long'",
                                         [=] { op(ones({2}, kLong), ones({2}, kLong), 0); })};
  return c;
}

TAPER_OP_CASES(softmaxes, {
  return std::vector<OpCase>{softmax_case("softmax", &softmax, false),
                             softmax_case("log_softmax", &log_softmax, true),
                             backward_case("softmax_backward", &softmax_backward, false),
                             backward_case("log_softmax_backward", &log_softmax_backward, true)};
});

TEST(Softmax, DoesNotOverflow) {
  Array a({2, 2});
  a.v = {1000, 0, -1000, -1000};
  const Tensor x = to_tensor(a, kFloat);
  EXPECT_EQ(x.softmax(1)[0][0].item<float>(), 1);
  EXPECT_EQ(x.log_softmax(1)[0][1].item<float>(), -1000);
  EXPECT_EQ(x.softmax(1)[1][0].item<float>(), 0.5);
}

TEST(Softmax, MinusInfinityGivesZero) {
  Array a({3});
  a.v = {-INFINITY, 0, 0};
  const Tensor y = to_tensor(a, kFloat).softmax(0);
  EXPECT_EQ(y[0].item<float>(), 0);
  EXPECT_EQ(y[1].item<float>(), 0.5);
}

TEST(Softmax, SmallResultsKeepTheirPrecision) {
  Array a({2});
  for (const double x : {-20.0, -50.0, -87.0, -90.0, -100.0}) {
    a.v = {x, 0};
    const double want = std::exp(x) / (1 + std::exp(x));
    EXPECT_NEAR(to_tensor(a, kFloat).softmax(0)[0].item<float>() / want, 1, x < -87 ? 2e-2 : 1e-5);
  }
}

// Short rows go through the loops several at a time.
TEST(Softmax, ARowIsTheSameAmongOthersAndAlone) {
  for (const int64_t n : {5, 100, 700}) {
    const Tensor x = sample_of({{11, n}}, kFloat, {-8, 8}).t[0],
                 g = sample_of({{11, n}}, kFloat).t[0];
    const Tensor y = x.softmax(1), log_y = x.log_softmax(1), gx = softmax_backward(g, y, 1);
    for (int64_t r = 0; r < 11; ++r) {
      EXPECT_TRUE(x[r].softmax(0).equal(y[r])) << n << ' ' << r;
      EXPECT_TRUE(x[r].log_softmax(0).equal(log_y[r])) << n << ' ' << r;
      EXPECT_TRUE(softmax_backward(g[r], y[r], 0).equal(gx[r])) << n << ' ' << r;
    }
  }
}

// Rows of 16-bit floats that are read as they are, with every number of elements behind their last
// whole vectors, beside the same in floats.
TEST(Softmax, GradientsOf16BitRowsAreRoundedOnce) {
  for (const ScalarType t : {kHalf, kBFloat16})
    for (int64_t n = 60; n < 132; ++n) {
      const Tensor y = numbers({3, n}, kFloat).mul(3).softmax(1).to(t);
      const Tensor gy = numbers({3, n}, kFloat).sub(0.25).to(t);
      const Tensor gx = softmax_backward(gy, y, 1);
      const Tensor exact = softmax_backward(gy.to(kFloat), y.to(kFloat), 1);
      EXPECT_TRUE(gx.equal(exact.to(t))) << toString(t) << n;
    }
}

TEST(Softmax, DtypeArgumentConvertsFirst) {
  const Tensor y = to_tensor(Array({2}), kLong).softmax(0, kDouble);
  EXPECT_EQ(y.scalar_type(), kDouble);
  EXPECT_EQ(y[0].item<double>(), 0.5);
}

}  // namespace
}  // namespace torch::taper::testing
