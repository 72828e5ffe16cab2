// MultiheadAttention.
#pragma once

#include <tuple>

#include <taper/nn/any_module.h>
#include <taper/nn/modules/common.h>
#include <taper/nn/modules/linear.h>
#include <taper/nn/options/attention.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Applies multi-head attention (Vaswani et al., 2017). functional::multi_head_attention_forward
/// describes shapes and masks.
///
/// Parameters: in_proj_weight is (3 * embed_dim, embed_dim). If kdim or vdim differs from
/// embed_dim, there are three weights instead: q_proj_weight, k_proj_weight and v_proj_weight.
/// in_proj_bias is (3 * embed_dim). With add_bias_kv, bias_k and bias_v are (1, 1, embed_dim).
/// out_proj is a Linear. xavier_uniform_ initializes the in_proj weights, and xavier_normal_
/// initializes bias_k and bias_v. The weight of out_proj starts as in Linear. The other biases
/// start at 0. Throws Error unless num_heads divides embed_dim.
///
///     MultiheadAttention attention(512, 8);
///     auto [y, weights] = attention(query, key, value);  // (L, N, 512) and (N, L, S)
class MultiheadAttentionImpl : public Cloneable<MultiheadAttentionImpl> {
 public:
  /// Sets the number of features and the number of heads. By default, there is no dropout, biases
  /// are added, and keys and values have embed_dim features.
  ///@{
  MultiheadAttentionImpl(int64_t embed_dim, int64_t num_heads)
      : MultiheadAttentionImpl(MultiheadAttentionOptions(embed_dim, num_heads)) {}
  explicit MultiheadAttentionImpl(const MultiheadAttentionOptions& options_);
  ///@}

  /// Computes attention of query (L, N, E) to key (S, N, kdim) and value (S, N, vdim), with E =
  /// embed_dim. Returns the output (L, N, E) and the attention weights (N, L, S). Without
  /// average_attn_weights, the weights are (N, num_heads, L, S). Without need_weights, the weights
  /// are undefined. Dropout applies if is_training().
  std::tuple<Tensor, Tensor> forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                     const Tensor& key_padding_mask = {}, bool need_weights = true,
                                     const Tensor& attn_mask = {},
                                     bool average_attn_weights = true);
  void reset() override;
  /// Draws new initial values for all parameters except the weight of out_proj. The bias of
  /// out_proj becomes 0.
  void _reset_parameters();

  MultiheadAttentionOptions options;  ///< read by reset() and every forward()
  /// whether kdim and vdim equal embed_dim. If true, in_proj_weight is used
  bool _qkv_same_embed_dim = true;
  Tensor in_proj_weight;      ///< (3 E, E) for queries, keys and values, or undefined
  Tensor in_proj_bias;        ///< (3 E), undefined without bias
  Tensor bias_k;              ///< (1, 1, E), from xavier_normal_, undefined without add_bias_kv
  Tensor bias_v;              ///< (1, 1, E), like bias_k
  Linear out_proj = nullptr;  ///< projects the concatenated heads from E to E features
  Tensor q_proj_weight;       ///< (E, E), or undefined if in_proj_weight is defined
  Tensor k_proj_weight;       ///< (E, kdim), or undefined if in_proj_weight is defined
  Tensor v_proj_weight;       ///< (E, vdim), or undefined if in_proj_weight is defined
  int64_t head_dim = 0;       ///< embed_dim / num_heads

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(MultiheadAttention);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
