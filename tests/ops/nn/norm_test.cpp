#include <taper/ops/nn/norm.h>

#include <algorithm>
#include <cmath>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/node.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/reduce/reduce_norm.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

constexpr double kEps = 1e-3;
const std::vector<ScalarType> kFloats = {kFloat, kDouble, kHalf, kBFloat16};

// Normalises every set of elements with one key; `channel` gives the element of weight and bias.
template <class Key, class Channel>
Array normalise(const ArrayArgs& a, const Key& key, const Channel& channel) {
  const Array& x = a.t[0];
  std::vector<double> sum, square, count;
  const auto each = [&](const auto& body) {
    for_each_index(x.sizes, [&](const std::vector<int64_t>& at) {
      const size_t k = static_cast<size_t>(key(at));
      if (k >= count.size()) {
        sum.resize(k + 1);
        square.resize(k + 1);
        count.resize(k + 1);
      }
      body(at, k);
    });
  };
  each([&](const auto& at, size_t k) {
    sum[k] += x.at(at);
    count[k] += 1;
  });
  each([&](const auto& at, size_t k) {
    const double d = x.at(at) - sum[k] / count[k];
    square[k] += d * d;
  });
  Array y(x.sizes);
  each([&](const auto& at, size_t k) {
    const double h = (x.at(at) - sum[k] / count[k]) / std::sqrt(square[k] / count[k] + kEps);
    const size_t c = static_cast<size_t>(channel(at));
    y.at(at) = a.t.size() > 1 ? h * a.t[1].v[c] + a.t[2].v[c] : h;
  });
  return y;
}

Tensor weight_of(const Args& a) { return a.t.size() > 1 ? a.t[1] : Tensor(); }
Tensor bias_of(const Args& a) { return a.t.size() > 1 ? a.t[2] : Tensor(); }

OpCase norm_case(const char* name, std::vector<std::vector<std::vector<int64_t>>> shapes) {
  OpCase c;
  c.name = name;
  c.dtypes = kFloats;
  c.samples = [shapes](ScalarType t) {
    std::vector<Args> list;
    for (const auto& s : shapes) list.push_back(sample_of(s, t));
    return list;
  };
  c.tolerance = 10;
  return c;
}

