#include <taper/ops/nn/attention.h>

#include <cmath>
#include <limits>
#include <numeric>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/recompute.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/framework/kernel/ways.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/nn/attention_heads.h>
#include <taper/ops/nn/attention_kernels.h>
#include <taper/ops/nn/dropout.h>
#include <taper/ops/nn/softmax.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/spatial/pad.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {

using autograd::gradients_through;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Returns the softmax of scores. If all keys of a row are masked, its weights are 0.
Tensor attention_weights(const Tensor& scores, bool masked) {
  if (!masked || scores.numel() == 0) return softmax(scores, -1);
  const Tensor unseen = scores.detach().eq(-kInfinity).all(-1, true);
  return softmax(scores.masked_fill(unseen, 0), -1).masked_fill(unseen, 0);
}

// Computes attention by its definition, with all weights in memory.
AttentionOutput attend_in_ops(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask,
                              const AttentionOptions& options) {
  Tensor scores = matmul(q.mul(options.scale), k.transpose(-2, -1));
  if (mask.defined()) scores = scores.add(mask);
  if (options.causal)
    scores = scores.add(
        full({q.size(2), k.size(2)}, -kInfinity, q.options().requires_grad(false)).triu(1));
  const Tensor weights = dropout(attention_weights(scores, mask.defined()), options.dropout, true);
  const Tensor y = matmul(weights, v);
  if (options.weights == AttentionOptions::kNone) return {y, {}};
  return {y, options.weights == AttentionOptions::kEach ? weights : weights.mean(1)};
}

// CUDA's kernels of 16-bit floats read 16 bytes at a time.
bool is_in_packs(const Tensor& t) {
  if (!isReducedFloatingType(t.scalar_type()) || !t.is_cuda()) return true;
  bool whole = reinterpret_cast<uintptr_t>(t.impl().data) % 16 == 0;
  for (int64_t d = 0; d < 3; ++d) whole = whole && (t.size(d) == 1 || t.stride(d) % 8 == 0);
  return whole;
}

// Returns t with the strides that the kernels need.
Tensor with_dense_rows(const Tensor& t) {
  const Tensor x = t.detach();
  const bool dense = x.stride(3) == 1 && x.stride(2) >= x.size(3) && is_in_packs(x);
  return dense ? x : x.clone(MemoryFormat::Contiguous);
}

// Returns a tensor of these sizes whose dimension order in memory is that of `like`.
Tensor empty_in_order_of(const Tensor& like, const Dims& sizes) {
  std::array<int64_t, 3> order{0, 1, 2};  // the last one stays the last
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return like.stride(a) > like.stride(b); });
  const Tensor memory = detail::make_tensor(sizes, like.scalar_type(), like.device());
  Dims strides(4, 1);
  int64_t step = sizes[3];
  for (auto d = order.rbegin(); d != order.rend(); ++d) {
    strides[*d] = step;
    step *= sizes[*d];
  }
  return detail::share_data(memory.impl(), sizes, strides, 0);
}

// Tests whether q, k and v are the parts of each row of a packed projection, as (N, L, 3, H, E).
bool are_packed(const Tensor& q, const Tensor& k, const Tensor& v) {
  const int64_t H = q.size(1), L = q.size(2), width = H * q.size(3);
  const auto begins = [&](const Tensor& t, int64_t part) {
    return t.is_alias_of(q) && t.storage_offset() == q.storage_offset() + part * width &&
           t.sizes() == q.sizes() && t.strides() == q.strides();
  };
  return q.numel() > 0 && q.stride(0) == L * 3 * width && q.stride(1) == q.size(3) &&
         q.stride(2) == 3 * width && q.stride(3) == 1 && begins(k, 1) && begins(v, 2);
}
// Returns memory for the gradients of q, k and v. Those of a packed projection are packed alike, so
// that the projection's gradient needs no copies.
std::array<Tensor, 4> empty_gradients(const Tensor& q, const Tensor& k, const Tensor& v) {
  if (!are_packed(q, k, v))
    return {empty_in_order_of(q, q.impl().sizes),
            empty_in_order_of(k, k.impl().sizes),
            empty_in_order_of(v, v.impl().sizes),
            {}};
  const int64_t width = q.size(1) * q.size(3);
  const Tensor memory =
      detail::make_tensor({q.size(0), q.size(2), 3 * width}, q.scalar_type(), q.device());
  const auto part = [&](int64_t i) {
    return detail::share_data(memory.impl(), q.impl().sizes, q.impl().strides, i * width);
  };
  return {part(0), part(1), part(2), {}};
}

Tensor to_float(const Tensor& t) { return t.defined() ? t.to(kFloat) : t; }

