#include <taper/ops/nn/attention.h>

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/debug/timeline.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/nn/attention_heads.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>
#include <taper/taper.h>

#include "forced_way.h"
#include "harness/devices.h"
#include "harness/samples.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Shape = std::vector<int64_t>;

// The element of `a` at the end of `index` that a's rank reaches, dimensions of size 1 repeated.
double at_broadcast(const Array& a, const Shape& index) {
  Shape own(index.end() - a.dim(), index.end());
  for (size_t d = 0; d < own.size(); ++d)
    if (a.sizes[d] == 1) own[d] = 0;
  return a.at(own);
}

// From the formula: q, k, v of the same dimensions in front, i = {causal}, perhaps a mask to add.
Array reference(const ArrayArgs& a) {
  const Array &q = a.t[0], &k = a.t[1], &v = a.t[2];
  const int64_t S = k.size(-2), E = q.size(-1), V = v.size(-1);
  Shape sizes = q.sizes, rows = q.sizes;
  sizes.back() = V;
  rows.back() = 1;
  Array y(sizes);
  for_each_index(rows, [&](Shape at) {
    const int64_t i = at[at.size() - 2];
    std::vector<double> sum(static_cast<size_t>(V), 0);
    double total = 0;
    for (int64_t j = 0; j < (a.i[0] != 0 ? std::min(S, i + 1) : S); ++j) {
      Shape row = at, key = at;
      double score = 0;
      key[key.size() - 2] = j;
      for (int64_t e = 0; e < E; ++e) {
        row.back() = key.back() = e;
        score += q.at(row) * k.at(key);
      }
      row.back() = j;
      score /= std::sqrt(static_cast<double>(E));
      const double weight = std::exp(score + (a.t.size() > 3 ? at_broadcast(a.t[3], row) : 0));
      total += weight;
      for (int64_t d = 0; d < V; ++d) {
        key.back() = d;
        sum[static_cast<size_t>(d)] += weight * v.at(key);
      }
    }
    for (int64_t d = 0; d < V; ++d) {
      at.back() = d;
      y.at(at) = sum[static_cast<size_t>(d)] / total;
    }
  });
  return y;
}

OpCase attention_case(std::string name, bool masked) {
  OpCase c;
  c.name = std::move(name);
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16};
  c.samples = [masked](ScalarType t) {
    std::vector<Args> list;
    const auto add = [&](Shape q, Shape k, Shape v, Shape mask, bool causal) {
      std::vector<Shape> sizes{q, k, v};
      if (masked) sizes.push_back(mask);
      list.push_back(sample_of(sizes, t, {-1.5, 1.5}, {causal && !masked}));
    };
    add({2, 3}, {4, 3}, {4, 2}, {2, 4}, false);
    add({2, 3, 2}, {2, 4, 2}, {2, 4, 3}, {3, 4}, true);
    add({2, 2, 3, 2}, {2, 2, 5, 2}, {2, 2, 5, 1}, {2, 1, 1, 5}, false);
    add({2, 2, 5, 2}, {2, 2, 3, 2}, {2, 2, 3, 2}, {5, 3}, true);
    add({1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1}, true);
    add({2, 1, 2, 3, 2}, {2, 1, 2, 3, 2}, {2, 1, 2, 3, 2}, {3, 3}, false);
    add({0, 3}, {4, 3}, {4, 2}, {1, 4}, false);
    add({3, 33, 17}, {3, 65, 17}, {3, 65, 33}, {33, 65}, false);
    add({1, 2, 131, 5}, {1, 2, 259, 5}, {1, 2, 259, 3}, {2, 1, 259}, true);
    return list;
  };
  c.call = [](const Args& a) {
    return scaled_dot_product_attention(a.t[0], a.t[1], a.t[2], a.t.size() > 3 ? a.t[3] : Tensor(),
                                        0, a.i[0] != 0);
  };
  c.reference = reference;
  return c;
}