TAPER_OP_CASES(norm_cases, {
  OpCase b = norm_case("batch_norm", {{{4, 3}, {3}, {3}},
                                      {{2, 3, 5}, {3}, {3}},
                                      {{2, 3, 5}},
                                      {{2, 2, 3, 4}, {2}, {2}},
                                      {{3, 2, 33, 35}, {2}, {2}},
                                      {{1, 2, 70, 70}}});
  b.call = [](const Args& a) {
    return batch_norm(a.t[0], weight_of(a), bias_of(a), {}, {}, true, 0.1, kEps);
  };
  b.reference = [](const ArrayArgs& a) {
    const auto channel = [](const std::vector<int64_t>& at) { return at[1]; };
    return normalise(a, channel, channel);
  };
  b.errors = {
      error<Error>("running_mean must be defined in evaluation mode",
                   [] {
                     batch_norm(numbers({2, 3}), {}, {}, {}, {}, false, 0.1, kEps);
                   }),
      error<Error>(
          "running_mean should contain 3 elements not 4",
          [] {
            batch_norm(numbers({2, 3}), {}, {}, numbers({4}), numbers({3}), false, 0.1, kEps);
          }),
      error<Error>("weight should contain 3 elements not 4", [] {
        batch_norm(numbers({2, 3}), numbers({4}), {}, {}, {}, true, 0.1, kEps);
      })};

  OpCase l = norm_case("layer_norm", {{{4, 5}, {5}, {5}},
                                      {{2, 3, 4}, {3, 4}, {3, 4}},
                                      {{2, 3, 4}},
                                      {{6}, {6}, {6}},
                                      {{0, 4}, {4}, {4}},
                                      {{33, 100}, {100}, {100}},
                                      {{3, 5000}, {5000}, {5000}}});
  const auto normalised = [](const auto& a) {
    return a.t.size() > 1 ? a.t[1].dim() : std::min<int64_t>(2, a.t[0].dim());
  };
  l.call = [normalised](const Args& a) {
    const size_t from = static_cast<size_t>(a.t[0].dim() - normalised(a));
    return layer_norm(a.t[0], a.t[0].sizes().slice(from), weight_of(a), bias_of(a), kEps);
  };
  l.reference = [normalised](const ArrayArgs& a) {
    const Array& x = a.t[0];
    int64_t width = 1;
    for (int64_t d = x.dim() - normalised(a); d < x.dim(); ++d) width *= x.size(d);
    const auto flat = [&x](const std::vector<int64_t>& at) {
      int64_t i = 0;
      for (size_t d = 0; d < at.size(); ++d) i = i * x.sizes[d] + at[d];
      return i;
    };
    return normalise(
        a, [&](const auto& at) { return flat(at) / width; },
        [&](const auto& at) { return flat(at) % width; });
  };
  l.errors = {
      error<Error>("Expected weight to be of same shape as normalized_shape, but got weight of "
                   "shape [7] and normalized_shape = [8]",
                   [] {
                     layer_norm(numbers({2, 8}), {8}, numbers({7}), numbers({8}));
                   }),
      error<Error>("Expected normalized_shape to be at least 1-dimensional",
                   [] {
                     layer_norm(numbers({2, 8}), {});
                   }),
      error<Error>(
          "Given normalized_shape=[7], expected input with shape [*, 7], but got input of size[",
          [] {
            layer_norm(numbers({2, 8}), {7});
          })};

  OpCase g = norm_case("group_norm", {{{2, 4, 3}, {4}, {4}},
                                      {{2, 4, 3}},
                                      {{3, 4}, {4}, {4}},
                                      {{2, 4, 2, 3}, {4}, {4}},
                                      {{2, 4, 20, 21}, {4}, {4}}});
  g.call = [](const Args& a) { return group_norm(a.t[0], 2, weight_of(a), bias_of(a), kEps); };
  g.reference = [](const ArrayArgs& a) {
    const int64_t width = a.t[0].size(1) / 2;
    return normalise(
        a, [=](const std::vector<int64_t>& at) { return at[0] * 2 + at[1] / width; },
        [](const std::vector<int64_t>& at) { return at[1]; });
  };
  g.errors = {
      error<Error>("Expected number of channels in input to be divisible by num_groups, but got "
                   "input of shape [2, 4, 8] and num_groups=3",
                   [] {
                     group_norm(numbers({2, 4, 8}), 3);
                   }),
      error<Error>("Expected weight to be a vector of size equal to the number of channels", [] {
        group_norm(numbers({2, 4, 8}), 2, numbers({3}));
      })};

  OpCase i = norm_case("instance_norm", {{{2, 3, 5}, {3}, {3}}, {{2, 3, 3, 4}}});
  i.call = [](const Args& a) {
    return instance_norm(a.t[0], weight_of(a), bias_of(a), {}, {}, true, 0.1, kEps);
  };
  i.reference = [](const ArrayArgs& a) {
    const int64_t channels = a.t[0].size(1);
    return normalise(
        a, [=](const std::vector<int64_t>& at) { return at[0] * channels + at[1]; },
        [](const std::vector<int64_t>& at) { return at[1]; });
  };
  return std::vector{b, l, g, i};
});

/// x / sqrt(mean(x^2) + eps) * weight over the dimensions of the weight, or the last one.
Array rms_reference(const ArrayArgs& a) {
  const Array& x = a.t[0];
  const int64_t width = a.t.size() > 1 ? a.t[1].numel() : x.size(-1);
  Array y(x.sizes);
  for (int64_t first = 0; first < x.numel(); first += width) {
    double squares = 0;
    for (int64_t i = 0; i < width; ++i)
      squares += x.v[static_cast<size_t>(first + i)] * x.v[static_cast<size_t>(first + i)];
    const double scale = 1 / std::sqrt(squares / static_cast<double>(width) + kEps);
    for (int64_t i = 0; i < width; ++i) {
      const auto at = static_cast<size_t>(first + i);
      y.v[at] = x.v[at] * scale * (a.t.size() > 1 ? a.t[1].v[static_cast<size_t>(i)] : 1);
    }
  }
  return y;
}