/// Tests for 16-bit operands on the CPU, which computes sums, masks and weights in f32.
bool is_narrow_on_cpu(const Tensor& q) {
  return isReducedFloatingType(q.scalar_type()) && !q.is_cuda();
}

AttentionOutput to_dtype(const AttentionOutput& out, ScalarType dtype) {
  return {out.y.to(dtype), out.weights.defined() ? out.weights.to(dtype) : out.weights};
}

// Calls attend_in_ops for 16-bit operands, by way of f32.
AttentionOutput attend_in_float_ops(const Tensor& q, const Tensor& k, const Tensor& v,
                                    const Tensor& mask, const AttentionOptions& options) {
  return to_dtype(attend_in_ops(to_float(q), to_float(k), to_float(v), to_float(mask), options),
                  q.scalar_type());
}

// The inputs are q, k, v and mask.
std::array<Tensor, 4> gradients(const std::array<Tensor, 4>& t, const Tensor& y, const Tensor& lse,
                                const Tensor& gy, AttentionForm form) {
  const ScalarType dtype = t[0].scalar_type();
  if (is_narrow_on_cpu(t[0])) {
    form.bf16_products = dtype == kBFloat16;
    auto r = gradients({to_float(t[0]), to_float(t[1]), to_float(t[2]), t[3]}, to_float(y), lse,
                       to_float(gy), form);
    for (Tensor& g : r) g = g.defined() ? g.to(dtype) : g;
    return r;
  }
  const Tensor q = with_dense_rows(t[0]), k = with_dense_rows(t[1]), v = with_dense_rows(t[2]);
  const Tensor g = with_dense_rows(gy);
  std::array<Tensor, 4> r = empty_gradients(q, k, v);
  TAPER_ON_DEVICE(q, attention_backward, r[0], r[1], r[2], g, y, lse, q, k, v, t[3], form);
  return r;
}

AttentionOutput attend_fused(const Tensor& query, const Tensor& key, const Tensor& value,
                             const Tensor& mask, const AttentionOptions& options) {
  const AttentionForm form{options.scale, options.causal};
  const Tensor q = with_dense_rows(query), k = with_dense_rows(key), v = with_dense_rows(value);
  const int64_t N = q.size(0), H = q.size(1), L = q.size(2), S = k.size(2);
  const Tensor y = empty_in_order_of(q, {N, H, L, v.size(3)});
  const ScalarType of_sums = isReducedFloatingType(q.scalar_type()) ? kFloat : q.scalar_type();
  const Tensor lse = detail::make_tensor({N, H, L}, of_sums, q.device());
  const bool mean = options.weights == AttentionOptions::kMean;
  Tensor weights = mean ? detail::make_tensor({N, L, S}, of_sums, q.device()) : Tensor();
  Tensor full_mask = mask.defined() ? mask.detach() : mask;
  if (is_narrow_on_cpu(q)) full_mask = to_float(full_mask);
  if (mask.defined()) full_mask = full_mask.expand({N, H, L, S});
  TAPER_ON_DEVICE(q, attention, y, lse, weights, q, k, v, full_mask, form);
  if (mean) weights = weights.to(q.scalar_type());
  if (!needs_grad(query, key, value)) return {y, weights};
  record("ScaledDotProductAttentionBackward0", {y, weights}, {query, key, value},
         [inputs = autograd::saved_all({query, key, value}),
          mask = full_mask.defined() ? saved(full_mask) : autograd::Saved(), y = saved_output(y),
          lse = saved(lse), options](Grads& g) {
           const Tensor m = mask.defined() ? mask.get() : Tensor();
           if (!GradMode::is_enabled() && !(g.size() > 1 && g[1].defined())) {
             const AttentionForm form{options.scale, options.causal};
             const auto r = gradients({inputs[0].get(), inputs[1].get(), inputs[2].get(), m},
                                      y.get(), lse.get(), g[0], form);
             return std::vector<Tensor>(r.begin(), r.begin() + 3);
           }
           const auto definition = [&](const std::vector<Tensor>& t) {
             const AttentionOutput out = is_narrow_on_cpu(t[0])
                                             ? attend_in_float_ops(t[0], t[1], t[2], m, options)
                                             : attend_in_ops(t[0], t[1], t[2], m, options);
             return std::vector<Tensor>{out.y, out.weights};
           };
           return gradients_through(definition, inputs, g);
         });
  return {y, weights};
}

// Tests whether a GPU's kernels take 16-bit floats directly.
bool takes_16_bits(const Tensor& q, const Tensor& v, const AttentionOptions& options) {
  return q.is_cuda() && detail::runs_cuda_kernels() &&
         cuda::has_attention_tiles(q.device().index()) &&
         std::max(q.size(3), v.size(3)) <= cuda::kMostTileWidth &&
         options.weights == AttentionOptions::kNone;
}

