#include <taper/nn/functional/attention.h>

#include <cmath>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/nn/attention_heads.h>
#include <taper/ops/nn/linear.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper::nn::functional {
namespace {

using Options = MultiheadAttentionForwardFuncOptions;

/// Holds the projected query (L, N, E), key and value (S, N, E).
struct Projected {
  Tensor q, k, v;
};

void check_inputs(const Tensor& q, const Tensor& k, const Tensor& v, const Options& o) {
  for (const Tensor* t : {&q, &k, &v})
    TAPER_CHECK(t->defined() && t->dim() == 3,
                "multi_head_attention_forward: expected inputs of 3 dimensions (length, batch, "
                "features), got ",
                t->defined() ? t->sizes() : IntArrayRef());
  TAPER_CHECK(q.size(2) == o.embed_dim_to_check(),
              "multi_head_attention_forward: expected a query of ", o.embed_dim_to_check(),
              " features, got ", q.sizes());
  TAPER_CHECK(k.size(0) == v.size(0) && k.size(1) == v.size(1) && q.size(1) == k.size(1),
              "multi_head_attention_forward: expected a key and a value of one length and the "
              "query's batch, got ",
              q.sizes(), ", ", k.sizes(), ", ", v.sizes());
  TAPER_CHECK(o.num_heads() > 0 && q.size(2) % o.num_heads() == 0,
              "MultiheadAttention: embed_dim must be divisible by num_heads, but got ", q.size(2),
              " and ", o.num_heads());
  TAPER_CHECK(o.bias_k().defined() == o.bias_v().defined(),
              "multi_head_attention_forward: expected both bias_k and bias_v, or none");
  TAPER_CHECK(!o.bias_k().defined() || !o.static_k().defined(),
              "bias cannot be added to static key.");
  TAPER_CHECK(!o.bias_v().defined() || !o.static_v().defined(),
              "bias cannot be added to static value.");
}

Tensor part(const Tensor& t, int64_t from, int64_t count) {
  return t.defined() ? t.narrow(0, from, count) : t;
}

Projected project(const Tensor& query, const Tensor& key, const Tensor& value, const Options& o) {
  const int64_t E = query.size(2);
  const Tensor &w = o.in_proj_weight(), &b = o.in_proj_bias();
  if (o.use_separate_proj_weight())
    return {linear(query, o.q_proj_weight(), part(b, 0, E)),
            linear(key, o.k_proj_weight(), part(b, E, E)),
            linear(value, o.v_proj_weight(), part(b, 2 * E, E))};
  if (query.is_same(key) && key.is_same(value)) {
    const auto all = linear(query, w, b).chunk(3, -1);
    return {all[0], all[1], all[2]};
  }
  const Tensor q = linear(query, part(w, 0, E), part(b, 0, E));
  if (key.is_same(value)) {
    const auto both = linear(key, part(w, E, 2 * E), part(b, E, 2 * E)).chunk(2, -1);
    return {q, both[0], both[1]};
  }
  return {q, linear(key, part(w, E, E), part(b, E, E)),
          linear(value, part(w, 2 * E, E), part(b, 2 * E, E))};
}

// Reshapes (L, N, E) to (N, H, L, E / H).
Tensor heads_of(const Tensor& t, int64_t heads) {
  return t.view({t.size(0), t.size(1), heads, t.size(2) / heads}).permute({1, 2, 0, 3});
}

Tensor static_heads(const Tensor& t, int64_t batch, int64_t heads, int64_t width) {
  TAPER_CHECK(t.dim() == 3 && t.size(0) == batch * heads && t.size(2) == width,
              "multi_head_attention_forward: expected static keys and values (", batch * heads,
              ", S, ", width, "), got ", t.sizes());
  return t.reshape({batch, heads, t.size(1), width});
}

Tensor with_zero(const Tensor& t) {
  std::vector<int64_t> sizes = t.sizes().vec();
  sizes[2] = 1;
  return cat({t, zeros(sizes, t.options().requires_grad(false))}, 2);
}

// Converts a mask to numbers that are added, and appends `extra` keys that are visible to all. In
// bools and bytes, nonzero hides a key. Other numbers are added.
Tensor additive(const Tensor& mask, int64_t extra, ScalarType dtype) {
  const bool hides = mask.scalar_type() == kBool || mask.scalar_type() == kByte;
  Tensor m = hides ? additive_mask(mask.eq(0), dtype) : mask.to(dtype);
  if (extra == 0) return m;
  std::vector<int64_t> sizes = m.sizes().vec();
  sizes.back() = extra;
  return cat({m, zeros(sizes, m.options().requires_grad(false))}, -1);
}

// Combines the masks, broadcast to (N, H, L, S), including `extra` appended keys.
Tensor joined_mask(const Options& o, int64_t N, int64_t L, int64_t S, int64_t extra,
                   ScalarType dtype) {
  Tensor mask;
  if (o.attn_mask().defined()) {
    TAPER_CHECK(
        !o.attn_mask().is_complex(),
        "multi_head_attention_forward: expected an attn_mask of bools or real numbers, got ",
        o.attn_mask().dtype());
    mask = additive(o.attn_mask(), extra, dtype);
    const bool each = mask.dim() == 3 && mask.size(0) == N * o.num_heads();
    TAPER_CHECK((mask.dim() == 2 || each) && mask.size(-2) == L && mask.size(-1) == S,
                "multi_head_attention_forward: expected an attn_mask (", L, ", ", S - extra,
                ") or (", N * o.num_heads(), ", ", L, ", ", S - extra, "), got ",
                o.attn_mask().sizes());
    if (each) mask = mask.reshape({N, o.num_heads(), L, S});
  }
  if (!o.key_padding_mask().defined()) return mask;
  const ScalarType t = o.key_padding_mask().scalar_type();
  TAPER_CHECK(t == kBool || t == kByte || isFloatingType(t),
              "multi_head_attention_forward: expected a key_padding_mask of bools or floating "
              "numbers, got ",
              o.key_padding_mask().dtype());
  const Tensor padding = additive(o.key_padding_mask(), extra, dtype);
  TAPER_CHECK(padding.dim() == 2 && padding.size(0) == N && padding.size(1) == S,
              "multi_head_attention_forward: expected a key_padding_mask (", N, ", ", S - extra,
              "), got ", o.key_padding_mask().sizes());
  const Tensor p = padding.view({N, 1, 1, S});
  return mask.defined() ? mask.add(p) : p;
}

AttentionOptions attention_options(const Options& o, int64_t width) {
  AttentionOptions a;
  a.scale = 1 / std::sqrt(static_cast<double>(width));
  a.dropout = o.training() ? o.dropout_p() : 0;
  if (o.need_weights())
    a.weights = o.average_attn_weights() ? AttentionOptions::kMean : AttentionOptions::kEach;
  return a;
}

}  // namespace

