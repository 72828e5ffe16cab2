#include <taper/ops/spatial/conv/conv.h>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/node.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/random/random.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/spatial/pad.h>
#include <taper/ops/tensor/factory.h>

#include "ops/linalg/matrix_cases.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

const Range kSmall = {-2, 2};

// One setting: sizes of input, weight and perhaps bias; stride, padding, dilation, output padding,
// for every spatial dimension alike unless `mixed`; groups.
struct Setting {
  std::vector<std::vector<int64_t>> sizes;
  int64_t stride = 1, padding = 0, dilation = 1, groups = 1, output_padding = 0;
};

std::vector<Args> samples_from(const std::vector<Setting>& settings, ScalarType dtype) {
  std::vector<Args> list;
  for (const Setting& s : settings)
    list.push_back(sample_of(s.sizes, dtype, kSmall,
                             {s.stride, s.padding, s.dilation, s.groups, s.output_padding}));
  return list;
}

// The definition, element by element. The input has a batch; `to` receives product(x, w).
template <class Each>
void for_each_element(const Array& x, const Array& w, const std::vector<int64_t>& out,
                      const std::vector<int64_t>& i, const Each& each) {
  const int64_t spatial = w.dim() - 2, groups = i[3];
  for_each_index(out, [&](const std::vector<int64_t>& at) {
    const int64_t group = at[1] / (w.size(0) / groups);
    std::vector<int64_t> elements(w.sizes.begin() + 1, w.sizes.end());
    for_each_index(elements, [&](const std::vector<int64_t>& element) {
      std::vector<int64_t> in = {at[0], group * w.size(1) + element[0]},
                           weight = {at[1], element[0]};
      for (int64_t d = 0; d < spatial; ++d) {
        in.push_back(at[d + 2] * i[0] - i[1] + element[d + 1] * i[2]);
        weight.push_back(element[d + 1]);
        if (in.back() < 0 || in.back() >= x.size(d + 2)) return;
      }
      each(at, in, weight);
    });
  });
}

Array naive_conv(const ArrayArgs& a) {
  Array x = a.t[0];
  const Array& w = a.t[1];
  const bool unbatched = x.dim() + 1 == w.dim();
  if (unbatched) x.sizes.insert(x.sizes.begin(), 1);
  std::vector<int64_t> out = {x.size(0), w.size(0)};
  for (int64_t d = 2; d < w.dim(); ++d)
    out.push_back((x.size(d) + 2 * a.i[1] - a.i[2] * (w.size(d) - 1) - 1) / a.i[0] + 1);
  Array y(out);
  if (a.t.size() > 2) for_each_index(out, [&](const auto& at) { y.at(at) = a.t[2].at({at[1]}); });
  for_each_element(x, w, out, a.i, [&](const auto& at, const auto& in, const auto& weight) {
    y.at(at) += x.at(in) * w.at(weight);
  });
  if (unbatched) y.sizes.erase(y.sizes.begin());
  return y;
}

Array naive_transposed(const ArrayArgs& a) {
  const Array &y = a.t[0], &w = a.t[1];
  std::vector<int64_t> size = {y.size(0), w.size(1) * a.i[3]};
  for (int64_t d = 2; d < w.dim(); ++d)
    size.push_back((y.size(d) - 1) * a.i[0] - 2 * a.i[1] + a.i[2] * (w.size(d) - 1) + a.i[4] + 1);
  Array x(size);
  if (a.t.size() > 2) for_each_index(size, [&](const auto& at) { x.at(at) = a.t[2].at({at[1]}); });
  for_each_element(x, w, y.sizes, a.i, [&](const auto& at, const auto& in, const auto& weight) {
    x.at(in) += y.at(at) * w.at(weight);
  });
  return x;
}

using Conv = Tensor (*)(const Tensor&, const Tensor&, const Tensor&, IntArrayRef, IntArrayRef,
                        IntArrayRef, int64_t);

OpCase conv_case(const char* name, Conv conv, const std::vector<Setting>& settings) {
  OpCase c;
  c.name = name;
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16};
  c.samples = [settings](ScalarType t) { return samples_from(settings, t); };
  c.call = [conv](const Args& a) {
    return conv(a.t[0], a.t[1], a.t.size() > 2 ? a.t[2] : Tensor(), a.i[0], a.i[1], a.i[2], a.i[3]);
  };
  c.reference = [](const ArrayArgs& a) { return naive_conv(a); };
  c.tolerance = 40;
  return c;
}

