#include <taper/framework/autograd/autograd.h>
#include <taper/ops/nn/activation.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include <taper/framework/debug/timeline.h>
#include <taper/framework/random/random.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/elementwise/special.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/tensor/factory.h>

#include "harness/pointwise.h"
#include "ops/shared/kinks.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

const double kInf = INFINITY;

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

OpCase activation_case(std::string name, std::function<Tensor(const Tensor&)> op, Unary f,
                       std::function<Tensor(Tensor)> inplace = {}, Range range = {-4, 4}) {
  OpCase c = unary_case(std::move(name), std::move(op), f, range);
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16};
  if (inplace) c.inplace = [inplace](const Args& a) { return inplace(a.t[0]); };
  return c;
}

TAPER_OP_CASES(activations, {
  std::vector<OpCase> list = {
      activation_case(
          "leaky_relu", [](const Tensor& x) { return leaky_relu(x, 0.2); },
          [](double x) { return x > 0 ? x : 0.2 * x; },
          [](Tensor x) { return leaky_relu_(x, 0.2); }),
      activation_case(
          "elu", [](const Tensor& x) { return elu(x, 1.5); },
          [](double x) { return x > 0 ? x : 1.5 * std::expm1(x); },
          [](Tensor x) { return elu_(x, 1.5); }),
      activation_case(
          "selu", [](const Tensor& x) { return selu(x); },
          [](double x) {
            return 1.0507009873554804934 * (x > 0 ? x : 1.6732632423543772848 * std::expm1(x));
          },
          [](Tensor x) { return selu_(x); }),
      activation_case(
          "celu", [](const Tensor& x) { return celu(x, 2); },
          [](double x) { return x > 0 ? x : 2 * std::expm1(x / 2); },
          [](Tensor x) { return celu_(x, 2); }),
      activation_case(
          "gelu", [](const Tensor& x) { return gelu(x); },
          [](double x) { return x * std::erfc(-x / std::sqrt(2.0)) / 2; },
          [](Tensor x) { return gelu_(x); }),
      activation_case(
          "gelu_tanh", [](const Tensor& x) { return gelu(x, "tanh"); },
          [](double x) {
            return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
          }),
      activation_case(
          "silu", [](const Tensor& x) { return silu(x); },
          [](double x) { return x * sigmoid_of(x); }, [](Tensor x) { return silu_(x); }),
      activation_case(
          "mish", [](const Tensor& x) { return mish(x); },
          [](double x) { return x * std::tanh(std::log1p(std::exp(x))); },
          [](Tensor x) { return mish_(x); }),
      activation_case(
          "softplus", [](const Tensor& x) { return softplus(x, 2, 3); },
          [](double x) { return 2 * x > 3 ? x : std::log1p(std::exp(2 * x)) / 2; }),
      activation_case(
          "hardtanh", [](const Tensor& x) { return hardtanh(x, -1, 2); },
          [](double x) { return std::fmin(std::fmax(x, -1), 2); },
          [](Tensor x) { return hardtanh_(x, -1, 2); }),
      activation_case(
          "relu6", [](const Tensor& x) { return relu6(x); },
          [](double x) { return std::fmin(std::fmax(x, 0), 6); },
          [](Tensor x) { return relu6_(x); }, {-4, 9}),
      activation_case(
          "hardsigmoid", [](const Tensor& x) { return hardsigmoid(x); },
          [](double x) { return std::fmin(std::fmax(x / 6 + 0.5, 0), 1); },
          [](Tensor x) { return hardsigmoid_(x); }),
      activation_case(
          "hardswish", [](const Tensor& x) { return hardswish(x); },
          [](double x) { return x * std::fmin(std::fmax(x / 6 + 0.5, 0), 1); },
          [](Tensor x) { return hardswish_(x); }),
      activation_case(
          "hardshrink", [](const Tensor& x) { return hardshrink(x, 0.5); },
          [](double x) { return std::abs(x) > 0.5 ? x : 0; }),
      activation_case(
          "softshrink", [](const Tensor& x) { return softshrink(x, 0.5); },
          [](double x) { return x > 0.5    ? x - 0.5
                                : x < -0.5 ? x + 0.5
                                           : 0; }),
      activation_case(
          "threshold", [](const Tensor& x) { return threshold(x, 0.5, -2); },
          [](double x) { return x > 0.5 ? x : -2; },
          [](Tensor x) { return threshold_(x, 0.5, -2); }),
      activation_case(
          "log_sigmoid", [](const Tensor& x) { return log_sigmoid(x); },
          [](double x) { return std::log(sigmoid_of(x)); }),
      activation_case(
          "logit", [](const Tensor& x) { return logit(x); },
          [](double x) { return std::log(x / (1 - x)); }, [](Tensor x) { return logit_(x); },
          {0.1, 0.9}),
      activation_case(
          "rrelu", [](const Tensor& x) { return rrelu(x, 0.1, 0.4); },
          [](double x) { return x > 0 ? x : 0.25 * x; },
          [](Tensor x) { return rrelu_(x, 0.1, 0.4); }),
      activation_case(
          "softsign", [](const Tensor& x) { return softsign(x); },
          [](double x) { return x / (1 + std::abs(x)); }),
      activation_case(
          "tanhshrink", [](const Tensor& x) { return tanhshrink(x); },
          [](double x) { return x - std::tanh(x); }),
  };
  for (OpCase& c : list)
    if (c.name == "silu")
      c.errors = {error<NotImplementedError>("\"silu_cpu\" not implemented for 'Long'",
                                             [] { silu(to_tensor(Array({2}), kLong)); })};
  return list;
});

