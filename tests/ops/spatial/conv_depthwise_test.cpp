#include <taper/ops/spatial/conv/conv_depthwise.h>

#include <cmath>

#include <taper/framework/cpu/parallel.h>
#include <taper/taper.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

// Sizes of an input and of one channel's kernel, output channels for each input channel, and how
// the convolution steps.
struct Setting {
  std::vector<int64_t> x, kernel;
  int64_t outputs;
  std::vector<int64_t> stride, padding, dilation;
};

const std::vector<Setting> kSettings = {
    {{2, 3, 28, 28}, {3, 3}, 1, {1, 1}, {1, 1}, {1, 1}},
    {{1, 2, 7, 7}, {3, 3}, 1, {1, 1}, {1, 1}, {1, 1}},
    {{2, 4, 14, 15}, {3, 3}, 1, {2, 2}, {1, 1}, {1, 1}},
    {{1, 3, 17, 66}, {5, 5}, 2, {1, 1}, {2, 2}, {1, 1}},
    {{3, 2, 9, 33}, {7, 4}, 1, {1, 2}, {3, 0}, {1, 1}},
    {{1, 5, 11, 100}, {3, 2}, 3, {3, 1}, {0, 2}, {1, 3}},
    {{2, 2, 6, 5}, {2, 3}, 1, {3, 4}, {5, 7}, {2, 3}},
    {{2, 3, 1, 1}, {1, 1}, 2, {1, 1}, {0, 0}, {1, 1}},
    {{2, 2, 8, 8}, {1, 1}, 1, {3, 3}, {0, 0}, {1, 1}},
    {{2, 3, 50}, {9}, 1, {1}, {4}, {1}},
    {{2, 3, 41}, {4}, 2, {3}, {0}, {2}},
    {{1, 2, 5, 6, 7}, {3, 2, 3}, 2, {1, 2, 1}, {1, 0, 2}, {2, 1, 1}},
    {{2, 2, 4, 4, 9}, {2, 2, 2}, 1, {2, 1, 3}, {1, 1, 0}, {1, 2, 1}}};

// A depth of its own beside 3 x 3, and everything that the rule for it asks, once the other way.
std::vector<Setting> around_three() {
  std::vector<Setting> list;
  for (int64_t depth : {1, 2, 4})
    for (int64_t padding = 0; padding <= 4; ++padding) {
      const Setting three = {{2, 3, depth, 5, 6},   {1, 3, 3}, 1, {1, 1, 1},
                             {0, padding, padding}, {1, 1, 1}};
      list.push_back(three);
      for (size_t d = 0; d < 3; ++d) {
        Setting other = three;
        other.stride[d] = 2;
        list.push_back(other);
        other = three;
        other.padding[d] += 1;
        list.push_back(other);
        if (d > 0 && padding == 0) continue;  // five kernel elements are more than there is
        other = three;
        other.dilation[d] = 2;
        list.push_back(other);
      }
      for (std::vector<int64_t> kernel : {std::vector<int64_t>{1, 3, 2}, {1, 1, 3}, {2, 3, 3}}) {
        if (kernel[0] > depth) continue;
        list.push_back(three);
        list.back().kernel = kernel;
      }
      list.push_back(three);
      list.back().outputs = 2;
    }
  return list;
}

std::vector<int64_t> weight_sizes(const Setting& s, int64_t channels) {
  std::vector<int64_t> sizes = {channels * s.outputs, 1};
  sizes.insert(sizes.end(), s.kernel.begin(), s.kernel.end());
  return sizes;
}

Tensor convolve(const Setting& s, const Tensor& x, const Tensor& w, const Tensor& b,
                int64_t groups) {
  return convolution(x, w, b, s.stride, s.padding, s.dilation, false,
                     std::vector<int64_t>(s.stride.size(), 0), groups);
}

// The result and the gradients of input, weight and bias, each channel by itself when `apart`: that
// is a convolution without groups, computed in another way.
std::vector<Tensor> results(const Setting& s, ScalarType dtype, bool apart) {
  const int64_t channels = s.x[1];
  const auto leaf = [dtype](const std::vector<int64_t>& sizes) {
    return numbers(sizes).to(dtype).clone().requires_grad_();
  };
  const Tensor x = leaf(s.x), w = leaf(weight_sizes(s, channels)), b = leaf({w.size(0)});
  std::vector<Tensor> parts;
  for (int64_t c = 0; apart && c < channels; ++c) {
    const auto part = [&](const Tensor& t) { return t.narrow(0, c * s.outputs, s.outputs); };
    parts.push_back(convolve(s, x.narrow(1, c, 1), part(w), part(b), 1));
  }
  const Tensor y = apart ? cat(parts, 1) : convolve(s, x, w, b, channels);
  y.backward(numbers(y.sizes().vec()).to(dtype));
  return {y.detach(), x.grad(), w.grad(), b.grad()};
}

TEST(ConvDepthwise, EqualsOneConvolutionForEachChannel) {
  std::vector<Setting> settings = around_three();
  settings.insert(settings.end(), kSettings.begin(), kSettings.end());
  for (const Setting& s : settings)
    for (ScalarType dtype : {kDouble, kFloat, kHalf}) {
      const std::vector<Tensor> exact = results(s, kDouble, true), got = results(s, dtype, false);
      const double tolerance = dtype == kDouble ? 1e-12 : dtype == kFloat ? 1e-5 : 5e-2;
      for (size_t i = 0; i < got.size(); ++i)
        EXPECT_TRUE(got[i].to(kDouble).allclose(exact[i], tolerance, 10 * tolerance))
            << "result " << i << " for input " << IntArrayRef(s.x) << ", kernel "
            << IntArrayRef(s.kernel) << ", " << dtype;
    }
}

TEST(ConvDepthwise, ThreadsDoNotChangeTheResults) {
  const Setting s = {{4, 32, 28, 28}, {3, 3}, 1, {1, 1}, {1, 1}, {1, 1}};
  const int before = get_num_threads();
  set_num_threads(1);
  const std::vector<Tensor> one = results(s, kFloat, false);
  set_num_threads(3);
  const std::vector<Tensor> three = results(s, kFloat, false);
  set_num_threads(before);
  for (size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(one[i].equal(three[i])) << i;
}

// What a kernel element does not see must not reach its gradient, not even times zero.
TEST(ConvDepthwise, InfinitiesStayWithTheElementsThatSeeThem) {
  Tensor x = numbers({1, 2, 5, 9});
  x.fill_(1);
  x[0][0][0][8] = INFINITY;
  const Tensor w = numbers({2, 1, 3, 3}).requires_grad_();
  const Tensor y = conv2d(x, w, {}, 1, 0, 1, 2);
  y.backward(ones_like(y));
  for (int64_t kh = 0; kh < 3; ++kh)
    for (int64_t kw = 0; kw < 3; ++kw)
      EXPECT_EQ(w.grad()[0][0][kh][kw].item<float>(), kh == 0 && kw == 2 ? INFINITY : 21.0f);
}

TEST(ConvDepthwise, TakesOneInputChannelForEachGroup) {
  ConvShape s{1, 8, 1, 1, {1, 9, 9}, {1, 9, 9}, {1, 3, 3}, {}};
  EXPECT_TRUE(cpu::depthwise::takes(s));
  s.in_channels = 2;
  EXPECT_FALSE(cpu::depthwise::takes(s));
}

}  // namespace
}  // namespace torch::taper::testing
