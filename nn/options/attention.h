// Options of attention and transformer modules and functions.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>
#include <taper/nn/any_module.h>
#include <taper/nn/enum.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Configures MultiheadAttention. kdim and vdim are the sizes of keys and values, by default
/// embed_dim.
struct MultiheadAttentionOptions {
  /// Sets the sizes. kdim and vdim become embed_dim.
  MultiheadAttentionOptions(int64_t embed_dim, int64_t num_heads)
      : embed_dim_(embed_dim), num_heads_(num_heads), kdim_(embed_dim), vdim_(embed_dim) {}
  TAPER_ARG(int64_t, embed_dim);           ///< number of features
  TAPER_ARG(int64_t, num_heads);           ///< number of heads
  TAPER_ARG(double, dropout) = 0.0;        ///< dropout probability
  TAPER_ARG(bool, bias) = true;            ///< whether a bias is added
  TAPER_ARG(bool, add_bias_kv) = false;    ///< whether a learnable key and value are appended
  TAPER_ARG(bool, add_zero_attn) = false;  ///< whether a key and a value of zeros are appended
  TAPER_ARG(int64_t, kdim);                ///< size of a key
  TAPER_ARG(int64_t, vdim);                ///< size of a value
};

/// The activation between the two linear layers of a transformer layer.
class activation_t {
 public:
  /// A function that maps a tensor to a tensor with the same sizes.
  using Function = std::function<Tensor(const Tensor&)>;

  /// Holds kReLU, kGELU (with the error function), or any function from a tensor to a tensor.
  ///@{
  activation_t(enumtype::kReLU name) : name_(name) {}
  activation_t(enumtype::kGELU name) : name_(name) {}
  template <class F, class = std::enable_if_t<std::is_invocable_r_v<Tensor, F&, const Tensor&>>>
  activation_t(F function) : function_(std::move(function)) {}
  ///@}

  /// Returns 0 for kReLU, 1 for kGELU, 2 for any other function.
  size_t index() const { return function_ ? 2 : name_.index(); }
  /// Returns relu(x), gelu(x), or the result of the function.
  Tensor operator()(const Tensor& x) const;

 private:
  template <class T>
  friend const T* get_if(const activation_t* a);

  Choice<enumtype::kReLU, enumtype::kGELU> name_;
  Function function_;
};
/// Returns a pointer to the T in `a`, or null. T is one of the names, or activation_t::Function.
template <class T>
const T* get_if(const activation_t* a) {
  if constexpr (std::is_same_v<T, activation_t::Function>)
    return a && a->function_ ? &a->function_ : nullptr;
  else
    return a && !a->function_ ? get_if<T>(&a->name_) : nullptr;
}
/// Returns whether `a` holds a T.
template <class T>
bool holds_alternative(const activation_t& a) {
  return get_if<T>(&a) != nullptr;
}

/// Configures TransformerEncoderLayer. `dropout` applies to the attention weights, between the two
/// linear layers, and to the output of each sublayer before the residual sum.
struct TransformerEncoderLayerOptions {
  /// Sets the sizes. `d_model` must be a multiple of `nhead`, or the constructor of the layer
  /// throws Error.
  TransformerEncoderLayerOptions(int64_t d_model, int64_t nhead)
      : d_model_(d_model), nhead_(nhead) {}
  TAPER_ARG(int64_t, d_model);                  ///< number of features
  TAPER_ARG(int64_t, nhead);                    ///< number of heads
  TAPER_ARG(int64_t, dim_feedforward) = 2048;   ///< size between the two linear layers
  TAPER_ARG(double, dropout) = 0.1;             ///< dropout probability
  TAPER_ARG(activation_t, activation) = kReLU;  ///< activation between the linear layers
};

/// Configures TransformerDecoderLayer. `dropout` applies as in TransformerEncoderLayer.
struct TransformerDecoderLayerOptions {
  /// Sets the sizes. `d_model` must be a multiple of `nhead`, or the constructor of the layer
  /// throws Error.
  TransformerDecoderLayerOptions(int64_t d_model, int64_t nhead)
      : d_model_(d_model), nhead_(nhead) {}
  TAPER_ARG(int64_t, d_model);                  ///< number of features
  TAPER_ARG(int64_t, nhead);                    ///< number of heads
  TAPER_ARG(int64_t, dim_feedforward) = 2048;   ///< size between the two linear layers
  TAPER_ARG(double, dropout) = 0.1;             ///< dropout probability
  TAPER_ARG(activation_t, activation) = kReLU;  ///< activation between the linear layers
};