TAPER_OP_CASES(with_weights, {
  OpCase prelu_case;
  prelu_case.name = "prelu";
  prelu_case.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{5}, {1}}, t), sample_of({{4, 3}, {3}}, t),
                             sample_of({{2, 3, 5}, {3}}, t), sample_of({{2, 3, 5}, {1}}, t)};
  };
  prelu_case.call = [](const Args& a) { return prelu(a.t[0], a.t[1]); };
  prelu_case.reference = [](const ArrayArgs& a) {
    Array y = a.t[0];
    for_each_index(y.sizes, [&](const std::vector<int64_t>& i) {
      const double w = a.t[1].v[a.t[1].v.size() == 1 ? 0 : i[1]];
      y.at(i) = y.at(i) > 0 ? y.at(i) : w * y.at(i);
    });
    return Arrays{y};
  };
  prelu_case.errors = {error<Error>(
      "Mismatch of parameter numbers and input channel size. Found parameter numbers = 3 and "
      "channel size = 4.",
      [] {
        prelu(to_tensor(Array({2, 4}), kFloat), to_tensor(Array({3}), kFloat));
      })};

  OpCase glu_case;
  glu_case.name = "glu";
  glu_case.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{6}}, t, {}, {0}), sample_of({{4, 3}}, t, {}, {0}),
                             sample_of({{3, 34}}, t, {}, {-1})};
  };
  glu_case.call = [](const Args& a) { return glu(a.t[0], a.i[0]); };
  glu_case.reference = [](const ArrayArgs& a) {
    const Array& x = a.t[0];
    const int64_t d = a.i[0] < 0 ? a.i[0] + x.dim() : a.i[0];
    std::vector<int64_t> shape = x.sizes;
    shape[d] /= 2;
    Array y(shape);
    for_each_index(shape, [&](std::vector<int64_t> i) {
      const double value = x.at(i);
      std::vector<int64_t> gate = i;
      gate[d] += shape[d];
      y.at(i) = value * sigmoid_of(x.at(gate));
    });
    return Arrays{y};
  };
  glu_case.errors = {error<Error>("Halving dimension must be even, but dimension 0 is size 3",
                                  [] { glu(to_tensor(Array({3}), kFloat)); })};
  return std::vector<OpCase>{prelu_case, glu_case};
});

