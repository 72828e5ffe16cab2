#include <taper/nn/modules/attention.h>

#include <taper/nn/functional/attention.h>
#include <taper/nn/init.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::nn {

TAPER_DEFINE_LIBRARY_MODULE(MultiheadAttention);
TAPER_DEFINE_LIBRARY_DEFAULT_ARGS(MultiheadAttention, {3, AnyValue(Tensor())}, {4, AnyValue(true)},
                                  {5, AnyValue(Tensor())}, {6, AnyValue(true)})

MultiheadAttentionImpl::MultiheadAttentionImpl(const MultiheadAttentionOptions& options_)
    : Module("torch::nn::MultiheadAttention"), options(options_) {
  MultiheadAttentionImpl::reset();
}

void MultiheadAttentionImpl::reset() {
  const int64_t E = options.embed_dim(), K = options.kdim(), V = options.vdim();
  _qkv_same_embed_dim = K == E && V == E;
  TAPER_CHECK(options.num_heads() > 0 && E % options.num_heads() == 0,
              "MultiheadAttention: embed_dim must be divisible by num_heads, but got ", E, " and ",
              options.num_heads());
  head_dim = E / options.num_heads();
  using detail::register_optional;
  const bool same = _qkv_same_embed_dim;
  if (same) in_proj_weight = register_optional(*this, "in_proj_weight", {3 * E, E}, true);
  q_proj_weight = register_optional(*this, "q_proj_weight", {E, E}, !same);
  k_proj_weight = register_optional(*this, "k_proj_weight", {E, K}, !same);
  v_proj_weight = register_optional(*this, "v_proj_weight", {E, V}, !same);
  if (!same) in_proj_weight = register_optional(*this, "in_proj_weight", {3 * E, E}, false);
  in_proj_bias = register_optional(*this, "in_proj_bias", {3 * E}, options.bias());
  out_proj = register_module("out_proj", Linear(LinearOptions(E, E).bias(options.bias())));
  if (options.add_bias_kv()) {
    bias_k = register_parameter("bias_k", empty({1, 1, E}));
    bias_v = register_parameter("bias_v", empty({1, 1, E}));
  } else {
    bias_k.reset();
    bias_v.reset();
  }
  _reset_parameters();
}

void MultiheadAttentionImpl::_reset_parameters() {
  for (const Tensor* w : {&in_proj_weight, &q_proj_weight, &k_proj_weight, &v_proj_weight})
    if (w->defined()) init::xavier_uniform_(*w);
  if (in_proj_bias.defined()) {
    init::zeros_(in_proj_bias);
    init::zeros_(out_proj->bias);
  }
  for (const Tensor* b : {&bias_k, &bias_v})
    if (b->defined()) init::xavier_normal_(*b);
}

std::tuple<Tensor, Tensor> MultiheadAttentionImpl::forward(
    const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& key_padding_mask,
    bool need_weights, const Tensor& attn_mask, bool average_attn_weights) {
  return functional::multi_head_attention_forward(
      query, key, value,
      functional::MultiheadAttentionForwardFuncOptions(
          options.embed_dim(), options.num_heads(), in_proj_weight, in_proj_bias, bias_k, bias_v,
          options.add_zero_attn(), options.dropout(), out_proj->weight, out_proj->bias)
          .training(is_training())
          .key_padding_mask(key_padding_mask)
          .need_weights(need_weights)
          .attn_mask(attn_mask)
          .use_separate_proj_weight(!_qkv_same_embed_dim)
          .q_proj_weight(q_proj_weight)
          .k_proj_weight(k_proj_weight)
          .v_proj_weight(v_proj_weight)
          .average_attn_weights(average_attn_weights));
}

}  // namespace torch::taper::nn