/// Configures Transformer. A custom encoder is called with (src, src_mask, src_key_padding_mask). A
/// custom decoder is called with (tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask,
/// memory_key_padding_mask).
struct TransformerOptions {
  /// Sets the sizes. The defaults are the base model of Vaswani et al. 2017: 512 features, 8 heads,
  /// 6 encoder layers and 6 decoder layers. `d_model` must be a multiple of `nhead`.
  ///@{
  TransformerOptions() = default;
  TransformerOptions(int64_t d_model, int64_t nhead) : d_model_(d_model), nhead_(nhead) {}
  TransformerOptions(int64_t d_model, int64_t nhead, int64_t num_encoder_layers,
                     int64_t num_decoder_layers)
      : d_model_(d_model),
        nhead_(nhead),
        num_encoder_layers_(num_encoder_layers),
        num_decoder_layers_(num_decoder_layers) {}
  ///@}
  TAPER_ARG(int64_t, d_model) = 512;            ///< number of features
  TAPER_ARG(int64_t, nhead) = 8;                ///< number of heads
  TAPER_ARG(int64_t, num_encoder_layers) = 6;   ///< number of encoder layers
  TAPER_ARG(int64_t, num_decoder_layers) = 6;   ///< number of decoder layers
  TAPER_ARG(int64_t, dim_feedforward) = 2048;   ///< size between the two linear layers
  TAPER_ARG(double, dropout) = 0.1;             ///< dropout probability
  TAPER_ARG(activation_t, activation) = kReLU;  ///< activation between the linear layers
  TAPER_ARG(AnyModule, custom_encoder);         ///< replaces the default encoder
  TAPER_ARG(AnyModule, custom_decoder);         ///< replaces the default decoder
};

namespace functional {

/// Configures multi_head_attention_forward. The comment of that function describes the tensors.
struct MultiheadAttentionForwardFuncOptions {
  /// Sets the parameters. The query (L, N, E) must have E = `embed_dim_to_check`. An undefined
  /// in_proj_bias or out_proj_bias means no bias. With undefined bias_k and bias_v, no key and
  /// value are appended.
  MultiheadAttentionForwardFuncOptions(int64_t embed_dim_to_check, int64_t num_heads,
                                       Tensor in_proj_weight, Tensor in_proj_bias, Tensor bias_k,
                                       Tensor bias_v, bool add_zero_attn, double dropout_p,
                                       Tensor out_proj_weight, Tensor out_proj_bias)
      : embed_dim_to_check_(embed_dim_to_check),
        num_heads_(num_heads),
        in_proj_weight_(std::move(in_proj_weight)),
        in_proj_bias_(std::move(in_proj_bias)),
        bias_k_(std::move(bias_k)),
        bias_v_(std::move(bias_v)),
        add_zero_attn_(add_zero_attn),
        dropout_p_(dropout_p),
        out_proj_weight_(std::move(out_proj_weight)),
        out_proj_bias_(std::move(out_proj_bias)) {}
  TAPER_ARG(int64_t, embed_dim_to_check);  ///< number of features
  TAPER_ARG(int64_t, num_heads);           ///< number of heads
  TAPER_ARG(Tensor, in_proj_weight);  ///< (3E, E): the weights of queries, keys and values, stacked
  TAPER_ARG(Tensor, in_proj_bias);    ///< (3E): the biases of queries, keys and values
  TAPER_ARG(Tensor, bias_k);          ///< (1, 1, E): an appended key
  TAPER_ARG(Tensor, bias_v);          ///< (1, 1, E): an appended value
  TAPER_ARG(bool, add_zero_attn);     ///< whether a key and a value of zeros are appended
  TAPER_ARG(double, dropout_p);       ///< dropout probability
  TAPER_ARG(Tensor, out_proj_weight);    ///< (E, E): projects the concatenated heads
  TAPER_ARG(Tensor, out_proj_bias);      ///< (E), added to the result
  TAPER_ARG(bool, training) = true;      ///< whether to behave as in training
  TAPER_ARG(Tensor, key_padding_mask);   ///< (N, S), true hides a key
  TAPER_ARG(bool, need_weights) = true;  ///< whether weights are returned
  TAPER_ARG(Tensor, attn_mask);          ///< (L, S), or (N * num_heads, L, S)
  /// Whether queries, keys and values have separate weights.
  TAPER_ARG(bool, use_separate_proj_weight) = false;
  TAPER_ARG(Tensor, q_proj_weight);              ///< the weight of the queries
  TAPER_ARG(Tensor, k_proj_weight);              ///< the weight of the keys
  TAPER_ARG(Tensor, v_proj_weight);              ///< the weight of the values
  TAPER_ARG(Tensor, static_k);                   ///< replaces the projected keys
  TAPER_ARG(Tensor, static_v);                   ///< replaces the projected values
  TAPER_ARG(bool, average_attn_weights) = true;  ///< whether weights are averaged over the heads
};

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