TAPER_OP_CASES(conv_cases, {
  OpCase one = conv_case("conv1d", static_cast<Conv>(&conv1d),
                         {{{{2, 3, 9}, {4, 3, 3}, {4}}},
                          {{{2, 3, 9}, {4, 3, 3}}, 2, 1},
                          {{{3, 9}, {4, 3, 2}, {4}}, 1, 0, 2},
                          {{{2, 4, 7}, {4, 2, 3}, {4}}, 3, 2, 1, 2},
                          {{{0, 3, 9}, {4, 3, 3}}},
                          {{{1, 1, 100}, {2, 1, 70}}}});
  one.errors = {error<Error>("Expected 2D (unbatched) or 3D (batched) input to conv1d", [] {
    conv1d(numbers({4}), numbers({1, 1, 2}));
  })};
  OpCase two = conv_case("conv2d", static_cast<Conv>(&conv2d),
                         {{{{2, 1, 6, 7}, {3, 1, 3, 2}, {3}}},
                          {{{1, 2, 5, 5}, {2, 2, 3, 3}, {2}}, 1, 1},
                          {{{1, 2, 6, 5}, {2, 2, 3, 3}}, 2, 1},
                          {{{1, 2, 7, 7}, {2, 2, 2, 3}, {2}}, 1, 2, 2},
                          {{{2, 4, 4, 4}, {6, 2, 2, 2}, {6}}, 1, 1, 1, 2},
                          {{{1, 4, 4, 5}, {4, 1, 3, 3}, {4}}, 1, 1, 1, 4},
                          {{{3, 2, 7, 5}, {4, 1, 3, 3}}, 1, 0, 1, 2},
                          {{{2, 2, 5, 4}, {4, 1, 5, 5}, {4}}, 1, 2, 1, 2},
                          {{{1, 2, 6, 3}, {2, 1, 7, 7}}, 1, 4, 1, 2},
                          {{{2, 3, 4, 4}, {2, 3, 1, 1}, {2}}},
                          {{{2, 3, 4, 4}, {2, 3, 1, 1}, {2}}, 2},
                          {{{3, 4, 4}, {2, 3, 2, 2}}},
                          {{{0, 3, 4, 4}, {2, 3, 2, 2}}},
                          {{{2, 1, 28, 28}, {10, 1, 5, 5}, {10}}},
                          {{{2, 10, 12, 12}, {20, 10, 5, 5}, {20}}},
                          {{{1, 7, 20, 21}, {9, 7, 3, 3}, {9}}, 1, 1},
                          {{{1, 60, 6, 6}, {8, 60, 3, 3}}, 1, 1}});
  two.covers = {"convolution"};
  two.errors = {
      error<Error>("negative padding is not supported",
                   [] {
                     conv2d(numbers({1, 1, 4, 4}), numbers({1, 1, 3, 3}), {}, 1, -1);
                   }),
      error<Error>("non-positive stride is not supported",
                   [] {
                     conv2d(numbers({1, 1, 4, 4}), numbers({1, 1, 3, 3}), {}, 0);
                   }),
      error<Error>(
          "Calculated padded input size per channel: (2 x 2). Kernel size: (3 x 3). Kernel "
          "size can't be greater than actual input size",
          [] {
            conv2d(numbers({1, 1, 2, 2}), numbers({1, 1, 3, 3}));
          }),
      error<Error>("Given groups=1, weight of size [1, 1, 3, 3], expected input[1, 2, 4, 4] to "
                   "have 1 channels, but got 2 channels instead",
                   [] {
                     conv2d(numbers({1, 2, 4, 4}), numbers({1, 1, 3, 3}));
                   }),
      error<Error>("expected weight to be divisible by 2 at dimension 0",
                   [] {
                     conv2d(numbers({1, 2, 4, 4}), numbers({3, 1, 3, 3}), {}, 1, 0, 1, 2);
                   }),
      error<Error>("expected bias to be 1-dimensional with 1 elements",
                   [] {
                     conv2d(numbers({1, 1, 4, 4}), numbers({1, 1, 3, 3}), numbers({2}));
                   }),
      error<Error>("expected scalar type Float but found Double",
                   [] {
                     conv2d(numbers({1, 1, 4, 4}), numbers({1, 1, 3, 3}, kDouble));
                   }),
      error<Error>("padding='same' is not supported for strided convolutions",
                   [] {
                     conv2d(numbers({1, 1, 4, 4}), numbers({1, 1, 3, 3}), {}, 2, "same");
                   }),
      error<Error>("expected padding to be a single integer value or a list of 2 values to match "
                   "the convolution dimensions, but got padding=[1, 2, 3]",
                   [] {
                     conv2d(numbers({1, 1, 4, 4}), numbers({1, 1, 3, 3}), {}, 1, {1, 2, 3});
                   })};
  OpCase three = conv_case("conv3d", static_cast<Conv>(&conv3d),
                           {{{{1, 2, 3, 4, 3}, {2, 2, 2, 2, 2}, {2}}, 1, 1},
                            {{{1, 2, 3, 4, 3}, {2, 1, 2, 2, 2}}, 2, 1, 1, 2}});
  three.errors = {error<Error>("Expected 5-dimensional weight for conv3d", [] {
    conv3d(numbers({1, 4, 4}), numbers({1, 1, 2}));
  })};
  return std::vector{one, two, three};
});

