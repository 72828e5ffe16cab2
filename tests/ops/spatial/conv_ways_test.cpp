// Every way to compute a convolution agrees with the plain sum for every shape that it can compute.
#include <taper/ops/spatial/conv/conv_ways.h>

#include <algorithm>
#include <set>

#include <taper/framework/kernel/isa.h>
#include <taper/ops/spatial/conv/conv_onednn.h>
#include <taper/taper.h>

#include "forced_way.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

using cpu::ConvPass;

struct Case {
  std::vector<int64_t> x, w;
  int64_t stride = 1, padding = 0, dilation = 1, groups = 1;
};

// Each way can compute some of them, on a CPU with AVX-512 and bf16 products.
const std::vector<Case> kCases = {
    {{2, 3, 9, 11}, {5, 3, 3, 3}},
    {{2, 3, 10, 18}, {5, 3, 3, 3}},
    {{1, 1, 28, 28}, {6, 1, 5, 5}, 1, 2},
    {{3, 6, 16, 16}, {16, 6, 5, 5}},
    {{2, 4, 16, 32}, {8, 4, 3, 3}, 1, 1},
    {{2, 20, 12, 9}, {24, 20, 3, 3}, 1, 1},
    {{4, 32, 16, 16}, {32, 32, 3, 3}, 1, 1},
    {{2, 1, 12, 12}, {4, 1, 3, 3}, 1, 2},
    {{2, 8, 12, 12}, {8, 1, 3, 3}, 1, 1, 1, 8},
    {{2, 6, 13, 9}, {12, 1, 5, 3}, 2, 2, 1, 6},
    {{3, 8, 10, 10}, {12, 4, 3, 3}, 1, 1, 1, 2},
    {{2, 16, 14, 14}, {32, 16, 3, 3}, 2, 1},
    {{2, 16, 14, 15}, {16, 16, 3, 3}, 1, 2, 2},
    {{2, 64, 8, 8}, {80, 64, 1, 1}},
    {{2, 64, 8, 8}, {80, 64, 1, 1}, 2},
    {{3, 7, 5, 3}, {4, 7, 1, 1}},
    {{2, 8, 40}, {12, 8, 7}, 2, 3},
    {{2, 4, 64}, {6, 4, 5}},
    {{1, 4, 5, 6, 16}, {6, 4, 3, 3, 3}, 1, 1},
    {{1, 2, 4, 8, 16}, {16, 2, 2, 3, 3}},
    {{1, 3, 7, 7}, {3, 3, 7, 7}, 1, 3},
    {{0, 16, 9, 9}, {16, 16, 3, 3}, 1, 1},
};

struct Maps {
  Tensor y, gx, gw;
  const Tensor& of(ConvPass pass) const {
    return pass == ConvPass::kForward ? y : pass == ConvPass::kInputGradient ? gx : gw;
  }
};

Maps maps_of(const Case& c, ScalarType dtype) {
  const size_t spatial = c.w.size() - 2;
  const Tensor x = numbers(c.x).to(dtype).requires_grad_();
  const Tensor w = numbers(c.w).to(dtype).requires_grad_();
  const Tensor b = numbers({c.w[0]}).to(dtype);
  const auto all = [&](int64_t n) { return std::vector<int64_t>(spatial, n); };
  const Tensor y =
      convolution(x, w, b, all(c.stride), all(c.padding), all(c.dilation), false, all(0), c.groups);
  y.backward(numbers(y.sizes().vec()).to(dtype));
  return {y.detach(), x.grad(), w.grad()};
}

// The sum over all patches in double, one product at a time.
struct PlainSum {
  const Case& c;
  Maps maps;
  std::vector<int64_t> y_sizes;

  PlainSum(const Case& c, ScalarType dtype) : c(c) {
    const Tensor x = rounded(numbers(c.x), dtype), w = rounded(numbers(c.w), dtype);
    const Tensor b = rounded(numbers({c.w[0]}), dtype);
    y_sizes = {c.x[0], c.w[0]};
    for (size_t d = 2; d < c.x.size(); ++d)
      y_sizes.push_back((c.x[d] + 2 * c.padding - c.dilation * (c.w[d] - 1) - 1) / c.stride + 1);
    const Tensor gy = rounded(numbers(y_sizes), dtype);
    maps = {zeros(y_sizes, kDouble), zeros(c.x, kDouble), zeros(c.w, kDouble)};
    const double *xs = x.data_ptr<double>(), *ws = w.data_ptr<double>();
    const double *bs = b.data_ptr<double>(), *gys = gy.data_ptr<double>();
    double *ys = maps.y.data_ptr<double>(), *gxs = maps.gx.data_ptr<double>();
    double* const gws = maps.gw.data_ptr<double>();
    for_products([&](int64_t i, int64_t k, int64_t j, bool first) {
      if (first) ys[j] += bs[j / spatial_numel(y_sizes) % c.w[0]];
      if (i < 0) return;
      ys[j] += xs[i] * ws[k];
      gxs[i] += gys[j] * ws[k];
      gws[k] += gys[j] * xs[i];
    });
  }