TAPER_OP_CASES(rms_norm_case, {
  OpCase c = norm_case("rms_norm", {{{4, 5}, {5}},
                                    {{2, 3, 4}, {3, 4}},
                                    {{2, 3, 4}},
                                    {{6}, {6}},
                                    {{0, 4}, {4}},
                                    {{33, 100}, {100}}});
  c.call = [](const Args& a) {
    const int64_t dims = a.t.size() > 1 ? a.t[1].dim() : 1;
    const auto from = static_cast<size_t>(a.t[0].dim() - dims);
    return rms_norm(a.t[0], a.t[0].sizes().slice(from), weight_of(a), kEps);
  };
  c.reference = rms_reference;
  c.errors = {
      error<Error>("Expected weight to be of same shape as normalized_shape, but got weight of "
                   "shape [7] and normalized_shape = [8]",
                   [] {
                     rms_norm(numbers({2, 8}), {8}, numbers({7}));
                   }),
      error<Error>("Expected normalized_shape to be at least 1-dimensional",
                   [] {
                     rms_norm(numbers({2, 8}), {});
                   }),
      error<NotImplementedError>("\"rms_norm\" not implemented for 'Long'", [] {
        rms_norm(numbers({2, 8}, kLong), {8});
      })};
  return std::vector<OpCase>{c};
});

// Evaluation: statistics are given, and linear in x.
TAPER_OP_CASES(running_case, {
  OpCase c;
  c.name = "batch_norm_eval";
  c.dtypes = kFloats;
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (const std::vector<int64_t>& x : {std::vector<int64_t>{4, 3}, {2, 3, 5}, {2, 3, 4, 4}}) {
      Args a = sample_of({x, {3}, {3}, {3}}, t);
      a.t.push_back(sample_of({{3}}, t, {0.5, 2}).t[0]);
      list.push_back(a);
    }
    return list;
  };
  c.call = [](const Args& a) {
    return batch_norm(a.t[0], a.t[1], a.t[2], a.t[3], a.t[4], false, 0.1, kEps);
  };
  c.reference = [](const ArrayArgs& a) {
    Array y(a.t[0].sizes);
    for_each_index(y.sizes, [&](const std::vector<int64_t>& at) {
      const size_t k = static_cast<size_t>(at[1]);
      y.at(at) =
          (a.t[0].at(at) - a.t[3].v[k]) / std::sqrt(a.t[4].v[k] + kEps) * a.t[1].v[k] + a.t[2].v[k];
    });
    return y;
  };
  c.inputs_without_gradient = {3, 4};
  c.tolerance = 10;
  return std::vector{c};
});

// Samples without pixels are normalised by columns: what their transpose gives as one image.
TEST(Norm, BatchNormOfSamplesWithoutPixelsIsThatOfOneImage) {
  for (const auto& [rows, channels] : {std::pair{1, 3}, {2, 1}, {5, 64}, {70, 133}})
    for (const ScalarType t : {kFloat, kDouble, kBFloat16, kHalf}) {
      const Tensor x = numbers({rows, channels}).to(t).requires_grad_();
      const Tensor image = x.detach().t().contiguous().unsqueeze(0).requires_grad_();
      const Tensor w = numbers({channels}).to(t).requires_grad_(), b = w.detach().neg();
      const Tensor gy = numbers({rows, channels}).to(t), gi = gy.t().contiguous().unsqueeze(0);
      Tensor m[2] = {zeros({channels}, t), zeros({channels}, t)}, v[2] = {m[0] + 1, m[1] + 1};
      const Tensor y = batch_norm(x, w, b, m[0], v[0], true, 0.25, kEps);
      const Tensor z = batch_norm(image, w, b, m[1], v[1], true, 0.25, kEps);
      const auto near = [t = t](const Tensor& p, const Tensor& q) {
        const bool wide = t == kFloat || t == kDouble;
        const double most = t == kBFloat16 ? 2e-2 : 3e-3;
        return allclose(p.to(kDouble), q.to(kDouble), wide ? 1e-4 : most, wide ? 1e-5 : most, true);
      };
      EXPECT_TRUE(near(y, z.squeeze(0).t())) << rows << " x " << channels << toString(t);
      EXPECT_TRUE(near(m[0], m[1]));
      EXPECT_TRUE(near(v[0], v[1]));
      const auto g = autograd::grad({y}, {x, w}, {gy}), h = autograd::grad({z}, {image, w}, {gi});
      EXPECT_TRUE(near(g[0], h[0].squeeze(0).t())) << rows << " x " << channels << toString(t);
      EXPECT_TRUE(near(g[1], h[1]));
    }
}