// Pads columns with zeros to a multiple of 8.
Tensor in_eights(const Tensor& t) {
  const int64_t rest = t.size(3) % 8;
  return rest == 0 ? t : constant_pad_nd(t, {0, 8 - rest}, 0);
}
AttentionOutput attend_in_tiles(const Tensor& q, const Tensor& k, const Tensor& v,
                                const Tensor& mask, const AttentionOptions& options) {
  const Tensor y = attend_fused(in_eights(q), in_eights(k), in_eights(v), mask, options).y;
  return {v.size(3) % 8 == 0 ? y : y.narrow(3, 0, v.size(3)), {}};
}

// ---------------------------------------------------------------------- ways
struct AttentionProblem {
  const Tensor &q, &k, &v, &mask;
  const AttentionOptions& options;
  AttentionOutput& out;

  bool is_narrow() const { return isReducedFloatingType(q.scalar_type()); }
  /// Tests whether a kernel that keeps no weights can compute it.
  bool is_for_kernels() const {
    const bool empty = q.numel() == 0 || k.numel() == 0 || v.numel() == 0;
    return !empty && options.dropout == 0 && !needs_grad(mask) &&
           options.weights != AttentionOptions::kEach;
  }
};

using detail::always;
constexpr detail::Way<AttentionProblem> kAttentionWays[] = {
    {"fused",
     [](const AttentionProblem& p) {
       return p.is_for_kernels() && (!p.is_narrow() || is_narrow_on_cpu(p.q));
     },
     always<AttentionProblem>,
     [](const AttentionProblem& p) {
       p.out = attend_fused(p.q, p.k, p.v, p.mask, p.options);
       return true;
     }},
    {"tiles",
     [](const AttentionProblem& p) {
       return p.is_for_kernels() && p.is_narrow() && takes_16_bits(p.q, p.v, p.options);
     },
     always<AttentionProblem>,
     [](const AttentionProblem& p) {
       p.out = attend_in_tiles(p.q, p.k, p.v, p.mask, p.options);
       return true;
     }},
    {"widened",
     [](const AttentionProblem& p) {
       return p.is_for_kernels() && p.is_narrow() && !is_narrow_on_cpu(p.q);
     },
     always<AttentionProblem>,
     [](const AttentionProblem& p) {
       p.out = to_dtype(
           attend_fused(to_float(p.q), to_float(p.k), to_float(p.v), to_float(p.mask), p.options),
           p.q.scalar_type());
       return true;
     }},
    {"ops", always<AttentionProblem>, always<AttentionProblem>, [](const AttentionProblem& p) {
       p.out = p.is_narrow() ? attend_in_float_ops(p.q, p.k, p.v, p.mask, p.options)
                             : attend_in_ops(p.q, p.k, p.v, p.mask, p.options);
       return true;
     }}};

detail::ForcedWay g_forced("TAPER_ATTENTION");

AttentionOutput attend_best(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask,
                            const AttentionOptions& options) {
  g_forced.check(kAttentionWays);
  AttentionOutput out;
  detail::run_best<kAttentionWays>(AttentionProblem{q, k, v, mask, options, out}, g_forced);
  return out;
}

}  // namespace

AttentionOutput attend(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask,
                       const AttentionOptions& options) {
  if (!detail::has_modes()) return attend_best(q, k, v, mask, options);
  // Modes see public ops only.
  const bool is_one_op =
      options.weights == AttentionOptions::kNone && !(mask.defined() && options.causal);
  if (!is_one_op) return attend_in_ops(q, k, v, mask, options);
  return {
      scaled_dot_product_attention(q, k, v, mask, options.dropout, options.causal, options.scale),
      {}};
}
std::vector<std::string> attention_ways() { return detail::names_of(kAttentionWays); }
void force_attention_way(const char* name) { g_forced.set(name); }

Tensor additive_mask(const Tensor& allowed, ScalarType dtype) {
  const TensorOptions options = TensorOptions(dtype).device(allowed.device());
  return where(allowed, zeros({}, options), full({}, -kInfinity, options));
}

