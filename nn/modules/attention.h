// MultiheadAttention.
#pragma once

#include <tuple>

#include <taper/nn/any_module.h>
#include <taper/nn/modules/common.h>
#include <taper/nn/modules/linear.h>
#include <taper/nn/options/attention.h>

#pragma GCC visibility push(default)

namespace taper::nn {

/// Attention of several heads; shapes and masks are those of
/// functional::multi_head_attention_forward. Parameters: in_proj_weight (3 embed_dim, embed_dim),
/// or q_, k_ and v_proj_weight where keys or values have another size; in_proj_bias (3 embed_dim);
/// bias_k, bias_v (1, 1, embed_dim) with add_bias_kv; out_proj. Weights start by xavier_uniform_,
/// biases at 0. Throws Error unless num_heads divides embed_dim.
class MultiheadAttentionImpl : public Cloneable<MultiheadAttentionImpl> {
 public:
  MultiheadAttentionImpl(int64_t embed_dim, int64_t num_heads)
      : MultiheadAttentionImpl(MultiheadAttentionOptions(embed_dim, num_heads)) {}
  explicit MultiheadAttentionImpl(const MultiheadAttentionOptions& options_);

  std::tuple<Tensor, Tensor> forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                     const Tensor& key_padding_mask = {}, bool need_weights = true,
                                     const Tensor& attn_mask = {},
                                     bool average_attn_weights = true);
  void reset() override;
  void _reset_parameters();

  MultiheadAttentionOptions options;
  bool _qkv_same_embed_dim = true;
  Tensor in_proj_weight;
  Tensor in_proj_bias;
  Tensor bias_k;
  Tensor bias_v;
  Linear out_proj = nullptr;
  Tensor q_proj_weight;
  Tensor k_proj_weight;
  Tensor v_proj_weight;
  int64_t head_dim = 0;

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(MultiheadAttention);

}  // namespace taper::nn

#pragma GCC visibility pop