TAPER_OP_CASES(attention_cases, {
  OpCase plain = attention_case("scaled_dot_product_attention", false);
  const auto call = [](Shape q, Shape k, Shape v, ScalarType t = kFloat) {
    return [=] {
      scaled_dot_product_attention(to_tensor(Array(q), t), to_tensor(Array(k), kFloat),
                                   to_tensor(Array(v), kFloat));
    };
  };
  plain.errors = {
      error<Error>("to all be  at least 2 dimensional, but got query.dim: 1",
                   call({3}, {4, 3}, {4, 3})),
      error<Error>("expected (..., L, E), (..., S, E), (..., S, V), got [2, 2], [4, 3], [4, 2]",
                   call({2, 2}, {4, 3}, {4, 2})),
      error<Error>("got [2, 3], [4, 3], [5, 2]", call({2, 3}, {4, 3}, {5, 2})),
      error<Error>("to have the same dtype", call({2, 3}, {4, 3}, {4, 2}, kDouble)),
      error<Error>("Explicit attn_mask should not be set when is_causal=True", [] {
        const Tensor x = to_tensor(Array({2, 3}), kFloat);
        scaled_dot_product_attention(x, x, x, to_tensor(Array({2, 2}), kFloat), 0, true);
      })};
  // A mask that wants a gradient takes the way through public ops; the fused one knows it as fixed.
  OpCase fixed = attention_case("attention_with_fixed_mask", true);
  fixed.inputs_without_gradient = {3};
  return std::vector<OpCase>{plain, fixed, attention_case("attention_with_mask", true)};
});

Tensor random(const Shape& sizes, uint64_t seed, ScalarType t = kDouble) {
  Random numbers(seed);
  return random_tensor(sizes, t, {-1.5, 1.5}, numbers);
}

TEST(Attention, BooleanMasksHideKeys) {
  const Tensor q = random({2, 3, 4}, 1), k = random({2, 5, 4}, 2), v = random({2, 5, 3}, 3);
  Array allowed({3, 5}, 1);
  for (int64_t i = 0; i < 3; ++i) allowed.at({i, 4}) = allowed.at({i, 3}) = 0;
  const Tensor y = scaled_dot_product_attention(q, k, v, to_tensor(allowed, kBool));
  const Tensor cut = scaled_dot_product_attention(q, k.narrow(1, 0, 3), v.narrow(1, 0, 3));
  EXPECT_TRUE(y.allclose(cut));
}

// Causal or with a mask, and of more queries and keys than a block of the fused kernel has.
TEST(Attention, EachWayAgreesWithTheDefinition) {
  using Forced = ForcedWay<force_attention_way>;
  for (const ScalarType dtype : {kFloat, kDouble, kBFloat16}) {
    const double most = dtype == kDouble ? 1e-12 : dtype == kFloat ? 1e-5 : 3e-2;
    const Tensor q = random({2, 3, 150, 8}, 1, dtype), k = random({2, 3, 150, 8}, 2, dtype);
    const Tensor v = random({2, 3, 150, 5}, 3, dtype), mask = random({150, 150}, 4, dtype);
    for (const bool causal : {false, true}) {
      const auto outputs = [&](const char* way) {
        const Forced forced(way);
        const Tensor x = q.detach().requires_grad_();
        const Tensor y = scaled_dot_product_attention(x, k, v, causal ? Tensor() : mask, 0, causal);
        y.sum().backward();
        return std::pair(y.detach().to(kDouble), x.grad().to(kDouble));
      };
      const auto [want, want_gradient] = outputs("ops");
      for (const std::string& way : attention_ways()) {
        const auto [y, gradient] = outputs(way.c_str());
        EXPECT_LE((y - want).abs().max().item<double>(), most) << way << ", " << dtype;
        EXPECT_LE((gradient - want_gradient).abs().max().item<double>(), most)
            << way << ", " << dtype;
      }
      EXPECT_EQ(outputs("fused").first.equal(want), false) << "it is another way, " << dtype;
    }
  }
  const Forced forced("flash");
  expect_error<ValueError>(
      "TAPER_ATTENTION: expected one of fused, tiles, widened, ops, but got flash", [] {
        const Tensor x = random({2, 3, 4}, 1);
        scaled_dot_product_attention(x, x, x);
      });
}