TAPER_OP_CASES(gradients_by_name, {
  OpCase shrink;
  shrink.name = "hardshrink_backward";
  shrink.dtypes = {kFloat, kDouble, kHalf, kBFloat16};
  shrink.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{5}, {5}}, t), sample_of({{4, 3}, {4, 3}}, t)};
  };
  shrink.call = [](const Args& a) { return hardshrink_backward(a.t[0], a.t[1], 0.5); };
  shrink.reference = [](const ArrayArgs& a) {
    Array y = a.t[0];
    for (size_t i = 0; i < y.v.size(); ++i)
      if (std::abs(a.t[1].v[i]) <= 0.5) y.v[i] = 0;
    return Arrays{y};
  };
  shrink.errors = {
      error<NotImplementedError>("\"shrink_backward_cpu\" not implemented for 'Long'", [] {
        const Tensor x = to_tensor(Array({2}), kLong);
        hardshrink_backward(x, x, 0.5);
      })};

  OpCase prelu_case;
  prelu_case.name = "prelu_backward";
  prelu_case.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{5}, {5}, {1}}, t), sample_of({{4, 3}, {4, 3}, {3}}, t),
                             sample_of({{2, 3, 5}, {2, 3, 5}, {1}}, t)};
  };
  prelu_case.call = [](const Args& a) {
    const auto [gx, gw] = prelu_backward(a.t[0], a.t[1], a.t[2]);
    return Results{gx, gw};
  };
  prelu_case.reference = [](const ArrayArgs& a) {
    Array gx = a.t[0], gw = a.t[2];
    std::fill(gw.v.begin(), gw.v.end(), 0);
    for_each_index(gx.sizes, [&](const std::vector<int64_t>& i) {
      const double x = a.t[1].at(i), g = a.t[0].at(i);
      const size_t channel = gw.v.size() == 1 ? 0 : static_cast<size_t>(i[1]);
      if (x > 0) return;
      gx.at(i) = g * a.t[2].v[channel];
      gw.v[channel] += g * x;
    });
    return Arrays{gx, gw};
  };
  prelu_case.errors = {
      error<Error>("Found parameter numbers = 3 and channel size = 4.",
                   [] {
                     const Tensor x = to_tensor(Array({2, 4}), kFloat);
                     prelu_backward(x, x, to_tensor(Array({3}), kFloat));
                   }),
      error<NotImplementedError>("\"prelu_backward_cpu\" not implemented for 'Long'", [] {
        const Tensor x = to_tensor(Array({2}), kLong);
        prelu_backward(x, x, x);
      })};
  return std::vector<OpCase>{shrink, prelu_case};
});

Tensor slope_at(std::vector<double> v, const std::function<Tensor(const Tensor&)>& f) {
  const Tensor x = values(std::move(v)).set_requires_grad(true);
  f(x).sum().backward();
  return x.grad();
}

TEST(Activation, GradientsAtCorners) {
  EXPECT_TRUE(slope_at({-1, 0, 1}, [](const Tensor& x) {
                return leaky_relu(x, 0.25);
              }).equal(values({0.25, 0.25, 1})));
  EXPECT_TRUE(slope_at({-1, -0.5, 1}, [](const Tensor& x) {
                return hardtanh(x);
              }).equal(values({0, 1, 0})));
  EXPECT_TRUE(slope_at({-0.5, 0.5, 0.6}, [](const Tensor& x) {
                return softshrink(x);
              }).equal(values({0, 0, 1})));
  EXPECT_TRUE(slope_at({0.5, 0.6, 0.4}, [](const Tensor& x) {
                return threshold(x, 0.5, 0);
              }).equal(values({0, 1, 0})));
}

TEST(Activation, GradientsByNameAreThoseOfTheOp) {
  const Tensor x = linspace(-2, 2, 24, kDouble).view({4, 6}).requires_grad_();
  const Tensor w = linspace(-1, 1, 6, kDouble).requires_grad_(), g = x.detach().cos();
  x.hardshrink(0.75).backward(g);
  EXPECT_TRUE(x.grad().equal(x.hardshrink_backward(g, 0.75)));
  x.mutable_grad().reset();
  x.prelu(w).backward(g);
  const auto [gx, gw] = x.prelu_backward(g, w);
  EXPECT_TRUE(x.grad().equal(gx) && w.grad().equal(gw));
}

TEST(Activation, HardshrinkBackwardBroadcastsAndPromotes) {
  const Tensor x = values({NAN, 0.5, -0.5, 1}, kDouble);
  const Tensor y = hardshrink_backward(values({2}), x, 0.5);
  EXPECT_EQ(y.scalar_type(), kDouble);
  expect_values(y, {4}, {2, 0, 0, 2});
  expect_values(hardshrink_backward(values({1, 1, 1, 1}, kLong), values({0, 1, 2, -2}), 1), {4},
                {0, 0, 1, 1});
  EXPECT_THROW(hardshrink_backward(values({1, 2, 3}), x, 0.5), Error);
}