  static Tensor rounded(const Tensor& t, ScalarType dtype) { return t.to(dtype).to(kDouble); }
  static int64_t spatial_numel(const std::vector<int64_t>& sizes) {
    int64_t n = 1;
    for (size_t d = 2; d < sizes.size(); ++d) n *= sizes[d];
    return n;
  }
  // The place in x that kernel place k sees from result place j, or -1 in the padding.
  int64_t input_place(int64_t j, int64_t k) const {
    int64_t place = 0, step = 1;
    for (size_t d = c.x.size() - 1; d >= 2; --d) {
      const int64_t at = j % y_sizes[d] * c.stride + k % c.w[d] * c.dilation - c.padding;
      if (at < 0 || at >= c.x[d]) return -1;
      place += at * step;
      step *= c.x[d], j /= y_sizes[d], k /= c.w[d];
    }
    return place;
  }
  // body(index in x or -1, index in w, index in y, whether it is the first product of y's element).
  template <class Body>
  void for_products(const Body& body) const {
    const int64_t outs = c.w[0] / c.groups, ins = c.w[1];
    const int64_t in = spatial_numel(c.x), out = spatial_numel(y_sizes),
                  kernel = spatial_numel(c.w);
    for (int64_t n = 0; n < c.x[0]; ++n)
      for (int64_t m = 0; m < c.w[0]; ++m)
        for (int64_t j = 0; j < out; ++j)
          for (int64_t i = 0; i < ins; ++i)
            for (int64_t k = 0; k < kernel; ++k) {
              const int64_t seen = input_place(j, k), channel = n * c.x[1] + m / outs * ins + i;
              body(seen < 0 ? -1 : channel * in + seen, (m * ins + i) * kernel + k,
                   (n * c.w[0] + m) * out + j, i == 0 && k == 0);
            }
  }
};

ConvShape shape_of(const Case& c, const Tensor& y) {
  ConvSteps steps;
  const size_t spatial = c.w.size() - 2;
  for (size_t d = 3 - spatial; d < 3; ++d)
    steps.stride[d] = c.stride, steps.padding[d] = c.padding, steps.dilation[d] = c.dilation;
  steps.groups = c.groups;
  return conv_shape(Dims(IntArrayRef(c.x)), Dims(IntArrayRef(c.w)), Dims(y.sizes()), steps);
}

using Forced = ForcedWay<cpu::force_conv_way>;

constexpr ConvPass kPasses[] = {ConvPass::kForward, ConvPass::kInputGradient,
                                ConvPass::kWeightGradient};

/// Whether a way must compute some of the cases here.
bool is_on_this_cpu(const std::string& name, ScalarType dtype) {
  if (name == "patches" || name == "widened" || name == "depthwise" || name == "transposed")
    return true;
  if (name == "tiles") return false;  // its least work is more than these cases have
  if (dtype == kBFloat16) return cpu::onednn::multiplies_bf16();
  return cpu::best_isa == cpu::Isa::kAvx512;
}

class ConvWays : public ::testing::TestWithParam<ScalarType> {};

TEST_P(ConvWays, EachAgreesWithThePlainSum) {
  const ScalarType dtype = GetParam();
  const double most = dtype == kDouble ? 1e-13 : dtype == kFloat ? 2e-6 : 8e-3;
  std::set<std::pair<ConvPass, std::string>> computed;
  for (const Case& c : kCases) {
    const PlainSum want(c, dtype);
    const ConvShape shape = shape_of(c, want.maps.y);
    for (ConvPass pass : kPasses)
      for (const std::string& name : cpu::conv_ways(pass, dtype)) {
        if (!cpu::conv_way_can(pass, dtype, name, shape)) continue;
        const Forced forced(name.c_str());
        const int64_t before = cpu::forced_conv_runs();
        const Tensor got = maps_of(c, dtype).of(pass).to(kDouble), &exact = want.maps.of(pass);
        if (cpu::forced_conv_runs() > before) computed.insert({pass, name});
        if (got.numel() == 0) continue;
        const double size = exact.abs().max().item<double>();
        EXPECT_LE((got - exact).abs().max().item<double>(), most * std::max(size, 1.0))
            << name << ", pass " << static_cast<int>(pass) << ", x " << IntArrayRef(c.x) << ", w "
            << IntArrayRef(c.w);
      }
  }
  for (ConvPass pass : kPasses)
    for (const std::string& name : cpu::conv_ways(pass, dtype))
      EXPECT_TRUE(!is_on_this_cpu(name, dtype) || computed.count({pass, name}))
          << name << ", pass " << static_cast<int>(pass);
}
INSTANTIATE_TEST_SUITE_P(Dtypes, ConvWays, ::testing::Values(kFloat, kDouble, kBFloat16));

// A way that is forced is the one that computes: their sums have other roundings.
TEST(ConvWaysChoice, AForcedWayComputes) {
  const int64_t runs = cpu::forced_conv_runs();
  const Case c{{4, 32, 16, 16}, {32, 32, 3, 3}, 1, 1};
  const Forced forced("patches");
  const Tensor patches = maps_of(c, kFloat).y;
  EXPECT_EQ(cpu::forced_conv_runs() - runs, 3);
  cpu::force_conv_way("winograd");
  const Tensor y = maps_of(c, kFloat).y;
  const bool can = cpu::conv_way_can(ConvPass::kForward, kFloat, "winograd", shape_of(c, y));
  EXPECT_TRUE(!can || !y.equal(patches));
  // A name of f32 alone widens 16 bits.
  const int64_t before = cpu::forced_conv_runs();
  maps_of(c, kBFloat16);
  EXPECT_EQ(cpu::forced_conv_runs() - before, can ? 3 : 0);
}

TEST(ConvWaysChoice, AnUnknownNameIsAnError) {
  const Forced forced("winnograd");
  expect_error<ValueError>(
      "TAPER_CONV: expected one of depthwise, winograd, onednn, direct, copied, patches",
      [] { maps_of(kCases[0], kFloat); });
}

}  // namespace
}  // namespace torch::taper::testing
