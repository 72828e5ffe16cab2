// Transformers, and the layers and stacks they are made of [Vaswani et al. 2017].
//
// Sources are (S, N, E), targets (T, N, E), E = d_model. Masks are those of MultiheadAttention:
// (length of queries, length of keys), padding masks (N, length of keys).
#pragma once

#include <taper/nn/any_module.h>
#include <taper/nn/modules/attention.h>
#include <taper/nn/modules/common.h>
#include <taper/nn/modules/container/modulelist.h>
#include <taper/nn/modules/dropout.h>
#include <taper/nn/modules/linear.h>
#include <taper/nn/modules/normalization.h>
#include <taper/nn/options/attention.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Self-attention, then two linear maps with an activation between; each adds to its input, and the
/// sum is normalised.
class TransformerEncoderLayerImpl : public Cloneable<TransformerEncoderLayerImpl> {
 public:
  /// Of elements of d_model numbers, with nhead heads; other options by default, or as given.
  ///@{
  TransformerEncoderLayerImpl(int64_t d_model, int64_t nhead)
      : TransformerEncoderLayerImpl(TransformerEncoderLayerOptions(d_model, nhead)) {}
  explicit TransformerEncoderLayerImpl(const TransformerEncoderLayerOptions& options_);
  ///@}
  /// src (S, N, E) to the same sizes. `src_mask` is (S, S) or (N * nhead, S, S),
  /// `src_key_padding_mask` (N, S); undefined ones hide nothing.
  Tensor forward(const Tensor& src, const Tensor& src_mask = {},
                 const Tensor& src_key_padding_mask = {});
  void reset() override;
  /// New values for all parameters, drawn as at the start; the modules stay.
  void reset_parameters();

  TransformerEncoderLayerOptions options;  ///< as given; forward() reads the activation
  MultiheadAttention self_attn = nullptr;  ///< of the source to itself
  Linear linear1 = nullptr;                ///< d_model to dim_feedforward
  Dropout dropout = nullptr;               ///< between the activation and linear2
  Linear linear2 = nullptr;                ///< dim_feedforward to d_model
  LayerNorm norm1 = nullptr;               ///< of the sum of source and attention
  LayerNorm norm2 = nullptr;               ///< of the sum of norm1's and linear2's results
  Dropout dropout1 = nullptr;              ///< of the attention's result
  Dropout dropout2 = nullptr;              ///< of linear2's result

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(TransformerEncoderLayer);

/// The same with attention to `memory`, what the encoder gives, after the self-attention.
class TransformerDecoderLayerImpl : public Cloneable<TransformerDecoderLayerImpl> {
 public:
  /// Of elements of d_model numbers, with nhead heads; other options by default, or as given.
  ///@{
  TransformerDecoderLayerImpl(int64_t d_model, int64_t nhead)
      : TransformerDecoderLayerImpl(TransformerDecoderLayerOptions(d_model, nhead)) {}
  explicit TransformerDecoderLayerImpl(const TransformerDecoderLayerOptions& options_);
  ///@}
  void reset() override;
  /// New values for all parameters, drawn as at the start; the modules stay.
  void reset_parameters();
  /// tgt (T, N, E) and memory (S, N, E) to the sizes of tgt. `tgt_mask` is (T, T), `memory_mask`
  /// (T, S), each also with a first dimension of N * nhead; the padding masks are (N, T) and (N,
  /// S). Undefined ones hide nothing.
  Tensor forward(Tensor tgt, const Tensor& memory, const Tensor& tgt_mask = {},
                 const Tensor& memory_mask = {}, const Tensor& tgt_key_padding_mask = {},
                 const Tensor& memory_key_padding_mask = {});