TEST(Norm, BatchNormMovesItsRunningStatistics) {
  const Tensor x = numbers({4, 2, 3}, kDouble);
  Tensor mean = numbers({2}, kDouble), var = numbers({2}, kDouble).abs();
  const Tensor mean0 = mean.clone(), var0 = var.clone();
  batch_norm(x, {}, {}, mean, var, true, 0.25, kEps);
  const Tensor flat = x.transpose(0, 1).reshape({2, 12});
  EXPECT_TRUE(mean.allclose(mean0.mul(0.75).add(flat.mean(1), 0.25)));
  EXPECT_TRUE(var.allclose(var0.mul(0.75).add(flat.var(1, true), 0.25)));
  EXPECT_EQ(mean._version(), 1);
  const Tensor before = mean.clone();
  batch_norm(x, {}, {}, mean, var, false, 0.25, kEps);
  EXPECT_TRUE(mean.equal(before));
}

TEST(Norm, InstanceNormMovesItsRunningStatistics) {
  const Tensor x = numbers({2, 3, 7}, kDouble);
  Tensor mean = numbers({3}, kDouble).mul(0), var = mean.add(1);
  instance_norm(x, {}, {}, mean, var, true, 1.0, kEps);
  EXPECT_TRUE(mean.allclose(x.mean(2).mean(0)));
  EXPECT_TRUE(var.allclose(x.var(2, true).mean(0)));
}

TEST(Norm, LargeMeansDoNotSpoilTheVariance) {
  const Tensor x = numbers({2, 1, 1000}).add(10000);
  const Tensor y = batch_norm(x, {}, {}, {}, {}, true, 0.1, 1e-5);
  const Tensor want = batch_norm(x.to(kDouble), {}, {}, {}, {}, true, 0.1, 1e-5);
  EXPECT_TRUE(y.to(kDouble).allclose(want, 1e-3, 1e-3));
}

TEST(Norm, GradientsOfWeightAndBiasHaveTheirOwnDtype) {
  const Tensor x = numbers({2, 3, 7}, kHalf).requires_grad_();
  const Tensor w = numbers({3}).requires_grad_(), b = numbers({3}).requires_grad_();
  const Tensor gy = numbers({2, 3, 7}).add(0.1f).to(kHalf);
  const auto first = [&] {
    return autograd::grad({batch_norm(x, w, b, {}, {}, true, 0.1, kEps)}, {x, w, b}, {gy}, true,
                          true);
  };
  const auto g = first();
  EXPECT_EQ(g[0].scalar_type(), kHalf);
  EXPECT_EQ(g[1].scalar_type(), kFloat);
  EXPECT_EQ(g[2].scalar_type(), kFloat);
  const Tensor sum = gy.to(kDouble).sum({0, 2});  // not rounded to half
  EXPECT_TRUE(g[2].to(kDouble).allclose(sum, 1e-6, 1e-6));
  const auto second = autograd::grad({g[0], g[1]}, {x, w}, {gy, numbers({3})});
  EXPECT_EQ(second[0].scalar_type(), kHalf);
  EXPECT_EQ(second[1].scalar_type(), kFloat);
}