TAPER_OP_CASES(conv_transpose_cases, {
  const auto transposed = [](const char* name, Conv conv, const std::vector<Setting>& settings) {
    OpCase c = conv_case(name, conv, settings);
    const int64_t spatial = settings[0].sizes[1].size() - 2;
    c.call = [spatial](const Args& a) {
      const Tensor b = a.t.size() > 2 ? a.t[2] : Tensor();
      const auto op = spatial == 1   ? &conv_transpose1d
                      : spatial == 2 ? &conv_transpose2d
                                     : &conv_transpose3d;
      return op(a.t[0], a.t[1], b, a.i[0], a.i[1], a.i[4], a.i[3], a.i[2]);
    };
    c.reference = [](const ArrayArgs& a) { return naive_transposed(a); };
    return c;
  };
  OpCase two = transposed("conv_transpose2d", nullptr,
                          {{{{1, 2, 3, 4}, {2, 3, 3, 2}, {3}}},
                           {{{1, 2, 3, 3}, {2, 2, 3, 3}, {2}}, 2, 1, 1, 1, 1},
                           {{{1, 4, 3, 3}, {4, 1, 2, 2}}, 2, 0, 1, 2},
                           {{{2, 2, 4, 4}, {2, 3, 3, 3}, {3}}, 1, 1, 2}});
  two.errors = {error<Error>("output padding must be smaller than either stride or dilation", [] {
    conv_transpose2d(numbers({1, 1, 4, 4}), numbers({1, 1, 3, 3}), {}, 1, 0, 1);
  })};
  OpCase one = transposed("conv_transpose1d", nullptr, {{{{2, 2, 4}, {2, 3, 3}, {3}}, 2, 1}});
  OpCase three =
      transposed("conv_transpose3d", nullptr, {{{{1, 2, 2, 3, 2}, {2, 1, 2, 2, 2}, {1}}, 2}});
  return std::vector{one, two, three};
});

// The paths for float (registers, blocks, layouts) against the plain one for double.
TEST(Conv, FloatFollowsDouble) {
  const std::vector<Setting> settings = {
      {{{3, 1, 28, 28}, {10, 1, 5, 5}, {10}}},    // rows of 24 outputs
      {{{2, 10, 12, 12}, {20, 10, 5, 5}, {20}}},  // rows of 8
      {{{2, 3, 5, 10}, {1, 3, 2, 3}, {1}}},       // 32 outputs in all
      {{{2, 3, 6, 12}, {7, 3, 3, 5}}},            // no bias
      {{{1, 2, 4, 6}, {17, 2, 2, 3}, {17}}},      // rows of 4
      {{{2, 4, 9, 18}, {66, 2, 3, 3}, {66}}, 1, 0, 1, 2},
      {{{1, 2, 12, 12}, {33, 2, 3, 3}, {33}}, 1, 0, 2},
      {{{2, 2, 40}, {48, 2, 9}, {48}}},
      {{{1, 2, 4, 5, 10}, {5, 2, 2, 2, 3}, {5}}},
      {{{2, 3, 9, 9}, {16, 3, 3, 3}, {16}}, 2, 1},
      {{{1, 1, 1, 8}, {1, 1, 1, 1}, {1}}},
  };
  for (const Setting& s : settings) {
    const Args args = sample_of(s.sizes, kDouble, kSmall);
    const auto results = [&](ScalarType dtype) {
      std::vector<Tensor> inputs;
      for (const Tensor& t : args.t) inputs.push_back(t.to(dtype).detach().requires_grad_());
      const Tensor bias = inputs.size() > 2 ? inputs[2] : Tensor();
      const int64_t spatial = inputs[1].dim() - 2;
      const std::vector<int64_t> stride(spatial, s.stride), padding(spatial, s.padding),
          dilation(spatial, s.dilation);
      const Tensor y = convolution(inputs[0], inputs[1], bias, stride, padding, dilation, false,
                                   std::vector<int64_t>(spatial, 0), s.groups);
      const Tensor weights = linspace(-1, 1, y.numel(), kDouble).to(dtype).view(y.sizes());
      (y * weights).sum().backward();
      std::vector<Tensor> list = {y};
      for (const Tensor& t : inputs) list.push_back(t.grad());
      return list;
    };
    const std::vector<Tensor> single = results(kFloat), exact = results(kDouble);
    for (size_t i = 0; i < single.size(); ++i)
      EXPECT_TRUE(single[i].to(kDouble).allclose(exact[i], 1e-4, 1e-4))
          << "result " << i << " for weight " << args.t[1].sizes();
  }
}