TEST(Activation, LargeInputsStayFinite) {
  const Tensor x = values({-200, 200});
  EXPECT_TRUE(log_sigmoid(x).equal(values({-200, 0})));
  EXPECT_TRUE(mish(x).allclose(values({0, 200})));
  EXPECT_TRUE(softplus(x).allclose(values({0, 200})));
  EXPECT_TRUE(silu(x).allclose(values({0, 200})));
  EXPECT_TRUE(
      slope_at({-200, 200}, [](const Tensor& t) { return mish(t); }).allclose(values({0, 1})));
}

TEST(Activation, NanPassesThrough) {
  const Tensor x = values({NAN});
  for (const Tensor& y : {leaky_relu(x), elu(x), gelu(x), silu(x), mish(x), hardtanh(x),
                          hardshrink(x), softshrink(x), threshold(x, 0, 1), hardswish(x)})
    EXPECT_TRUE(y.isnan().item<bool>());
}

TEST(Activation, IntegersWhereThePiecesAreStraight) {
  EXPECT_TRUE(relu6(values({-1, 3, 9}, kLong)).equal(values({0, 3, 6}, kLong)));
  EXPECT_TRUE(threshold(values({-1, 3}, kLong), 0, 7).equal(values({7, 3}, kLong)));
}

TEST(Activation, RejectsBadParameters) {
  const Tensor x = values({1});
  EXPECT_THROW(celu(x, 0), Error);
  EXPECT_THROW(softshrink(x, -1), Error);
  EXPECT_THROW(gelu(x, "fast"), Error);
}

TEST(Activation, RandomSlopesLieWithinTheirBounds) {
  const Tensor x = values({-1, -1, -1, 2});
  const Tensor y = rrelu(x, 0.25, 0.5, true);
  EXPECT_EQ(y[3].item<float>(), 2);
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_LE(y[i].item<float>(), -0.25f);
    EXPECT_GE(y[i].item<float>(), -0.5f);
  }
  EXPECT_FLOAT_EQ(rrelu(x, 0.25, 0.5)[0].item<float>(), -0.375f);
}

// Expected values are PyTorch's: one number is drawn for each negative element, in their order.
TEST(Activation, RandomSlopesArePyTorchs) {
  const Tensor x = values({-1, 1, -2, 3, -4});
  for (ScalarType dtype : {kFloat, kDouble}) {
    manual_seed(3);
    Tensor y = x.to(dtype).clone();
    rrelu_(y, 0.1, 0.3, true);
    const std::vector<double> got = values_of(y), want{-0.106821641, 1, -0.314696103, 3, -1.018332};
    for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-6);
  }
  Tensor leaf = x.clone().requires_grad_();
  const Tensor y = rrelu(leaf, 0.5, 0.5, true);
  y.sum().backward();
  EXPECT_EQ(values_of(leaf.grad()), (std::vector<double>{0.5, 1, 0.5, 1, 0.5}));
}

TEST(Activation, RandomSlopesMayBeKept) {
  const Tensor x = values({-1, 2, -3}), noise = values({7, 7, 7});
  EXPECT_EQ(values_of(rrelu_with_noise(x, noise, 0.25, 0.75)),
            (std::vector<double>{-0.5, 2, -1.5}));
  EXPECT_EQ(values_of(noise), (std::vector<double>{7, 7, 7}));
  manual_seed(1);
  const Tensor y = rrelu_with_noise(x, noise, 0.25, 0.75, true);
  EXPECT_EQ(values_of(y), values_of(x.mul(noise)));
  EXPECT_EQ(get_element(noise, 1), 1);
  Tensor leaf = x.clone().requires_grad_(), in_place = leaf.mul(1);
  manual_seed(1);
  rrelu_with_noise_(in_place, noise, 0.25, 0.75, true).sum().backward();
  EXPECT_EQ(values_of(in_place), values_of(y));
  EXPECT_EQ(values_of(leaf.grad()), values_of(noise));
  expect_error("expected noise of the sizes and dtype of self, [3] and Float, got [2] and Float",
               [&] {
                 rrelu_with_noise(x, values({1, 2}));
               });
  expect_error("got [3] and Double", [&] { rrelu_with_noise(x, noise.to(kDouble)); });
  expect_error("not differentiable with respect to argument 'noise'",
               [&] { rrelu_with_noise(x, noise.clone().requires_grad_()); });
}