// Rows go through the loops several at a time.
// The gradient of the output depends on the input here, as in a penalty on gradients.
TEST(Norm, SecondDerivativesThroughAGradientThatComesFromTheInput) {
  using Op = Tensor (*)(const std::vector<Tensor>&);
  const Op ops[] = {
      [](const std::vector<Tensor>& v) { return layer_norm(v[0], {4}, v[1], v[2], kEps); },
      [](const std::vector<Tensor>& v) {
        return batch_norm(v[0], v[1], v[2], {}, {}, true, 0.1, kEps, false);
      },
      [](const std::vector<Tensor>& v) { return group_norm(v[0], 2, v[1], v[2], kEps); }};
  for (const Op op : ops)
    for (size_t of = 0; of < 3; ++of) {
      const std::vector<Tensor> v{(numbers({3, 4}).to(kDouble) * 1.3).sin().requires_grad_(),
                                  (numbers({4}).to(kDouble) + 1).cos().requires_grad_(),
                                  (numbers({4}).to(kDouble) + 2).sin().requires_grad_()};
      const auto penalty = [&] {
        const Tensor y = op(v), g = autograd::grad({(y * y * y).sum()}, v, {}, true, true)[of];
        return (g * g).sum();
      };
      const auto found = autograd::grad({penalty()}, v);
      for (size_t i = 0; i < 3; ++i) {
        double* at = v[i].data_ptr<double>() + 1;
        const double step = 1e-5, here = *at;
        *at = here + step;
        const double above = penalty().item<double>();
        *at = here - step;
        const double below = penalty().item<double>(), slope = (above - below) / (2 * step);
        *at = here;
        EXPECT_NEAR(found[i].view({-1})[1].item<double>(), slope, 1e-5 * (1 + std::abs(slope)))
            << of << ' ' << i;
      }
    }
}

TEST(Norm, ARowIsTheSameAmongOthersAndAlone) {
  for (const int64_t n : {3, 100, 3000}) {
    const Tensor x = numbers({7, n}).requires_grad_(), gy = numbers({7, n}).mul(3);
    const Tensor w = numbers({n}), b = numbers({n}).add(1);
    const Tensor y = layer_norm(x, {n}, w, b);
    const Tensor gx = autograd::grad({y}, {x}, {gy})[0];
    for (int64_t r = 0; r < 7; ++r) {
      const Tensor row = x.detach()[r].clone().requires_grad_();
      const Tensor alone = layer_norm(row, {n}, w, b);
      EXPECT_TRUE(alone.equal(y[r])) << n << ' ' << r;
      EXPECT_TRUE(autograd::grad({alone}, {row}, {gy[r]})[0].equal(gx[r])) << n << ' ' << r;
    }
  }
}

// 16-bit floats are computed as floats, in tiles of 2048, and rounded once.
struct Narrow {
  ScalarType dtype;
  Tensor x, gy;
  /// y and the gradients of x, weight and bias, in floats, as computed from elements of type t.
  template <class Op>
  std::vector<Tensor> results_in(ScalarType t, const Op& op, int64_t weights) const {
    const Tensor in = x.to(t).detach().requires_grad_();
    const Tensor w = numbers({weights}).add(0.5f).requires_grad_();
    const Tensor b = numbers({weights}).requires_grad_();
    const Tensor y = op(in, w, b);
    const auto g = autograd::grad({y}, {in, w, b}, {gy.to(t)});
    return {y.to(dtype).to(kFloat), g[0].to(dtype).to(kFloat), g[1], g[2]};
  }
  template <class Op>
  void expect_floats_results(const Op& op, int64_t weights, double tolerance) const {
    const auto got = results_in(dtype, op, weights), want = results_in(kFloat, op, weights);
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_TRUE(got[i].allclose(want[i], tolerance, tolerance, true))
          << toString(dtype) << ' ' << x.numel() << " result " << i;
  }
};
Narrow narrow_numbers(ScalarType t, IntArrayRef sizes) {
  return {t, numbers(sizes).to(t), numbers(sizes).mul(3).add(0.1f).to(t)};
}

TEST(Norm, LayersOf16BitsAreThoseOfFloatsRoundedOnce) {
  for (const ScalarType t : {kHalf, kBFloat16})
    for (const int64_t n : {1, 2, 7, 33, 100, 768, 2047, 2048, 2049, 5003})
      for (const int64_t rows : {1, 5, 67})
        narrow_numbers(t, {rows, n})
            .expect_floats_results([n](const Tensor& x, const Tensor& w,
                                       const Tensor& b) { return layer_norm(x, {n}, w, b); },
                                   n, 0);
}