TEST(Attention, NeighbouringHeadsShareAKey) {
  const Tensor q = random({2, 6, 3, 4}, 1).requires_grad_(), k = random({2, 2, 5, 4}, 2),
               v = random({2, 3, 5, 2}, 3);
  const Tensor y = scaled_dot_product_attention(q, k, v, {}, 0, false, nullopt, true);
  ASSERT_EQ(y.sizes(), IntArrayRef({2, 6, 3, 2}));
  for (int64_t h = 0; h < 6; ++h) {
    const Tensor alone =
        scaled_dot_product_attention(q.select(1, h), k.select(1, h / 3), v.select(1, h / 2));
    EXPECT_TRUE(y.select(1, h).allclose(alone)) << h;
  }
  const Tensor key = k.clone().requires_grad_();
  scaled_dot_product_attention(q, key, v, {}, 0, false, nullopt, true).sum().backward();
  EXPECT_EQ(key.grad().sizes(), k.sizes());
  expect_error(
      "Number of heads in key and value must divide the number of heads in query, got 2 in "
      "key and 5 in query",
      [&] { scaled_dot_product_attention(q.narrow(1, 0, 5), k, v, {}, 0, false, nullopt, true); });
  expect_error("expected at least 3 dimensions with enable_gqa", [] {
    const Tensor x = random({2, 3}, 1);
    scaled_dot_product_attention(x, x, x, {}, 0, false, nullopt, true);
  });
}

// The first block of keys may be hidden as a whole; a query that sees nothing has no mean.
TEST(Attention, HiddenBlocksAndRows) {
  const Tensor q = random({2, 4}, 1), k = random({600, 4}, 2), v = random({600, 3}, 3);
  Array allowed({2, 600}, 0);
  for (int64_t j = 590; j < 600; ++j) allowed.at({0, j}) = 1;
  const Tensor y = scaled_dot_product_attention(q, k, v, to_tensor(allowed, kBool));
  const Tensor cut = scaled_dot_product_attention(q, k.narrow(0, 590, 10), v.narrow(0, 590, 10));
  EXPECT_TRUE(y[0].allclose(cut[0]));
  EXPECT_TRUE(y[1].eq(0).all().item<bool>());
}

// Nothing comes from a row that may see nothing, and nothing goes to it.
TEST(Attention, RowsThatSeeNothingAreZero) {
  for (const Device device : {Device(kCPU), Device(kCUDA, 0)})
    for (const double dropout : {0.0, 1e-9}) {  // by the kernel, by ops
      std::vector<Tensor> in;
      for (int seed : {1, 2, 3}) in.push_back(random({3, 4}, seed).to(device).requires_grad_());
      const Tensor mask = to_tensor(Array({3, 3}, 1), kBool).to(device);
      mask[1].fill_(false);
      const Tensor y = scaled_dot_product_attention(in[0], in[1], in[2], mask, dropout);
      EXPECT_TRUE(y[1].eq(0).all().item<bool>());
      y.square().sum().backward();
      for (const Tensor& x : in) EXPECT_TRUE(x.grad().isfinite().all().item<bool>());
      EXPECT_TRUE(in[0].grad()[1].eq(0).all().item<bool>());
      EXPECT_FALSE(in[0].grad()[0].eq(0).any().item<bool>());
    }
}

TEST(Attention, ScaleAndBroadcastBatches) {
  const Tensor q = random({2, 3, 4}, 1), k = random({5, 4}, 2), v = random({5, 3}, 3);
  const Tensor y = scaled_dot_product_attention(q, k, v, {}, 0, false, 0.3);
  const Tensor one = scaled_dot_product_attention(q[1].mul(0.3 * 2), k, v);
  EXPECT_TRUE(y[1].allclose(one));
}

TEST(Attention, DropoutScalesWhatIsLeft) {
  const Tensor q = zeros({1, 4}, kFloat), k = zeros({4000, 4}, kFloat), v = ones({4000, 1}, kFloat);
  const double mean = scaled_dot_product_attention(q, k, v, {}, 0.5).item<float>();
  EXPECT_NEAR(mean, 1, 0.1);
  EXPECT_NE(mean, 1);
}