TEST(Activation, RandomSlopesAreDrawnForNegativeElementsOnly) {
  const auto next_after = [](std::vector<double> v) {
    manual_seed(0);
    rrelu(tensor_of({4}, std::move(v), kFloat), 0.25, 0.5, true);
    return rand({1}).item<float>();
  };
  EXPECT_EQ(next_after({1, 2, 3, 4}), next_after({5, 5, 5, 5}));
  EXPECT_EQ(next_after({-1, 2, 3, 4}), next_after({5, 5, 5, -5}));
  EXPECT_NE(next_after({-1, 2, 3, 4}), next_after({-1, -2, 3, 4}));
}

TEST(Activation, HardtanhWithCrossedBoundsIsTheUpperOne) {
  const Tensor x = tensor({-3.f, 0.2f, 0.7f, 3.f});
  EXPECT_TRUE(hardtanh(x, 1, 0.5).equal(full({4}, 0.5f)));
  EXPECT_TRUE(hardtanh(x.to(kDouble), 1, 0.5).equal(full({4}, 0.5, kDouble)));
}

TEST(Strides, OfDenseInputsStayThroughPointwiseFunctions) {
  const Tensor x = counting({3, 4}).div(20).t(), reference = x.contiguous();
  ASSERT_FALSE(x.is_contiguous());
#define TAPER_KEEPS(...)                                                    \
  {                                                                         \
    const auto f = [](const Tensor& v) { return __VA_ARGS__; };             \
    EXPECT_EQ(f(x).strides(), x.strides()) << #__VA_ARGS__;                 \
    EXPECT_TRUE(f(x).allclose(f(reference))) << #__VA_ARGS__;               \
    EXPECT_EQ(f(reference).strides(), IntArrayRef({3, 1})) << #__VA_ARGS__; \
  }
  TAPER_KEEPS(sinc(v))
  TAPER_KEEPS(angle(v))
  TAPER_KEEPS(logit(v))
  TAPER_KEEPS(nan_to_num(v))
  TAPER_KEEPS(nan_to_num(v, 1, 2, 3))
  TAPER_KEEPS(hardswish(v))
  TAPER_KEEPS(gelu(v))
  TAPER_KEEPS(elu(v))
  TAPER_KEEPS(softplus(v))
  TAPER_KEEPS(silu(v.to(kBFloat16)))
  TAPER_KEEPS(where(v.gt(0.2), v, 0))
#undef TAPER_KEEPS
  const Tensor gaps = counting({3, 8}).slice(1, 0, 8, 2);
  EXPECT_TRUE(gelu(gaps).is_contiguous() && gelu(gaps).equal(gelu(gaps.contiguous())));
}

TEST(Strides, OfActivationsDoNotReachGradients) {
  Tensor a = counting({3, 4}).div(7).requires_grad_(), b = a.detach().clone().requires_grad_();
  const Tensor weights = counting({4, 3});
  (silu(a.t()) * weights).sum().backward();
  (silu(b.t().contiguous()) * weights).sum().backward();
  EXPECT_TRUE(a.grad().equal(b.grad()));
}

TEST(Hardswish, OfMinusInfinityIsNaN) {
  const Tensor y = hardswish(values({-kInf, kInf, -5, 3}));
  EXPECT_TRUE(std::isnan(y[0].item<float>()));
  expect_values(y.slice(0, 1), {3}, {kInf, -0.0, 3});
}

TEST(Elu, ItsSecondDerivativeAtZeroIsZero) {
  const Tensor x = values({0, -1}, kDouble).requires_grad_();
  const Tensor g = autograd::grad({elu(x).sum()}, {x}, {}, true, true)[0];
  EXPECT_EQ(g[0].item<double>(), 1);
  const Tensor second = autograd::grad({g.sum()}, {x})[0];
  EXPECT_EQ(second[0].item<double>(), 0);
  EXPECT_NEAR(second[1].item<double>(), std::exp(-1.0), 1e-15);
}