TEST(Norm, SpecialValuesOf16BitsAreThoseOfFloats) {
  for (const ScalarType t : {kHalf, kBFloat16})
    for (const double special : {double(NAN), double(INFINITY), -double(INFINITY), 6e-8, 65504.0})
      for (const int64_t at : {0, 17, 36}) {
        const Narrow a = narrow_numbers(t, {3, 37});
        a.x[1][at].fill_(special);
        const auto layer = [](const Tensor& x, const Tensor& w, const Tensor& b) {
          return layer_norm(x, {37}, w, b);
        };
        a.expect_floats_results(layer, 37, 0);
        const Tensor y = layer(a.x, {}, {});
        EXPECT_EQ(y[1].isnan().all().item<bool>(), !std::isfinite(special));
        EXPECT_FALSE(y[0].isnan().any().item<bool>() || y[2].isnan().any().item<bool>());
      }
}

TEST(Norm, GroupsAndBatchesOf16BitsAreThoseOfFloats) {
  for (const ScalarType t : {kHalf, kBFloat16})
    for (const int64_t pixels : {2, 37, 2048, 2049, 9001}) {
      const double rounding = t == kHalf ? 0x1p-10 : 0x1p-7;
      const Narrow a = narrow_numbers(t, {3, 4, pixels});
      a.expect_floats_results([](const Tensor& x, const Tensor& w,
                                 const Tensor& b) { return group_norm(x, 2, w, b, kEps); },
                              4, rounding);
      a.expect_floats_results(
          [](const Tensor& x, const Tensor& w, const Tensor& b) {
            return batch_norm(x, w, b, {}, {}, true, 0.1, kEps);
          },
          4, rounding);
    }
}

TEST(Norm, BatchesOf16BitsWithoutPixelsAreThoseOfFloats) {
  for (const ScalarType t : {kHalf, kBFloat16})
    for (const auto& [rows, channels] : {std::pair{1, 3}, {2, 1}, {31, 64}, {33, 65}, {129, 203}})
      for (const bool training : {true, false}) {
        const Tensor mean = numbers({channels}), var = mean.square().add(1);
        narrow_numbers(t, {rows, channels})
            .expect_floats_results(
                [&, trains = training](const Tensor& x, const Tensor& w, const Tensor& b) {
                  return batch_norm(x, w, b, mean.clone(), var.clone(), trains, 0.1, kEps);
                },
                channels, t == kHalf ? 0x1p-10 : 0x1p-7);
      }
}

// Many channels are normalised one by one; the larger results are written by non-temporal stores.
TEST(Norm, AChannelIsTheSameAmongOthersAndAlone) {
  for (const std::vector<int64_t>& sizes :
       {std::vector<int64_t>{3, 40, 33, 35}, std::vector<int64_t>{2, 40, 300, 300}}) {
    const Tensor x = numbers(sizes), w = numbers({40}), b = numbers({40}).add(1);
    const Tensor y = batch_norm(x, w, b, {}, {}, true, 0.1, kEps);
    const Tensor groups = group_norm(x, 20, w, b, kEps);
    for (const int64_t c : {0, 18, 38}) {
      const auto part = [c](const Tensor& t, int64_t dim, int64_t n) {
        return t.narrow(dim, c, n).contiguous();
      };
      const Tensor alone =
          batch_norm(part(x, 1, 1), part(w, 0, 1), part(b, 0, 1), {}, {}, true, 0.1, kEps);
      EXPECT_TRUE(alone.equal(part(y, 1, 1))) << c;
      const Tensor group = group_norm(part(x, 1, 2), 1, part(w, 0, 2), part(b, 0, 2), kEps);
      EXPECT_TRUE(group.equal(part(groups, 1, 2))) << c;
    }
  }
}

TEST(Norm, NodesHaveThePeersNames) {
  const Tensor x = numbers({2, 4, 3}).requires_grad_();
  EXPECT_EQ(batch_norm(x, {}, {}, {}, {}, true, 0.1, kEps).grad_fn()->name(),
            "NativeBatchNormBackward0");
  EXPECT_EQ(layer_norm(x, {3}).grad_fn()->name(), "NativeLayerNormBackward0");
  EXPECT_EQ(group_norm(x, 2).grad_fn()->name(), "NativeGroupNormBackward0");
}

TEST(Norm, AnEmptyBatchLeavesTheRunningStatistics) {
  const Tensor mean = tensor({1.f, 2.f}), var = tensor({3.f, 4.f});
  const Tensor y = batch_norm(ones({0, 2, 3}), {}, {}, mean, var, true, 0.1, 1e-5, false);
  EXPECT_EQ(y.numel(), 0);
  EXPECT_TRUE(mean.equal(tensor({1.f, 2.f})));
  EXPECT_TRUE(var.equal(tensor({3.f, 4.f})));
}