// Gradients of the result and of the weights, mean and each head's, as the definition has them.
TEST(Attention, WeightsAndTheirGradients) {
  for (const auto kind : {AttentionOptions::kMean, AttentionOptions::kEach}) {
    Tensor q = random({2, 2, 3, 4}, 1), k = random({2, 2, 5, 4}, 2), v = random({2, 2, 5, 3}, 3);
    for (Tensor* t : {&q, &k, &v}) t->requires_grad_();
    AttentionOptions options;
    options.scale = 0.5;
    options.weights = kind;
    const AttentionOutput out = attend(q, k, v, {}, options);
    Tensor p = q.mul(0.5).matmul(k.transpose(2, 3)).softmax(-1);
    const Tensor want = kind == AttentionOptions::kMean ? p.mean(1) : p;
    EXPECT_TRUE(out.weights.allclose(want));
    EXPECT_TRUE(out.y.allclose(p.matmul(v)));
    const Tensor g = random(want.sizes().vec(), 4);
    (out.weights.mul(g).sum() + out.y.mul(out.y).sum()).backward();
    const Tensor gq = q.grad().clone(), gk = k.grad().clone();
    q.grad().zero_(), k.grad().zero_();
    (want.mul(g).sum() + p.matmul(v).square().sum()).backward();
    EXPECT_TRUE(gq.allclose(q.grad()) && gk.allclose(k.grad()));
  }
}

TEST(Attention, MeanWeightsOfManyKeys) {
  const Tensor q = random({1, 2, 3, 4}, 1, kFloat), k = random({1, 2, 700, 4}, 2, kFloat);
  AttentionOptions options;
  options.weights = AttentionOptions::kMean;
  const Tensor w = attend(q, k, k, {}, options).weights;
  EXPECT_TRUE(w.allclose(q.matmul(k.transpose(2, 3)).softmax(-1).mean(1), 1e-4, 1e-7));
}

// Attention and the gradients of its operands, in floats; all operands of dtype t.
std::vector<Tensor> attended(ScalarType t, const std::vector<Tensor>& operands, bool causal) {
  std::vector<Tensor> v;
  for (const Tensor& operand : operands) v.push_back(operand.to(t).requires_grad_());
  const Tensor mask = v.size() > 3 ? v[3].detach() : Tensor();
  const Tensor y = scaled_dot_product_attention(v[0], v[1], v[2], mask, 0, causal);
  y.backward(ones_like(y));
  std::vector<Tensor> all = {y.detach().to(kFloat)};
  for (size_t i = 0; i < 3; ++i) all.push_back(v[i].grad().to(kFloat));
  return all;
}

// Several blocks of queries and keys, whose products are rounded ones of bf16 where that gains.
TEST(Attention, ManyRowsOf16BitsAreNearThoseOfFloats) {
  for (const ScalarType t : {kHalf, kBFloat16})
    for (const int form : {0, 1, 2}) {
      const auto drawn = [&](const Shape& sizes) { return numbers(sizes).to(t).to(kFloat); };
      std::vector<Tensor> operands = {drawn({2, 2, 150, 40}), drawn({2, 2, 301, 40}),
                                      drawn({2, 2, 301, 24})};
      if (form == 2) operands.push_back(drawn({150, 301}));
      const auto got = attended(t, operands, form == 1),
                 want = attended(kFloat, operands, form == 1);
      for (size_t i = 0; i < want.size(); ++i) {
        const double error = norm(got[i] - want[i]).item<double>();
        EXPECT_LE(error, (t == kHalf ? 0x1p-9 : 0x1p-6) * norm(want[i]).item<double>())
            << toString(t) << ", form " << form << ", result " << i;
      }
    }
}

TEST(Attention, MasksMayWantGradients) {
  const Tensor q = random({3, 4}, 1), k = random({5, 4}, 2), v = random({5, 3}, 3);
  Tensor mask = random({3, 5}, 4).requires_grad_();
  scaled_dot_product_attention(q, k, v, mask).square().sum().backward();
  EXPECT_TRUE(mask.grad().defined());
  EXPECT_NEAR(mask.grad().sum().item<double>(), 0, 1e-12);
}

