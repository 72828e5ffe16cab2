// Options of attention and transformer modules and functions.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include <taper/framework/arg.h>
#include <taper/framework/tensor.h>
#include <taper/nn/any_module.h>
#include <taper/nn/enum.h>

#pragma GCC visibility push(default)

namespace taper::nn {

/// kdim and vdim are the sizes of keys and values, embed_dim where nothing else is said.
struct MultiheadAttentionOptions {
  MultiheadAttentionOptions(int64_t embed_dim, int64_t num_heads)
      : embed_dim_(embed_dim), num_heads_(num_heads), kdim_(embed_dim), vdim_(embed_dim) {}
  TAPER_ARG(int64_t, embed_dim);
  TAPER_ARG(int64_t, num_heads);
  TAPER_ARG(double, dropout) = 0.0;
  TAPER_ARG(bool, bias) = true;
  TAPER_ARG(bool, add_bias_kv) = false;
  TAPER_ARG(bool, add_zero_attn) = false;
  TAPER_ARG(int64_t, kdim);
  TAPER_ARG(int64_t, vdim);
};

/// What stands between a transformer layer's two linear maps.
class activation_t {
 public:
  using Function = std::function<Tensor(const Tensor&)>;

  activation_t(enumtype::kReLU name) : name_(name) {}
  activation_t(enumtype::kGELU name) : name_(name) {}
  template <class F, class = std::enable_if_t<std::is_invocable_r_v<Tensor, F&, const Tensor&>>>
  activation_t(F function) : function_(std::move(function)) {}

  /// kReLU, kGELU, any function.
  size_t index() const { return function_ ? 2 : name_.index(); }
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
template <class T>
bool holds_alternative(const activation_t& a) {
  return get_if<T>(&a) != nullptr;
}

struct TransformerEncoderLayerOptions {
  TransformerEncoderLayerOptions(int64_t d_model, int64_t nhead)
      : d_model_(d_model), nhead_(nhead) {}
  TAPER_ARG(int64_t, d_model);
  TAPER_ARG(int64_t, nhead);
  TAPER_ARG(int64_t, dim_feedforward) = 2048;
  TAPER_ARG(double, dropout) = 0.1;
  TAPER_ARG(activation_t, activation) = kReLU;
};

struct TransformerDecoderLayerOptions {
  TransformerDecoderLayerOptions(int64_t d_model, int64_t nhead)
      : d_model_(d_model), nhead_(nhead) {}
  TAPER_ARG(int64_t, d_model);
  TAPER_ARG(int64_t, nhead);
  TAPER_ARG(int64_t, dim_feedforward) = 2048;
  TAPER_ARG(double, dropout) = 0.1;
  TAPER_ARG(activation_t, activation) = kReLU;
};

/// A custom encoder is called with (src, src_mask, src_key_padding_mask), a custom decoder with
/// (tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask).
struct TransformerOptions {
  TransformerOptions() = default;
  TransformerOptions(int64_t d_model, int64_t nhead) : d_model_(d_model), nhead_(nhead) {}
  TransformerOptions(int64_t d_model, int64_t nhead, int64_t num_encoder_layers,
                     int64_t num_decoder_layers)
      : d_model_(d_model),
        nhead_(nhead),
        num_encoder_layers_(num_encoder_layers),
        num_decoder_layers_(num_decoder_layers) {}
  TAPER_ARG(int64_t, d_model) = 512;
  TAPER_ARG(int64_t, nhead) = 8;
  TAPER_ARG(int64_t, num_encoder_layers) = 6;
  TAPER_ARG(int64_t, num_decoder_layers) = 6;
  TAPER_ARG(int64_t, dim_feedforward) = 2048;
  TAPER_ARG(double, dropout) = 0.1;
  TAPER_ARG(activation_t, activation) = kReLU;
  TAPER_ARG(AnyModule, custom_encoder);
  TAPER_ARG(AnyModule, custom_decoder);
};

namespace functional {

/// See multi_head_attention_forward.
struct MultiheadAttentionForwardFuncOptions {
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
  TAPER_ARG(int64_t, embed_dim_to_check);
  TAPER_ARG(int64_t, num_heads);
  TAPER_ARG(Tensor, in_proj_weight);
  TAPER_ARG(Tensor, in_proj_bias);
  TAPER_ARG(Tensor, bias_k);
  TAPER_ARG(Tensor, bias_v);
  TAPER_ARG(bool, add_zero_attn);
  TAPER_ARG(double, dropout_p);
  TAPER_ARG(Tensor, out_proj_weight);
  TAPER_ARG(Tensor, out_proj_bias);
  TAPER_ARG(bool, training) = true;
  TAPER_ARG(Tensor, key_padding_mask);
  TAPER_ARG(bool, need_weights) = true;
  TAPER_ARG(Tensor, attn_mask);
  TAPER_ARG(bool, use_separate_proj_weight) = false;
  TAPER_ARG(Tensor, q_proj_weight);
  TAPER_ARG(Tensor, k_proj_weight);
  TAPER_ARG(Tensor, v_proj_weight);
  TAPER_ARG(Tensor, static_k);
  TAPER_ARG(Tensor, static_v);
  TAPER_ARG(bool, average_attn_weights) = true;
};

}  // namespace functional
}  // namespace taper::nn

#pragma GCC visibility pop