  TransformerDecoderLayerOptions options;      ///< as given; forward() reads the activation
  MultiheadAttention self_attn{nullptr};       ///< of the target to itself
  Dropout dropout1{nullptr};                   ///< of self_attn's result
  LayerNorm norm1{nullptr};                    ///< of the sum of target and self_attn
  MultiheadAttention multihead_attn{nullptr};  ///< of the target to the memory
  Dropout dropout2{nullptr};                   ///< of multihead_attn's result
  LayerNorm norm2{nullptr};                    ///< of the sum with multihead_attn
  Linear linear1{nullptr};                     ///< d_model to dim_feedforward
  Dropout dropout{nullptr};                    ///< between the activation and linear2
  Linear linear2{nullptr};                     ///< dim_feedforward to d_model
  Dropout dropout3{nullptr};                   ///< of linear2's result
  LayerNorm norm3{nullptr};                    ///< of the sum with linear2

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(TransformerDecoderLayer);

/// num_layers copies of a layer, and a norm behind them unless it is empty.
struct TransformerEncoderOptions {
  /// From a layer, which the options share with the caller, or from options of a layer, which is
  /// made here.
  ///@{
  TransformerEncoderOptions(TransformerEncoderLayer encoder_layer, int64_t num_layers)
      : encoder_layer_(std::move(encoder_layer)), num_layers_(num_layers) {}
  TransformerEncoderOptions(const TransformerEncoderLayerOptions& encoder_layer_options,
                            int64_t num_layers)
      : encoder_layer_(encoder_layer_options), num_layers_(num_layers) {}
  ///@}
  /// Copied num_layers times, with its values.
  TAPER_ARG(TransformerEncoderLayer, encoder_layer) = nullptr;
  TAPER_ARG(int64_t, num_layers);  ///< how many copies
  TAPER_ARG(AnyModule, norm);      ///< a copy of it is called last; empty: none
};
/// num_layers copies of a layer, and a norm behind them unless it is empty.
struct TransformerDecoderOptions {
  /// From a layer, which the options share with the caller, or from options of a layer, which is
  /// made here.
  ///@{
  TransformerDecoderOptions(TransformerDecoderLayer decoder_layer, int64_t num_layers)
      : decoder_layer_(std::move(decoder_layer)), num_layers_(num_layers) {}
  TransformerDecoderOptions(const TransformerDecoderLayerOptions& decoder_layer_options,
                            int64_t num_layers)
      : decoder_layer_(decoder_layer_options), num_layers_(num_layers) {}
  ///@}
  /// Copied num_layers times, with its values.
  TAPER_ARG(TransformerDecoderLayer, decoder_layer) = nullptr;
  TAPER_ARG(int64_t, num_layers);  ///< how many copies
  TAPER_ARG(AnyModule, norm);      ///< a copy of it is called last; empty: none
};

/// The layers one after the other, then the norm, where there is one. The layers are clones, so
/// that all start with the same values.
class TransformerEncoderImpl : public Cloneable<TransformerEncoderImpl> {
 public:
  /// num_layers clones of a layer without a norm, or all options.
  ///@{
  TransformerEncoderImpl(TransformerEncoderLayer encoder_layer, int64_t num_layers)
      : TransformerEncoderImpl(TransformerEncoderOptions(std::move(encoder_layer), num_layers)) {}
  explicit TransformerEncoderImpl(TransformerEncoderOptions options_);
  ///@}
  /// src (S, N, E) to the same sizes. `src_mask` is (S, S) or (N * nhead, S, S),
  /// `src_key_padding_mask` (N, S); undefined ones hide nothing. Every layer gets them.
  Tensor forward(const Tensor& src, const Tensor& src_mask = {},
                 const Tensor& src_key_padding_mask = {});
  void reset() override;
  /// New values for the parameters of all layers, and of the norm if it is a LayerNorm; another
  /// norm keeps its values.
  void reset_parameters();

  TransformerEncoderOptions options;  ///< as given; holds the layer that was cloned
  ModuleList layers = nullptr;  ///< TransformerEncoderLayer modules, the first one called first
  AnyModule norm;               ///< the copy of the norm in options; may be empty

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(TransformerEncoder);

/// The layers one after the other, each with the same memory, then the norm, where there is one.
/// The layers are clones, so that all start with the same values.
class TransformerDecoderImpl : public Cloneable<TransformerDecoderImpl> {
 public:
  /// num_layers clones of a layer without a norm, or all options.
  ///@{
  TransformerDecoderImpl(TransformerDecoderLayer decoder_layer, int64_t num_layers)
      : TransformerDecoderImpl(TransformerDecoderOptions(std::move(decoder_layer), num_layers)) {}
  explicit TransformerDecoderImpl(TransformerDecoderOptions options_);
  ///@}
  void reset() override;
  /// New values for the parameters of all layers, and of the norm if it is a LayerNorm; another
  /// norm keeps its values.
  void reset_parameters();
  /// tgt (T, N, E) and memory (S, N, E) to the sizes of tgt. `tgt_mask` is (T, T), `memory_mask`
  /// (T, S), each also with a first dimension of N * nhead; the padding masks are (N, T) and (N,
  /// S). Undefined ones hide nothing. Every layer gets them.
  Tensor forward(const Tensor& tgt, const Tensor& memory, const Tensor& tgt_mask = {},
                 const Tensor& memory_mask = {}, const Tensor& tgt_key_padding_mask = {},
                 const Tensor& memory_key_padding_mask = {});

  TransformerDecoderOptions options;  ///< as given; holds the layer that was cloned
  ModuleList layers{nullptr};  ///< TransformerDecoderLayer modules, the first one called first
  AnyModule norm;              ///< the copy of the norm in options; may be empty

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(TransformerDecoder);

/// An encoder of the source and a decoder of the target, each with a norm behind it. Parameters of
/// more than one dimension start by xavier_uniform_. forward throws Error for inputs of other ranks
/// and sizes.
class TransformerImpl : public Cloneable<TransformerImpl> {
 public:
  /// Custom encoders and decoders are cloned: later changes of the given ones have no effect.
  explicit TransformerImpl(TransformerOptions options_);
  /// src (S, N, E) and tgt (T, N, E) to the sizes of tgt. `src_mask` is (S, S), `tgt_mask` (T, T),
  /// `memory_mask` (T, S), each also with a first dimension of N * nhead; the padding masks are (N,
  /// S), (N, T) and (N, S). Undefined ones hide nothing.
  Tensor forward(const Tensor& src, const Tensor& tgt, const Tensor& src_mask = {},
                 const Tensor& tgt_mask = {}, const Tensor& memory_mask = {},
                 const Tensor& src_key_padding_mask = {}, const Tensor& tgt_key_padding_mask = {},
                 const Tensor& memory_key_padding_mask = {});
  void reset() override;
  /// xavier_uniform_ of all parameters of more than one dimension; the others keep their values.
  void reset_parameters();
  /// (sz, sz): -infinity above the diagonal, 0 elsewhere: nobody sees what comes after.
  static Tensor generate_square_subsequent_mask(int64_t sz);

  TransformerOptions options;  ///< as given
  AnyModule encoder;           ///< a TransformerEncoder, or a clone of the custom one
  AnyModule decoder;           ///< a TransformerDecoder, or a clone of the custom one

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(Transformer);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
