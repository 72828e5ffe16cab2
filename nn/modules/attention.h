// MultiheadAttention.
#pragma once

#include <tuple>

#include <taper/nn/any_module.h>
#include <taper/nn/modules/common.h>
#include <taper/nn/modules/linear.h>
#include <taper/nn/options/attention.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Attention of several heads; shapes and masks are those of
/// functional::multi_head_attention_forward. Parameters: in_proj_weight (3 embed_dim, embed_dim),
/// or q_, k_ and v_proj_weight where keys or values have another size; in_proj_bias (3 embed_dim);
/// bias_k, bias_v (1, 1, embed_dim) with add_bias_kv; out_proj. The in_proj weights start by
/// xavier_uniform_, bias_k and bias_v by xavier_normal_, out_proj's weight as a Linear's, the other
/// biases at 0. Throws Error unless num_heads divides embed_dim.
class MultiheadAttentionImpl : public Cloneable<MultiheadAttentionImpl> {
 public:
  /// Size of an element and the number of heads; by default no dropout, biases, and keys and values
  /// of embed_dim.
  ///@{
  MultiheadAttentionImpl(int64_t embed_dim, int64_t num_heads)
      : MultiheadAttentionImpl(MultiheadAttentionOptions(embed_dim, num_heads)) {}
  explicit MultiheadAttentionImpl(const MultiheadAttentionOptions& options_);
  ///@}

  /// query (L, N, E), key (S, N, kdim), value (S, N, vdim) give the output (L, N, E) and, unless
  /// need_weights is false (then undefined), the weights (N, L, S), or (N, num_heads, L, S) without
  /// average_attn_weights. Dropout acts when is_training().
  std::tuple<Tensor, Tensor> forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                     const Tensor& key_padding_mask = {}, bool need_weights = true,
                                     const Tensor& attn_mask = {},
                                     bool average_attn_weights = true);
  void reset() override;
  /// Draws the first values of all but out_proj's weight; its bias, where there is one, becomes 0.
  void _reset_parameters();

  MultiheadAttentionOptions options;  ///< reset() and every forward() read them
  bool _qkv_same_embed_dim = true;    ///< kdim and vdim are embed_dim: one in_proj_weight
  Tensor in_proj_weight;              ///< (3 E, E): queries, keys, values; or undefined
  Tensor in_proj_bias;                ///< (3 E), undefined without bias
  Tensor bias_k;              ///< (1, 1, E), by xavier_normal_; undefined without add_bias_kv
  Tensor bias_v;              ///< as bias_k
  Linear out_proj = nullptr;  ///< (E) to (E), of the joined heads
  Tensor q_proj_weight;       ///< (E, E), or undefined where there is in_proj_weight
  Tensor k_proj_weight;       ///< (E, kdim), likewise
  Tensor v_proj_weight;       ///< (E, vdim), likewise
  int64_t head_dim = 0;       ///< embed_dim / num_heads

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(MultiheadAttention);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