namespace {

void check_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask,
                     bool is_causal) {
  for (const Tensor* t : {&q, &k, &v}) check_defined("scaled_dot_product_attention", *t, "input");
  TAPER_CHECK(q.dim() >= 2 && k.dim() >= 2 && v.dim() >= 2,
              "scaled_dot_product_attention: Expected query, key, and value to all be  at least 2 "
              "dimensional, but got query.dim: ",
              q.dim(), ", key.dim: ", k.dim(), " and value.dim: ", v.dim(), " instead.");
  TAPER_CHECK(q.scalar_type() == k.scalar_type() && q.scalar_type() == v.scalar_type(),
              "scaled_dot_product_attention: Expected query, key, and value to have the same "
              "dtype, but got query.dtype: ",
              q.dtype(), " key.dtype: ", k.dtype(), " and value.dtype: ", v.dtype(), " instead.");
  check_same_device("scaled_dot_product_attention", q, k);
  check_same_device("scaled_dot_product_attention", q, v);
  TAPER_CHECK_AS(NotImplementedError, q.is_floating_point(),
                 "scaled_dot_product_attention: not implemented for '", q.scalar_type(), "'");
  TAPER_CHECK(q.size(-1) == k.size(-1) && k.size(-2) == v.size(-2),
              "scaled_dot_product_attention: expected (..., L, E), (..., S, E), (..., S, V), got ",
              q.sizes(), ", ", k.sizes(), ", ", v.sizes());
  if (!mask.defined()) return;
  TAPER_CHECK(!is_causal,
              "_scaled_dot_product_attention: Explicit attn_mask should not be set when "
              "is_causal=True");
  TAPER_CHECK(mask.scalar_type() == kBool || mask.scalar_type() == q.scalar_type(),
              "scaled_dot_product_attention: Expected attn_mask dtype to be bool or to match query "
              "dtype, but got "
              "attn_mask.dtype: ",
              mask.dtype(), " and  query.dtype: ", q.dtype(), " instead.");
  TAPER_CHECK_INDEX(mask.dim() >= 2,
                    "scaled_dot_product_attention: expected attn_mask to have at least the "
                    "dimensions (L, S), got ",
                    mask.sizes(), ". Dimension out of range");
  check_same_device("scaled_dot_product_attention", q, mask);
}

// Merges the dimensions before the last two into two.
Tensor as_heads(const Tensor& t, const Dims& batch) {
  Dims sizes = batch;
  for (int64_t d : {-2, -1}) sizes.push_back(t.dim() + d < 0 ? 1 : t.size(d));
  const Tensor x = t.expand(sizes);
  if (batch.size() == 2) return x;
  if (batch.size() == 1) return x.unsqueeze(1);
  if (batch.empty()) return x.unsqueeze(0).unsqueeze(0);
  return x.reshape({-1, 1, sizes[sizes.size() - 2], sizes.back()});
}

// Grouped-query attention: repeats each head of `t` for every query head that it serves.
Tensor for_each_head(const char* name, const Tensor& t, const Tensor& query) {
  check_defined("scaled_dot_product_attention", t, name);
  check_defined("scaled_dot_product_attention", query, "query");
  TAPER_CHECK(t.dim() >= 3 && query.dim() >= 3,
              "scaled_dot_product_attention: expected at least 3 dimensions with enable_gqa, got "
              "query ",
              query.sizes(), " and ", name, " ", t.sizes());
  const int64_t own = t.size(-3), heads = query.size(-3);
  TAPER_CHECK(own > 0 && heads % own == 0,
              "scaled_dot_product_attention: Number of heads in key and value must divide the "
              "number of heads in query, got ",
              own, " in ", name, " and ", heads, " in query");
  return t.repeat_interleave(heads / own, -3);
}

}  // namespace

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& attn_mask, double dropout_p, bool is_causal,
                                    optional<double> scale, bool enable_gqa) {
  if (auto done = at_door<"scaled_dot_product_attention">(query, key, value, attn_mask, dropout_p,
                                                          is_causal, scale, enable_gqa))
    return done;
  if (enable_gqa) {
    const Tensor keys = for_each_head("key", key, query);
    return scaled_dot_product_attention(query, keys, for_each_head("value", value, query),
                                        attn_mask, dropout_p, is_causal, scale);
  }
  check_attention(query, key, value, attn_mask, is_causal);
  const char* const op = "scaled_dot_product_attention";
  const auto leading = [](const Tensor& t) {
    return t.sizes().slice(0, std::max<int64_t>(0, t.dim() - 2));
  };
  const Dims batch =
      broadcast_shapes(op, broadcast_shapes(op, leading(query), leading(key)), leading(value));
  Tensor mask = attn_mask;
  if (mask.defined()) {
    Dims scores = batch;
    scores.push_back(query.size(-2));
    scores.push_back(key.size(-2));
    if (mask.scalar_type() == kBool) mask = additive_mask(mask, query.scalar_type());
    mask = as_heads(mask.expand(scores), batch);
  }
  AttentionOptions options;
  options.scale = scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1))));
  options.causal = is_causal;
  options.dropout = dropout_p;
  const Tensor y = attend_best(as_heads(query, batch), as_heads(key, batch), as_heads(value, batch),
                               mask, options)
                       .y;
  if (batch.size() == 2) return y;
  Dims sizes = batch;
  sizes.push_back(y.size(2));
  sizes.push_back(y.size(3));
  return y.reshape(sizes);
}

}  // namespace torch::taper