TEST(RMSNorm, EpsilonIsThatOfTheDtype) {
  for (const auto& [t, eps] :
       {std::pair{kFloat, 0x1p-23}, {kDouble, 0x1p-52}, {kHalf, 0x1p-10}, {kBFloat16, 0x1p-7}}) {
    const double x = std::sqrt(eps);  // y = x / sqrt(x^2 + eps) = sqrt(1 / 2)
    const Tensor y = rms_norm(values({x, -x}, t), {2});
    EXPECT_EQ(y.scalar_type(), t);
    EXPECT_NEAR(values_of(y)[1], -std::sqrt(0.5), t == kBFloat16 ? 4e-3 : 1e-3);
  }
}

// Statistics that do not depend on the batch: a part of it alone must give the same.
TEST(LargeResults, OfNormalisationsAreThoseOfTheirParts) {
  const Tensor x = randn({66, 64, 33, 33}).requires_grad_();  // 17.5 MiB
  const Tensor g = randn(x.sizes()), mean = randn({64}), var = rand({64}) + 1, w = randn({64});
  const auto by_batch = [&](const Tensor& x) {
    return batch_norm(x, w, mean, mean, var, false, 0.1, 1e-5, false);
  };
  const auto by_group = [&](const Tensor& x) { return group_norm(x, 32, w, mean); };
  const auto compare = [&](const auto& norm) {
    const Tensor y = norm(x), gx = autograd::grad({y}, {x}, {g})[0];
    const Tensor part = x.detach().narrow(0, 64, 2).requires_grad_(), z = norm(part);
    EXPECT_TRUE(z.equal(y.narrow(0, 64, 2)));
    EXPECT_TRUE(autograd::grad({z}, {part}, {g.narrow(0, 64, 2)})[0].equal(gx.narrow(0, 64, 2)));
  };
  compare(by_batch);
  compare(by_group);
}

// A channel that no cache holds is read twice; samples' statistics by the definition.
TEST(BatchNorm, OfChannelsThatNoCacheHolds) {
  const Tensor x = randn({2, 8, 320, 320});
  const Tensor y = batch_norm(x, {}, {}, {}, {}, true, 0.1, 1e-5, false);
  const Tensor d = x.to(kDouble), mean = d.mean({0, 2, 3}, true);
  const Tensor want = (d - mean) / ((d - mean).square().mean({0, 2, 3}, true) + 1e-5).sqrt();
  EXPECT_TRUE(y.to(kDouble).allclose(want, 1e-4, 1e-4));
}

// Gradients of weights alone.
TEST(Norm, WeightsAloneWantGradients) {
  for (ScalarType t : {kFloat, kDouble}) {
    const Tensor x = numbers({4, 6, 5}, t), g = numbers({4, 6, 5}, t);
    const auto compare = [&](const auto& norm) {
      const auto gradient = [&](const Tensor& from) {
        const Tensor w = ones({6}, t).requires_grad_(), b = zeros({6}, t).requires_grad_();
        return autograd::grad({norm(from, w, b)}, {w, b}, {g});
      };
      const std::vector<Tensor> alone = gradient(x), beside = gradient(x.clone().requires_grad_());
      EXPECT_TRUE(alone[0].equal(beside[0]) && alone[1].equal(beside[1])) << toString(t);
    };
    compare([](const Tensor& x, const Tensor& w, const Tensor& b) {
      return batch_norm(x, w, b, {}, {}, true, 0.1, 1e-5, false);
    });
    compare(
        [](const Tensor& x, const Tensor& w, const Tensor& b) { return group_norm(x, 3, w, b); });
  }
}

TEST(LayerNorm, OfRowsWithoutElements) {
  const Tensor x = zeros({3, 0}).requires_grad_(), w = zeros({0}).requires_grad_();
  layer_norm(x, {0}, w).sum().backward();
  EXPECT_EQ(x.grad().sizes(), IntArrayRef({3, 0}));
  EXPECT_EQ(w.grad().sizes(), IntArrayRef({0}));
}

}  // namespace
}  // namespace torch::taper::testing