std::tuple<Tensor, Tensor> multi_head_attention_forward(const Tensor& query, const Tensor& key,
                                                        const Tensor& value, const Options& o) {
  check_inputs(query, key, value, o);
  const int64_t L = query.size(0), N = query.size(1), E = query.size(2), H = o.num_heads();
  Projected p = project(query, key, value, o);
  int64_t extra = 0;
  if (o.bias_k().defined()) {
    p.k = cat({p.k, o.bias_k().expand({1, N, E})});
    p.v = cat({p.v, o.bias_v().expand({1, N, E})});
    ++extra;
  }
  const Tensor q = heads_of(p.q, H);
  Tensor k = o.static_k().defined() ? static_heads(o.static_k(), N, H, E / H) : heads_of(p.k, H);
  Tensor v = o.static_v().defined() ? static_heads(o.static_v(), N, H, E / H) : heads_of(p.v, H);
  if (o.add_zero_attn()) {
    k = with_zero(k);
    v = with_zero(v);
    ++extra;
  }
  const Tensor mask = joined_mask(o, N, L, k.size(2), extra, q.scalar_type());
  const AttentionOutput out = attend(q, k, v, mask, attention_options(o, E / H));
  const Tensor joined = out.y.permute({2, 0, 1, 3}).reshape({L, N, E});
  return {linear(joined, o.out_proj_weight(), o.out_proj_bias()), out.weights};
}

}  // namespace torch::taper::nn::functional