/// Small integers: sums that a double holds.
Tensor integers(IntArrayRef sizes, ScalarType dtype) { return randint(0, 6, sizes).to(dtype); }

TEST(Conv, OfIntegersIsExact) {
  for (const ScalarType t : {kLong, kInt, kShort, kByte}) {
    const Tensor x = integers({2, 4, 7, 6}, t), w = integers({6, 2, 3, 2}, t);
    const Tensor b = integers({6}, t);
    const Tensor y = conv2d(x, w, b, {2, 1}, {1, 0}, {1, 3}, 2);
    EXPECT_EQ(y.scalar_type(), t);
    const Tensor want =
        conv2d(x.to(kDouble), w.to(kDouble), b.to(kDouble), {2, 1}, {1, 0}, {1, 3}, 2);
    EXPECT_TRUE(y.equal(want.to(kLong).to(t)));
    const Tensor row = integers({1, 5}, t), elements = integers({1, 1, 2}, t);
    EXPECT_TRUE(conv1d(row, elements, {}, 1, "same")
                    .equal(conv1d(row.to(kDouble), elements.to(kDouble), {}, 1, "same").to(t)));
  }
  const Tensor x = integers({3, 4, 5, 6}, kLong), w = integers({2, 3, 2, 3, 1}, kLong);
  EXPECT_TRUE(conv3d(x, w).equal(conv3d(x.to(kDouble), w.to(kDouble)).to(kLong)));
  EXPECT_EQ(conv3d(zeros({0, 3, 4, 5, 6}, kLong), w).sizes(), IntArrayRef({0, 2, 3, 3, 6}));
  expect_error("\"conv\" not implemented for 'Bool'", [&] {
    conv2d(ones({1, 1, 2, 2}, kBool), ones({1, 1, 1, 1}, kBool));
  });
}

TEST(Conv, PaddingByNameKeepsTheSize) {
  const Tensor x = numbers({2, 3, 9, 8}, kDouble), w = numbers({4, 3, 3, 3}, kDouble);
  EXPECT_TRUE(conv2d(x, w, {}, 1, "same").allclose(conv2d(x, w, {}, 1, 1)));
  EXPECT_TRUE(conv2d(x, w, {}, 1, "valid").equal(conv2d(x, w)));
  // An even kernel pads more behind than in front.
  const Tensor even = numbers({4, 3, 4, 2}, kDouble);
  const Tensor y = conv2d(x, even, {}, 1, "same");
  EXPECT_EQ(y.sizes(), (std::vector<int64_t>{2, 4, 9, 8}));
  EXPECT_TRUE(y.narrow(2, 1, 6).narrow(3, 0, 7).allclose(conv2d(x, even)));
}

TEST(Conv, GroupsAreConvolutionsOfTheirOwn) {
  const Tensor x = numbers({2, 6, 5, 5}, kDouble), w = numbers({4, 3, 2, 2}, kDouble);
  const Tensor y = conv2d(x, w, {}, 1, 0, 1, 2);
  EXPECT_TRUE(y.narrow(1, 0, 2).allclose(conv2d(x.narrow(1, 0, 3), w.narrow(0, 0, 2))));
  EXPECT_TRUE(y.narrow(1, 2, 2).allclose(conv2d(x.narrow(1, 3, 3), w.narrow(0, 2, 2))));
}

TEST(Conv, ThreadsDoNotChangeTheForwardResult) {
  const Tensor x = numbers({8, 16, 20, 20}), w = numbers({16, 16, 3, 3});
  const int before = get_num_threads();
  set_num_threads(1);
  const Tensor one = conv2d(x, w, {}, 1, 1);
  set_num_threads(2);
  const Tensor two = conv2d(x, w, {}, 1, 1);
  set_num_threads(before);
  EXPECT_TRUE(one.equal(two));
}

