// Transformer, its encoder and decoder, and their layers [Vaswani et al. 2017].
//
// Sources are (S, N, E), and targets are (T, N, E), with S and T positions, N sequences and E =
// d_model features. Masks are (number of queries, number of keys), as in MultiheadAttention.
// Padding masks are (N, number of keys).
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

/// Applies self-attention, then two linear layers with an activation between them. The result of
/// each of these two sublayers is added to its input, and the sum is normalized.
class TransformerEncoderLayerImpl : public Cloneable<TransformerEncoderLayerImpl> {
 public:
  /// Sets d_model features and nhead heads with default options, or takes all options.
  ///@{
  TransformerEncoderLayerImpl(int64_t d_model, int64_t nhead)
      : TransformerEncoderLayerImpl(TransformerEncoderLayerOptions(d_model, nhead)) {}
  explicit TransformerEncoderLayerImpl(const TransformerEncoderLayerOptions& options_);
  ///@}
  /// Encodes src (S, N, E). The result has the same sizes. `src_mask` is (S, S) or (N * nhead, S,
  /// S). `src_key_padding_mask` is (N, S). An undefined mask hides nothing.
  Tensor forward(const Tensor& src, const Tensor& src_mask = {},
                 const Tensor& src_key_padding_mask = {});
  void reset() override;
  /// Draws new initial values for all parameters. Modules and tensors are kept.
  void reset_parameters();

  /// The options of the constructor. forward() reads only the activation.
  TransformerEncoderLayerOptions options;
  MultiheadAttention self_attn = nullptr;  ///< attention of the source to itself
  Linear linear1 = nullptr;                ///< from d_model to dim_feedforward features
  Dropout dropout = nullptr;               ///< between the activation and linear2
  Linear linear2 = nullptr;                ///< from dim_feedforward to d_model features
  LayerNorm norm1 = nullptr;               ///< normalizes the sum of source and attention
  LayerNorm norm2 = nullptr;   ///< normalizes the sum of the results of norm1 and linear2
  Dropout dropout1 = nullptr;  ///< applied to the result of the attention
  Dropout dropout2 = nullptr;  ///< applied to the result of linear2

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(TransformerEncoderLayer);

/// Applies self-attention, attention to `memory` (the output of the encoder), then two linear
/// layers. The result of each of these three sublayers is added to its input, and the sum is
/// normalized.
class TransformerDecoderLayerImpl : public Cloneable<TransformerDecoderLayerImpl> {
 public:
  /// Sets d_model features and nhead heads with default options, or takes all options.
  ///@{
  TransformerDecoderLayerImpl(int64_t d_model, int64_t nhead)
      : TransformerDecoderLayerImpl(TransformerDecoderLayerOptions(d_model, nhead)) {}
  explicit TransformerDecoderLayerImpl(const TransformerDecoderLayerOptions& options_);
  ///@}
  void reset() override;
  /// Draws new initial values for all parameters. Modules and tensors are kept.
  void reset_parameters();
  /// Decodes tgt (T, N, E) with memory (S, N, E). The result has the sizes of tgt. `tgt_mask` is
  /// (T, T), and `memory_mask` is (T, S). Both may have an additional first dimension N * nhead.
  /// The padding masks are (N, T) and (N, S). An undefined mask hides nothing.
  Tensor forward(Tensor tgt, const Tensor& memory, const Tensor& tgt_mask = {},
                 const Tensor& memory_mask = {}, const Tensor& tgt_key_padding_mask = {},
                 const Tensor& memory_key_padding_mask = {});

  /// The options of the constructor. forward() reads only the activation.
  TransformerDecoderLayerOptions options;
  MultiheadAttention self_attn{nullptr};  ///< attention of the target to itself
  Dropout dropout1{nullptr};              ///< applied to the result of self_attn
  LayerNorm norm1{nullptr};               ///< normalizes the sum of target and self_attn's result
  MultiheadAttention multihead_attn{nullptr};  ///< attention of the target to the memory
  Dropout dropout2{nullptr};                   ///< applied to the result of multihead_attn
  LayerNorm norm2{nullptr};   ///< normalizes the sum of the results of norm1 and multihead_attn
  Linear linear1{nullptr};    ///< from d_model to dim_feedforward features
  Dropout dropout{nullptr};   ///< between the activation and linear2
  Linear linear2{nullptr};    ///< from dim_feedforward to d_model features
  Dropout dropout3{nullptr};  ///< applied to the result of linear2
  LayerNorm norm3{nullptr};   ///< normalizes the sum of the results of norm2 and linear2

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(TransformerDecoderLayer);

/// Configures a stack of num_layers copies of a layer. If `norm` is not empty, the stack ends with
/// a copy of `norm`.
struct TransformerEncoderOptions {
  /// Shares the given layer, or makes a layer from the layer's options.
  ///@{
  TransformerEncoderOptions(TransformerEncoderLayer encoder_layer, int64_t num_layers)
      : encoder_layer_(std::move(encoder_layer)), num_layers_(num_layers) {}
  TransformerEncoderOptions(const TransformerEncoderLayerOptions& encoder_layer_options,
                            int64_t num_layers)
      : encoder_layer_(encoder_layer_options), num_layers_(num_layers) {}
  ///@}
  /// The layer that is copied num_layers times, with the values of its parameters.
  TAPER_ARG(TransformerEncoderLayer, encoder_layer) = nullptr;
  TAPER_ARG(int64_t, num_layers);  ///< number of copies
  TAPER_ARG(AnyModule, norm);      ///< called after the layers, unless it is empty
};
/// Configures a stack of num_layers copies of a layer. If `norm` is not empty, the stack ends with
/// a copy of `norm`.
struct TransformerDecoderOptions {
  /// Shares the given layer, or makes a layer from the layer's options.
  ///@{
  TransformerDecoderOptions(TransformerDecoderLayer decoder_layer, int64_t num_layers)
      : decoder_layer_(std::move(decoder_layer)), num_layers_(num_layers) {}
  TransformerDecoderOptions(const TransformerDecoderLayerOptions& decoder_layer_options,
                            int64_t num_layers)
      : decoder_layer_(decoder_layer_options), num_layers_(num_layers) {}
  ///@}
  /// The layer that is copied num_layers times, with the values of its parameters.
  TAPER_ARG(TransformerDecoderLayer, decoder_layer) = nullptr;
  TAPER_ARG(int64_t, num_layers);  ///< number of copies
  TAPER_ARG(AnyModule, norm);      ///< called after the layers, unless it is empty
};

/// Applies a stack of encoder layers, then a norm if the options give one. The layers are clones of
/// one layer and start with equal values.
class TransformerEncoderImpl : public Cloneable<TransformerEncoderImpl> {
 public:
  /// Stacks num_layers clones of a layer without a norm, or takes all options.
  ///@{
  TransformerEncoderImpl(TransformerEncoderLayer encoder_layer, int64_t num_layers)
      : TransformerEncoderImpl(TransformerEncoderOptions(std::move(encoder_layer), num_layers)) {}
  explicit TransformerEncoderImpl(TransformerEncoderOptions options_);
  ///@}
  /// Encodes src (S, N, E). The result has the same sizes. `src_mask` is (S, S) or (N * nhead, S,
  /// S). `src_key_padding_mask` is (N, S). An undefined mask hides nothing. Every layer gets the
  /// masks.
  Tensor forward(const Tensor& src, const Tensor& src_mask = {},
                 const Tensor& src_key_padding_mask = {});
  void reset() override;
  /// Draws new initial values for the parameters of all layers. Resets the norm if it is a
  /// LayerNorm.
  void reset_parameters();