/// The kernels that `work` starts on the current device, in order.
std::vector<std::string> kernels_of(const std::function<void()>& work) {
  cuda::synchronize();  // what was queued before does not count
  cuda::Timeline timeline;
  work();
  timeline.stop();
  std::vector<std::string> names;
  for (const cuda::TimelineEvent& e : timeline.events()) names.push_back(e.name);
  return names;
}
// One pass each, forward and backward.
TEST(ActivationsOnCuda, Of16BitsAreNotCast) {
  if (!detail::runs_cuda_kernels()) GTEST_SKIP() << "needs CUDA kernels";
  using Names = std::vector<std::string>;
  for (ScalarType dtype : {kHalf, kBFloat16}) {
    const Tensor x = numbers({3, 20}, dtype).to(Device(kCUDA)).requires_grad_();
    Tensor y, z = x.detach().clone();
    EXPECT_EQ(kernels_of([&] { y = gelu(x, "tanh"); }), Names{"activation"});
    EXPECT_EQ(y.scalar_type(), dtype);
    const Tensor gy = y.detach().clone();
    EXPECT_EQ(kernels_of([&] { autograd::grad({y}, {x}, {gy}); }), Names{"activation_backward"});
    EXPECT_EQ(kernels_of([&] { silu_(z); }), Names{"activation"});
    // What they give is what f32 gives, rounded.
    EXPECT_TRUE(y.equal(gelu(x.detach().to(kFloat), "tanh").to(dtype)));
    EXPECT_TRUE(z.equal(silu(x.detach().to(kFloat)).to(dtype)));
  }
}
// The gradient's gradient is computed in f32 as well.
TEST(ActivationsOnCuda, Of16BitsHaveSecondDerivatives) {
  const auto second = [](Device d, ScalarType dtype) {
    const Tensor x = numbers({3, 20}, kHalf).to(dtype).to(d).requires_grad_();
    const Tensor g = autograd::grad({mish(x).sum()}, {x}, {}, true, true)[0];
    return autograd::grad({g.square().sum()}, {x})[0];
  };
  const Tensor want = second(kCPU, kFloat), got = second(kCUDA, kHalf);
  EXPECT_EQ(got.scalar_type(), kHalf);
  EXPECT_TRUE(got.cpu().to(kFloat).allclose(want, 4e-3, 4e-3));
}

// In place, the slope is found from the result.
TEST(Activation, GradientsAtEveryCorner) {
  expect_pointwise_kinks({
      {OF_X(hardtanh(x)), {-1, 0, 1}, {0, 1, 0}},
      {OF_X(changed(x, [](Tensor& y) { hardtanh_(y); })), {-1, 0, 1}, {0, 1, 0}},
      {OF_X(relu6(x)), {0, 3, 6}, {0, 1, 0}},
      {OF_X(hardsigmoid(x)), {-3, 0, 3}, {0, 1.0 / 6, 0}},
      {OF_X(hardswish(x)), {-3.5, -3, 3, 3.5}, {0, -0.5, 1.5, 1}},
      {OF_X(hardshrink(x)), {-0.5, 0, 0.5, 0.75}, {0, 0, 0, 1}},
      {OF_X(softshrink(x)), {-0.75, -0.5, 0, 0.5}, {1, 0, 0, 0}},
      {OF_X(threshold(x, 0.5, 3)), {0.25, 0.5, 0.75}, {0, 0, 1}},
      {OF_X(leaky_relu(x, 0.25)), {-1, 0, 1}, {0.25, 0.25, 1}},
      {OF_X(changed(x, [](Tensor& y) { leaky_relu_(y, 0.25); })), {-1, 0, 1}, {0.25, 0.25, 1}},
      {OF_X(elu(x, 2)), {0, 1}, {2, 1}},
      {OF_X(changed(x, [](Tensor& y) { elu_(y, 2); })), {0, 1}, {2, 1}},
      {OF_X(celu(x, 2)), {0, 1}, {1, 1}},
      {OF_X(selu(x)), {0, 1}, {1.7580993408473768, 1.0507009873554805}},
      {OF_X(prelu(x, full({1}, 0.25, x.options().requires_grad(false)))),
       {-1, 0, 1},
       {0.25, 0.25, 1}},
      {OF_X(rrelu(x, 0.25, 0.25, /*training=*/false)), {-1, 0, 1}, {0.25, 0.25, 1}},
      {OF_X(softplus(x, 1, 2)), {0, 2, 2.5}, {0.5, 1 / (1 + std::exp(-2.0)), 1}},
      {OF_X(log_sigmoid(x)), {0}, {0.5}},
      {OF_X(softsign(x)), {-1, 0, 1}, {0.25, 1, 0.25}},
      {OF_X(tanhshrink(x)), {0}, {0}},
  });
}

}  // namespace
}  // namespace torch::taper::testing