TEST(Conv, OnlyWantedGradientsAreComputed) {
  const Tensor x = numbers({1, 1, 4, 4}), w = numbers({2, 1, 3, 3}).requires_grad_();
  const Tensor y = conv2d(x, w, numbers({2}));
  EXPECT_EQ(y.grad_fn()->name(), "ConvolutionBackward0");
  y.sum().backward();
  EXPECT_TRUE(w.grad().defined());
  EXPECT_FALSE(x.grad().defined());
}

// One kernel element is the middle of nine. Few rows of weights read the image in place; channels
// that lie 1024 bytes apart are packed.
TEST(Conv, OneElementEqualsTheMiddleOfNine) {
  struct Case {
    int64_t channels, rows, height, width;
  };
  const std::vector<Case> cases = {{7, 1, 9, 11},   {7, 5, 9, 11},   {7, 24, 9, 11},
                                   {7, 25, 9, 11},  {9, 40, 16, 16}, {30, 33, 13, 15},
                                   {520, 27, 8, 9}, {520, 3, 16, 16}};
  for (ScalarType dtype : {kFloat, kDouble})
    for (const Case& c : cases) {
      const Tensor x = numbers({3, 2 * c.channels, c.height, c.width}, dtype).requires_grad_();
      const Tensor b = numbers({2 * c.rows}, dtype);
      const Tensor w = numbers({2 * c.rows, c.channels, 1, 1}, dtype).requires_grad_();
      const Tensor xd = x.detach().to(kDouble).requires_grad_();
      const Tensor wd = w.detach().to(kDouble).requires_grad_();
      const Tensor nine = constant_pad_nd(wd, {1, 1, 1, 1});
      const Tensor want = conv2d(xd, nine, b.to(kDouble), 1, 1, 1, 2);
      const Tensor y = conv2d(x, w, b, 1, 0, 1, 2), gy = numbers(y.sizes().vec(), dtype);
      y.backward(gy);
      want.backward(gy.to(kDouble));
      const double tolerance = dtype == kFloat ? 1e-3 : 1e-10;
      const auto close = [&](const Tensor& got, const Tensor& exact) {
        return got.to(kDouble).allclose(exact, tolerance, tolerance);
      };
      EXPECT_TRUE(close(y, want)) << dtype << c.channels << " " << c.rows;
      EXPECT_TRUE(close(x.grad(), xd.grad())) << dtype << c.channels << " " << c.rows;
      EXPECT_TRUE(close(w.grad(), wd.grad())) << dtype << c.channels << " " << c.rows;
    }
}

TEST(Conv, WithoutChannelsItsGradientsAreEmptyAndTheBiasIsCounted) {
  Tensor x = ones({2, 0, 4}), w = ones({3, 0, 2}), b = ones({3});
  for (Tensor* t : {&x, &w, &b}) t->requires_grad_();
  const Tensor y = conv1d(x, w, b);
  EXPECT_TRUE(y.equal(ones({2, 3, 3})));
  y.sum().backward();
  EXPECT_EQ(x.grad().sizes(), x.sizes());
  EXPECT_EQ(w.grad().sizes(), w.sizes());
  EXPECT_TRUE(b.grad().equal(full({3}, 6)));
}

TEST(Conv, WithoutSamplesTheGradientOfTheWeightIsZero) {
  Tensor x = ones({0, 2, 4}), w = ones({3, 2, 2});
  for (Tensor* t : {&x, &w}) t->requires_grad_();
  conv1d(x, w).sum().backward();
  EXPECT_EQ(x.grad().sizes(), x.sizes());
  EXPECT_TRUE(w.grad().equal(zeros({3, 2, 2})));
}

TEST(Conv, TransposedRefusesAKernelWithoutElements) {
  const auto call = [](IntArrayRef kernel) { conv_transpose2d(ones({1, 2, 4, 4}), ones(kernel)); };
  EXPECT_NE(message_of([&] { call({2, 1, 0, 2}); }).find("kernel size"), std::string::npos);
  EXPECT_NE(message_of([&] { call({2, 1, 2, 0}); }).find("kernel size"), std::string::npos);
}

TEST(Conv, RefusesImagesWithoutPixels) {
  const Tensor x = ones({1, 1, 0, 4}), w = ones({1, 1, 1, 1});
  expect_error("Calculated padded input size per channel: (0 x 4)", [&] { conv2d(x, w); });
  expect_error(
      "Only zero batch or zero channel inputs are supported, but got input shape: [1, 1, 0, 4]",
      [&] { conv2d(x, w, {}, 1, 1); });
  EXPECT_EQ(conv2d(ones({0, 1, 4, 4}), w).sizes(), IntArrayRef({0, 1, 4, 4}));
}