  /// The options of the constructor, with the layer that was cloned.
  TransformerEncoderOptions options;
  ModuleList layers = nullptr;  ///< TransformerEncoderLayer modules, in the order of calls
  AnyModule norm;               ///< a copy of the norm in the options. May be empty

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(TransformerEncoder);

/// Applies a stack of decoder layers with one memory, then a norm if the options give one. The
/// layers are clones of one layer and start with equal values.
class TransformerDecoderImpl : public Cloneable<TransformerDecoderImpl> {
 public:
  /// Stacks num_layers clones of a layer without a norm, or takes all options.
  ///@{
  TransformerDecoderImpl(TransformerDecoderLayer decoder_layer, int64_t num_layers)
      : TransformerDecoderImpl(TransformerDecoderOptions(std::move(decoder_layer), num_layers)) {}
  explicit TransformerDecoderImpl(TransformerDecoderOptions options_);
  ///@}
  void reset() override;
  /// Draws new initial values for the parameters of all layers. Resets the norm if it is a
  /// LayerNorm.
  void reset_parameters();
  /// Decodes tgt (T, N, E) with memory (S, N, E). The result has the sizes of tgt. `tgt_mask` is
  /// (T, T), and `memory_mask` is (T, S). Both may have an additional first dimension N * nhead.
  /// The padding masks are (N, T) and (N, S). An undefined mask hides nothing. Every layer gets the
  /// masks.
  Tensor forward(const Tensor& tgt, const Tensor& memory, const Tensor& tgt_mask = {},
                 const Tensor& memory_mask = {}, const Tensor& tgt_key_padding_mask = {},
                 const Tensor& memory_key_padding_mask = {});

  /// The options of the constructor, with the layer that was cloned.
  TransformerDecoderOptions options;
  ModuleList layers{nullptr};  ///< TransformerDecoderLayer modules, in the order of calls
  AnyModule norm;              ///< a copy of the norm in the options. May be empty

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(TransformerDecoder);

/// Applies a transformer: an encoder of the source and a decoder of the target, each followed by a
/// norm. xavier_uniform_ initializes parameters with more than one dimension. forward() throws
/// Error for other sizes.
///
///     Transformer model(TransformerOptions(512, 8));
///     Tensor y = model(src, tgt);  // (S, N, 512) and (T, N, 512) to (T, N, 512)
class TransformerImpl : public Cloneable<TransformerImpl> {
 public:
  /// Makes the encoder and the decoder. A custom encoder or decoder is cloned. Later changes of the
  /// given module have no effect.
  explicit TransformerImpl(TransformerOptions options_);
  /// Encodes src (S, N, E) and decodes tgt (T, N, E). The result has the sizes of tgt. `src_mask`
  /// is (S, S), `tgt_mask` is (T, T), and `memory_mask` is (T, S). Each may have an additional
  /// first dimension N * nhead. The padding masks are (N, S), (N, T) and (N, S). An undefined mask
  /// hides nothing.
  Tensor forward(const Tensor& src, const Tensor& tgt, const Tensor& src_mask = {},
                 const Tensor& tgt_mask = {}, const Tensor& memory_mask = {},
                 const Tensor& src_key_padding_mask = {}, const Tensor& tgt_key_padding_mask = {},
                 const Tensor& memory_key_padding_mask = {});
  void reset() override;
  /// Applies xavier_uniform_ to all parameters with more than one dimension. Other parameters keep
  /// their values.
  void reset_parameters();
  /// Returns a causal mask (sz, sz): -infinity above the diagonal, 0 elsewhere.
  static Tensor generate_square_subsequent_mask(int64_t sz);

  TransformerOptions options;  ///< the options, as given
  AnyModule encoder;           ///< a TransformerEncoder, or a clone of the custom encoder
  AnyModule decoder;           ///< a TransformerDecoder, or a clone of the custom decoder

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(Transformer);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
