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

/// kdim and vdim are the sizes of keys and values, embed_dim where nothing else is said.
struct MultiheadAttentionOptions {
  /// Keys and values of embed_dim numbers, too, until kdim and vdim say otherwise.
  MultiheadAttentionOptions(int64_t embed_dim, int64_t num_heads)
      : embed_dim_(embed_dim), num_heads_(num_heads), kdim_(embed_dim), vdim_(embed_dim) {}
  TAPER_ARG(int64_t, embed_dim);           ///< size of an element
  TAPER_ARG(int64_t, num_heads);           ///< heads
  TAPER_ARG(double, dropout) = 0.0;        ///< probability
  TAPER_ARG(bool, bias) = true;            ///< whether a bias is added
  TAPER_ARG(bool, add_bias_kv) = false;    ///< whether keys and values get one more
  TAPER_ARG(bool, add_zero_attn) = false;  ///< whether a key of zeros is added
  TAPER_ARG(int64_t, kdim);                ///< size of a key
  TAPER_ARG(int64_t, vdim);                ///< size of a value
};

/// What stands between a transformer layer's two linear maps.
class activation_t {
 public:
  /// From the result of the first map to a tensor of the same sizes.
  using Function = std::function<Tensor(const Tensor&)>;

  /// kReLU, kGELU (by the error function), or any function of a tensor that gives one.
  ///@{
  activation_t(enumtype::kReLU name) : name_(name) {}
  activation_t(enumtype::kGELU name) : name_(name) {}
  template <class F, class = std::enable_if_t<std::is_invocable_r_v<Tensor, F&, const Tensor&>>>
  activation_t(F function) : function_(std::move(function)) {}
  ///@}

  /// kReLU, kGELU, any function.
  size_t index() const { return function_ ? 2 : name_.index(); }
  /// relu(x), gelu(x), or what the function gives.
  Tensor operator()(const Tensor& x) const;

 private:
  template <class T>
  friend const T* get_if(const activation_t* a);

  Choice<enumtype::kReLU, enumtype::kGELU> name_;
  Function function_;
};
/// Null unless `a` holds a T: one of the names, or activation_t::Function.
template <class T>
const T* get_if(const activation_t* a) {
  if constexpr (std::is_same_v<T, activation_t::Function>)
    return a && a->function_ ? &a->function_ : nullptr;
  else
    return a && !a->function_ ? get_if<T>(&a->name_) : nullptr;
}
/// Whether get_if<T>(&a) finds something.
template <class T>
bool holds_alternative(const activation_t& a) {
  return get_if<T>(&a) != nullptr;
}

/// Of a layer of a TransformerEncoder. `dropout` acts in three places: on attention weights,
/// between the two linear layers, and on what each part adds to its input.
struct TransformerEncoderLayerOptions {
  /// `d_model` must be a multiple of `nhead`: making the layer throws Error otherwise.
  TransformerEncoderLayerOptions(int64_t d_model, int64_t nhead)
      : d_model_(d_model), nhead_(nhead) {}
  TAPER_ARG(int64_t, d_model);                  ///< size of an element
  TAPER_ARG(int64_t, nhead);                    ///< heads
  TAPER_ARG(int64_t, dim_feedforward) = 2048;   ///< size between the two linear layers
  TAPER_ARG(double, dropout) = 0.1;             ///< probability
  TAPER_ARG(activation_t, activation) = kReLU;  ///< between the two linear layers
};

/// Of a layer of a TransformerDecoder. `dropout` acts as in an encoder's layer.
struct TransformerDecoderLayerOptions {
  /// `d_model` must be a multiple of `nhead`: making the layer throws Error otherwise.
  TransformerDecoderLayerOptions(int64_t d_model, int64_t nhead)
      : d_model_(d_model), nhead_(nhead) {}
  TAPER_ARG(int64_t, d_model);                  ///< size of an element
  TAPER_ARG(int64_t, nhead);                    ///< heads
  TAPER_ARG(int64_t, dim_feedforward) = 2048;   ///< size between the two linear layers
  TAPER_ARG(double, dropout) = 0.1;             ///< probability
  TAPER_ARG(activation_t, activation) = kReLU;  ///< between the two linear layers
};

/// A custom encoder is called with (src, src_mask, src_key_padding_mask), a custom decoder with
/// (tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask).
struct TransformerOptions {
  /// A base model of Vaswani et al. 2017 where nothing else is said: 512 numbers, 8 heads, 6 layers
  /// each. `d_model` must be a multiple of `nhead`.
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
  TAPER_ARG(int64_t, d_model) = 512;            ///< size of an element
  TAPER_ARG(int64_t, nhead) = 8;                ///< heads
  TAPER_ARG(int64_t, num_encoder_layers) = 6;   ///< layers
  TAPER_ARG(int64_t, num_decoder_layers) = 6;   ///< layers
  TAPER_ARG(int64_t, dim_feedforward) = 2048;   ///< size between the two linear layers
  TAPER_ARG(double, dropout) = 0.1;             ///< probability
  TAPER_ARG(activation_t, activation) = kReLU;  ///< between the two linear layers
  TAPER_ARG(AnyModule, custom_encoder);         ///< in place of the usual one
  TAPER_ARG(AnyModule, custom_decoder);         ///< in place of the usual one
};

namespace functional {

/// See multi_head_attention_forward.
struct MultiheadAttentionForwardFuncOptions {
  /// `embed_dim_to_check` is the E of (L, N, E) that the query must have. Undefined tensors stand
  /// for no biases and no added key.
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
  TAPER_ARG(int64_t, embed_dim_to_check);             ///< size of an element
  TAPER_ARG(int64_t, num_heads);                      ///< heads
  TAPER_ARG(Tensor, in_proj_weight);                  ///< of q, k, v, one below the other
  TAPER_ARG(Tensor, in_proj_bias);                    ///< of all three
  TAPER_ARG(Tensor, bias_k);                          ///< one more key
  TAPER_ARG(Tensor, bias_v);                          ///< one more value
  TAPER_ARG(bool, add_zero_attn);                     ///< whether a key of zeros is added
  TAPER_ARG(double, dropout_p);                       ///< probability
  TAPER_ARG(Tensor, out_proj_weight);                 ///< of the result
  TAPER_ARG(Tensor, out_proj_bias);                   ///< of the result
  TAPER_ARG(bool, training) = true;                   ///< whether it acts as in training
  TAPER_ARG(Tensor, key_padding_mask);                ///< (N, S), true: not seen
  TAPER_ARG(bool, need_weights) = true;               ///< whether weights are returned
  TAPER_ARG(Tensor, attn_mask);                       ///< (L, S), or one for each head
  TAPER_ARG(bool, use_separate_proj_weight) = false;  ///< q, k and v by their own
  TAPER_ARG(Tensor, q_proj_weight);                   ///< of the queries alone
  TAPER_ARG(Tensor, k_proj_weight);                   ///< of the keys alone
  TAPER_ARG(Tensor, v_proj_weight);                   ///< of the values alone
  TAPER_ARG(Tensor, static_k);                        ///< in place of the keys
  TAPER_ARG(Tensor, static_v);                        ///< in place of the values
  TAPER_ARG(bool, average_attn_weights) = true;       ///< over the heads
};

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