// Three times, two samples, two channels to two, kernel 2: the sums by hand.
TEST(Conv, TimeFirst) {
  const Tensor x = arange(12.0).view({3, 2, 2}), w = arange(8.0).view({2, 2, 2}), b = ones({2});
  const std::vector<double> want = {7,  8,   27,  32,  49, 59, 73, 91,
                                    97, 123, 121, 155, 19, 36, 23, 44};
  expect_values(conv_tbc(x, w, b, 1), {4, 2, 2}, want);
  EXPECT_TRUE(conv_tbc(x, w, b).equal(conv_tbc(x, w, b, 1).slice(0, 1, 3)));
  EXPECT_NE(message_of([&] { conv_tbc(x[0], w, b); }).find("must have 3 dims"), std::string::npos);
}

TEST(Conv, ByItsOlderName) {
  const Tensor x = randn({2, 3, 5, 6}), w = randn({4, 3, 3, 2}), b = randn({4});
  EXPECT_TRUE(thnn_conv2d(x, w, {3, 2}, b, 2, 1).equal(conv2d(x, w, b, 2, 1)));
  EXPECT_NE(message_of([&] {
              thnn_conv2d(x, w, {2, 2});
            }).find("kernel of [2, 2]"),
            std::string::npos);
}

// Time first: x (T, N, C), weight (k, C, K), bias (K). Numbers: the padding.
TAPER_OP_CASES(convolution_with_time_first, {
  OpCase c;
  c.name = "conv_tbc";
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{5, 2, 3}, {3, 3, 2}, {2}}, t, {}, {0}),
                             sample_of({{4, 1, 2}, {2, 2, 3}, {3}}, t, {}, {1}),
                             sample_of({{1, 2, 1}, {3, 1, 1}, {1}}, t, {}, {2}),
                             sample_of({{33, 3, 17}, {5, 17, 9}, {9}}, t, {}, {2})};
  };
  c.call = [](const Args& a) { return conv_tbc(a.t[0], a.t[1], a.t[2], a.i[0]); };
  c.reference = [](const ArrayArgs& a) {
    const Array &x = a.t[0], &w = a.t[1];
    Array y({x.size(0) + 2 * a.i[0] - w.size(0) + 1, x.size(1), w.size(2)});
    for_each_index(y.sizes, [&](const Sizes& at) {
      y.at(at) = a.t[2].at({at[2]});
      for (int64_t k = 0; k < w.size(0); ++k) {
        const int64_t time = at[0] + k - a.i[0];
        if (time < 0 || time >= x.size(0)) continue;
        for (int64_t d = 0; d < x.size(2); ++d)
          y.at(at) += x.at({time, at[1], d}) * w.at({k, d, at[2]});
      }
    });
    return y;
  };
  c.tolerance = 16;
  const Tensor bias = numbers({2});
  c.errors = {
      error<Error>("Input must have 3 dims: time, batch, in_channel; got [5, 3]",
                   [=] {
                     conv_tbc(numbers({5, 3}), numbers({3, 3, 2}), bias);
                   }),
      error<Error>("Weight tensor must have 3 dims: kernel_width, in_channels, out_channels", [=] {
        conv_tbc(numbers({5, 2, 3}), numbers({3, 2}), bias);
      })};
  return std::vector<OpCase>{c};
});

// ---------------------------------------------------------------------- with a relu behind it
Tensor call_conv_relu(const Args& a) {
  const Tensor b = a.t.size() > 2 ? a.t[2] : Tensor();
  return cudnn_convolution_relu(a.t[0], a.t[1], b, a.i[0], a.i[1], a.i[2], a.i[3]);
}
// The tensors: x, w, z and perhaps the bias; the last number: alpha.
Tensor call_conv_add_relu(const Args& a) {
  const optional<Tensor> b = a.t.size() > 3 ? optional<Tensor>(a.t[3]) : nullopt;
  return cudnn_convolution_add_relu(a.t[0], a.t[1], a.t[2], a.i[4], b, a.i[0], a.i[1], a.i[2],
                                    a.i[3]);
}
Array naive_relu(Array y) {
  for (double& v : y.v) v = std::max(v, 0.0);
  return y;
}
Array naive_add_relu(const ArrayArgs& a) {
  ArrayArgs conv = a;
  conv.t.erase(conv.t.begin() + 2);
  Array y = naive_conv(conv);
  for (size_t i = 0; i < y.v.size(); ++i) y.v[i] += static_cast<double>(a.i[4]) * a.t[2].v[i];
  return naive_relu(y);
}
std::vector<ErrorCase> no_such_addends() {
  const auto add = [](const Tensor& z, const optional<Scalar>& alpha = nullopt) {
    cudnn_convolution_add_relu(numbers({1, 2, 4, 4}), numbers({3, 2, 3, 3}), z, alpha, nullopt, 1,
                               0, 1, 1);
  };
  return {
      error<Error>("cudnn_convolution_add_relu: expected z of sizes [1, 3, 2, 2], got [3, 1, 1]",
                   [=] {
                     add(numbers({3, 1, 1}));
                   }),
      error<Error>("cudnn_convolution_add_relu: expected z of dtype Float, got Double",
                   [=] {
                     add(numbers({1, 3, 2, 2}, kDouble));
                   }),
      error<Error>("cudnn_convolution_add_relu: ", [=] { add({}); })};
}