struct OfProjection {
  int64_t N, H, L, width;
  bool causal;
};
/// Attention of the parts of a projection on a device, and the gradient of that; on a GPU of 16
/// bits by cuDNN where it is on for the result, for the gradient, else by own kernels. (benchmark:
/// from the first call of a shape on.)
std::vector<Tensor> by_route(const Tensor& projection, const OfProjection& s, bool result,
                             bool gradient) {
  const Tensor x = projection.detach().requires_grad_();
  const auto part = [&](int64_t i) {
    const Tensor rows = x.narrow(2, i * s.H * s.width, s.H * s.width);
    return rows.view({s.N, s.L, s.H, s.width}).transpose(1, 2);
  };
  globalContext().setBenchmarkCuDNN(true);
  globalContext().setUserEnabledCuDNN(result);
  const Tensor y = scaled_dot_product_attention(part(0), part(1), part(2), {}, 0, s.causal);
  globalContext().setUserEnabledCuDNN(gradient);
  y.backward(y.detach().mul(3));
  globalContext().setUserEnabledCuDNN(true);
  globalContext().setBenchmarkCuDNN(false);
  return {y.detach().cpu().to(kFloat), x.grad().cpu().to(kFloat)};
}

// The gradients of a packed projection's parts lie in one buffer, which is the projection's.
TEST(Attention, GradientsOfAProjectionAreNotCopied) {
  TAPER_NEEDS_DEVICES(1);
  for (const bool packed : {true, false}) {
    const Tensor x = numbers({2, 5, 18}).to(device_at(0)).requires_grad_();
    const auto parts = x.split(6, 2);
    const auto head = [&](size_t i) {
      const Tensor part = packed ? parts[i] : parts[i].mul(1);
      return part.view({2, 5, 2, 3}).transpose(1, 2);
    };
    const Tensor y = scaled_dot_product_attention(head(0), head(1), head(2), {}, 0, true);
    const Tensor g = numbers({2, 2, 5, 3}).to(device_at(0));
    std::map<std::string, int> count;
    synchronize_all();
    cuda::Timeline timeline;
    const Tensor gx = autograd::grad({y}, {x}, {g}, /*retain_graph=*/true)[0];
    timeline.stop();
    for (const auto& e : timeline.events()) ++count[e.name];
    EXPECT_EQ(count["copy"], packed ? 0 : 3);
    EXPECT_EQ(count["zero"], 0);
    const Tensor host = x.detach().cpu().requires_grad_();
    const auto of_host = host.mul(1).split(6, 2);
    const auto on_host = [&](size_t i) { return of_host[i].view({2, 5, 2, 3}).transpose(1, 2); };
    scaled_dot_product_attention(on_host(0), on_host(1), on_host(2), {}, 0, true).backward(g.cpu());
    EXPECT_TRUE(gx.cpu().allclose(host.grad(), 1e-5, 1e-6));
    // A gradient that a hook keeps is not changed with the projection's.
    Tensor kept;
    parts[1].register_hook([&](const Tensor& gk) { kept = gk; });
    y.backward(g);
    const Tensor before = kept.clone();
    Tensor(x.grad()).zero_();
    EXPECT_TRUE(kept.equal(before));
  }
}

// What either saves the other understands. (The name is of the kernels that ./dev gpu tests first.)
TEST(CudaKernelsOfAttention, EitherRouteIsThatOfFloatsAndFollowsTheOther) {
  TAPER_NEEDS_DEVICES(1);
  for (const OfProjection& s :
       {OfProjection{2, 3, 77, 64, true}, OfProjection{1, 2, 130, 128, true},
        OfProjection{2, 2, 64, 96, false}, OfProjection{1, 1, 131, 40, false}})
    for (const ScalarType t : {kHalf, kBFloat16}) {
      const Tensor x = numbers({s.N, s.L, 3 * s.H * s.width}).mul(0.25).to(t);
      const auto want = by_route(x.to(kFloat), s, true, true);
      for (int route = 0; route < 4; ++route) {
        const auto got = by_route(x.to(device_at(0)), s, route / 2 == 0, route % 2 == 0);
        for (size_t i = 0; i < want.size(); ++i)
          EXPECT_LE(norm(got[i] - want[i]).item<double>(),
                    (t == kHalf ? 2e-3 : 1.5e-2) * norm(want[i]).item<double>())
              << toString(t) << ", " << s.L << " x " << s.width << ", route " << route
              << ", result " << i;
      }
    }
}

}  // namespace
}  // namespace torch::taper::testing