TAPER_OP_CASES(convolutions_with_relu, {
  OpCase relu = conv_case("cudnn_convolution_relu", nullptr,
                          {{{{2, 1, 6, 7}, {3, 1, 3, 2}, {3}}},
                           {{{1, 2, 6, 5}, {2, 2, 3, 3}}, 2, 1},
                           {{{2, 4, 4, 4}, {6, 2, 2, 2}, {6}}, 1, 1, 1, 2},
                           {{{1, 4, 4, 5}, {4, 1, 3, 3}, {4}}, 1, 1, 1, 4},
                           {{{3, 4, 4}, {2, 3, 2, 2}}},
                           {{{0, 3, 4, 4}, {2, 3, 2, 2}}},
                           {{{2, 3, 9}, {4, 3, 3}, {4}}},
                           {{{1, 2, 3, 4, 3}, {2, 2, 2, 2, 2}, {2}}, 1, 1}});
  relu.call = call_conv_relu;
  relu.reference = [](const ArrayArgs& a) { return naive_relu(naive_conv(a)); };
  relu.errors = {
      error<Error>("cudnn_convolution_relu: expected a weight of 3 to 5 dimensions, got [3, 1]",
                   [] {
                     cudnn_convolution_relu(numbers({1, 1}), numbers({3, 1}), nullopt, 1, 0, 1, 1);
                   }),
      error<Error>("cudnn_convolution_relu: Given groups=1, weight of size [1, 1, 3, 3]", [] {
        cudnn_convolution_relu(numbers({1, 2, 4, 4}), numbers({1, 1, 3, 3}), {}, 1, 0, 1, 1);
      })};
  OpCase add = relu;
  add.name = "cudnn_convolution_add_relu";
  add.samples = [](ScalarType t) {
    return std::vector<Args>{
        sample_of({{2, 1, 6, 7}, {3, 1, 3, 2}, {2, 3, 4, 6}, {3}}, t, kSmall, {1, 0, 1, 1, 2}),
        sample_of({{1, 2, 6, 5}, {2, 2, 3, 3}, {1, 2, 3, 3}}, t, kSmall, {2, 1, 1, 1, 1}),
        sample_of({{4, 4, 4}, {6, 2, 2, 2}, {6, 5, 5}, {6}}, t, kSmall, {1, 1, 1, 2, -1}),
        sample_of({{1, 1, 9}, {2, 1, 3}, {1, 2, 7}}, t, kSmall, {1, 0, 1, 1, 0})};
  };
  add.call = call_conv_add_relu;
  add.reference = naive_add_relu;
  add.errors = no_such_addends();
  return std::vector{relu, add};
});

TEST(Conv, WithReluIsThatOfTheOps) {
  const Tensor x = randn({2, 4, 7, 6}), w = randn({6, 2, 3, 2}), b = randn({6});
  const Tensor y = conv2d(x, w, b, {2, 1}, {1, 0}, 1, 2), z = randn(y.sizes()), kept = z.clone();
  EXPECT_TRUE(cudnn_convolution_relu(x, w, b, {2, 1}, {1, 0}, {1, 1}, 2).equal(y.relu()));
  EXPECT_TRUE(cudnn_convolution_add_relu(x, w, z, 0.5, b, {2, 1}, {1, 0}, {1, 1}, 2)
                  .equal(y.add(z, 0.5).relu()));
  EXPECT_TRUE(cudnn_convolution_add_relu(x, w, z, nullopt, b, {2, 1}, {1, 0}, {1, 1}, 2)
                  .equal(y.add(z).relu()));
  EXPECT_TRUE(z.equal(kept));
  const Tensor leaf = w.clone().requires_grad_(), of_z = z.clone().requires_grad_();
  const Tensor r = cudnn_convolution_add_relu(x, leaf, of_z, 0.5, b, {2, 1}, {1, 0}, {1, 1}, 2);
  EXPECT_EQ(r.grad_fn()->name(), "CudnnConvolutionReluBackward0");
  const Tensor other = w.clone().requires_grad_();
  const auto got = autograd::grad({r.square().sum()}, {leaf, of_z});
  const auto want = autograd::grad(
      {conv2d(x, other, b, {2, 1}, {1, 0}, 1, 2).add(of_z, 0.5).relu().square().sum()},
      {other, of_z});
  EXPECT_TRUE(got[0].allclose(want[0], 1e-5, 1e-5));
  EXPECT_TRUE(got[1].allclose(want[1], 1e-5, 1e-5));
}

// Numbers: the stride, the padding.
TAPER_OP_CASES(convolution_of_images, {
  OpCase c;
  c.name = "thnn_conv2d";
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{2, 2, 4, 5}, {3, 2, 3, 2}, {3}}, t, {}, {1, 0}),
                             sample_of({{1, 1, 3, 3}, {2, 1, 2, 2}, {2}}, t, {}, {2, 1})};
  };
  c.call = [](const Args& a) {
    const Sizes kernel{a.t[1].size(2), a.t[1].size(3)};
    return thnn_conv2d(a.t[0], a.t[1], kernel, a.t[2], a.i[0], a.i[1]);
  };
  c.reference = [](const ArrayArgs& a) {
    const Array &x = a.t[0], &w = a.t[1];
    const auto places = [&](int64_t d) {
      return (x.size(d) + 2 * a.i[1] - w.size(d)) / a.i[0] + 1;
    };
    Array y({x.size(0), w.size(0), places(2), places(3)});
    for_each_index(y.sizes, [&](const Sizes& at) {
      y.at(at) = a.t[2].at({at[1]});
      for_each_index({w.size(1), w.size(2), w.size(3)}, [&](const Sizes& k) {
        const int64_t row = at[2] * a.i[0] + k[1] - a.i[1];
        const int64_t column = at[3] * a.i[0] + k[2] - a.i[1];
        if (row >= 0 && row < x.size(2) && column >= 0 && column < x.size(3))
          y.at(at) += x.at({at[0], k[0], row, column}) * w.at({at[1], k[0], k[1], k[2]});
      });
    });
    return y;
  };
  c.tolerance = 16;
  c.errors = {
      error<Error>("thnn_conv2d: expected a weight of 4 dimensions with a kernel of [3, 3]", [] {
        thnn_conv2d(numbers({1, 2, 4, 4}), numbers({3, 2, 2, 2}), {3, 3});
      })};
  return std::vector<OpCase>{c};
});

// Few channels and long rows, within the image and beyond it: vectors of pixels, whose last lanes
// belong to no row. Numbers that are not finite are nobody else's.
TEST(ConvWeightGradient, OfRowsIsThatOfSumsInDouble) {
  struct Case {
    std::vector<int64_t> x, w, stride, padding;
    int64_t groups;
  };
  const std::vector<Case> cases = {{{3, 1, 28, 28}, {6, 1, 5, 5}, {1, 1}, {2, 2}, 1},
                                   {{2, 3, 21, 40}, {8, 3, 3, 3}, {1, 1}, {1, 1}, 1},
                                   {{1, 2, 9, 61}, {1, 2, 3, 5}, {2, 1}, {0, 0}, 1},
                                   {{2, 4, 20, 20}, {6, 2, 3, 3}, {1, 1}, {1, 2}, 2},
                                   {{2, 1, 4, 5, 33}, {7, 1, 2, 3, 3}, {1, 2, 1}, {0, 1, 1}, 1}};
  const auto gradient = [](const Case& c, const Tensor& x) {
    const Tensor w = zeros(c.w, x.scalar_type()).requires_grad_();
    const std::vector<int64_t> ones(c.stride.size(), 1), none(c.stride.size(), 0);
    const Tensor y = convolution(x, w, {}, c.stride, c.padding, ones, false, none, c.groups);
    manual_seed(7);
    const Tensor gy = (randn(y.sizes()) * 3).round().to(x.scalar_type());
    return autograd::grad({y}, {w}, {gy})[0];
  };
  for (const Case& c : cases)
    for (const float some : {1.5f, INFINITY, NAN}) {
      const Tensor x = (randn(c.x) * 3).round();
      x.view(-1)[x.numel() / 2] = some;
      const Tensor got = gradient(c, x), want = gradient(c, x.to(kDouble));
      EXPECT_TRUE(got.to(kDouble).allclose(want, 0, 0, /*equal_nan=*/true))
          << IntArrayRef(c.x) << ", " << some;
    }
}

}  // namespace
}  // namespace torch::taper::testing

#include "ops/spatial/conv_relu_pool_test.inc"
