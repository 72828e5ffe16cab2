#include <taper/nn/modules/transformer.h>

#include <limits>

#include <taper/nn/functional/activation.h>
#include <taper/nn/init.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/triangle.h>

namespace torch::taper::nn {

Tensor activation_t::operator()(const Tensor& x) const {
  if (function_) return function_(x);
  return holds_alternative<enumtype::kGELU>(name_) ? functional::gelu(x) : functional::relu(x);
}

// ---------------------------------------------------------------------- layers
TAPER_DEFINE_LIBRARY_MODULE(TransformerEncoderLayer);
TAPER_DEFINE_LIBRARY_DEFAULT_ARGS(TransformerEncoderLayer, {1, AnyValue(Tensor())},
                                  {2, AnyValue(Tensor())})

TransformerEncoderLayerImpl::TransformerEncoderLayerImpl(
    const TransformerEncoderLayerOptions& options_)
    : options(options_) {
  TransformerEncoderLayerImpl::reset();
}

void TransformerEncoderLayerImpl::reset() {
  const int64_t E = options.d_model(), D = options.dim_feedforward();
  const double p = options.dropout();
  self_attn = register_module(
      "self_attn", MultiheadAttention(MultiheadAttentionOptions(E, options.nhead()).dropout(p)));
  linear1 = register_module("linear1", Linear(E, D));
  dropout = register_module("dropout", Dropout(p));
  linear2 = register_module("linear2", Linear(D, E));
  norm1 = register_module("norm1", LayerNorm(LayerNormOptions({E})));
  norm2 = register_module("norm2", LayerNorm(LayerNormOptions({E})));
  dropout1 = register_module("dropout1", Dropout(p));
  dropout2 = register_module("dropout2", Dropout(p));
}

void TransformerEncoderLayerImpl::reset_parameters() {
  self_attn->_reset_parameters();
  linear1->reset_parameters();
  linear2->reset_parameters();
  norm1->reset_parameters();
  norm2->reset_parameters();
}

Tensor TransformerEncoderLayerImpl::forward(const Tensor& src, const Tensor& src_mask,
                                            const Tensor& src_key_padding_mask) {
  const Tensor seen = std::get<0>(self_attn(src, src, src, src_key_padding_mask, false, src_mask));
  const Tensor x = norm1(src.add(dropout1(seen)));
  const Tensor inner = dropout(options.activation()(linear1(x)));
  return norm2(x.add(dropout2(linear2(inner))));
}

TAPER_DEFINE_LIBRARY_MODULE(TransformerDecoderLayer);
TAPER_DEFINE_LIBRARY_DEFAULT_ARGS(TransformerDecoderLayer, {2, AnyValue(Tensor())},
                                  {3, AnyValue(Tensor())}, {4, AnyValue(Tensor())},
                                  {5, AnyValue(Tensor())})

TransformerDecoderLayerImpl::TransformerDecoderLayerImpl(
    const TransformerDecoderLayerOptions& options_)
    : options(options_) {
  TransformerDecoderLayerImpl::reset();
}

void TransformerDecoderLayerImpl::reset() {
  const int64_t E = options.d_model(), D = options.dim_feedforward();
  const double p = options.dropout();
  const auto attention = [&] {
    return MultiheadAttention(MultiheadAttentionOptions(E, options.nhead()).dropout(p));
  };
  const auto norm = [&] { return LayerNorm(LayerNormOptions({E})); };
  self_attn = register_module("self_attn", attention());
  multihead_attn = register_module("multihead_attn", attention());
  linear1 = register_module("linear1", Linear(E, D));
  dropout = register_module("dropout", Dropout(p));
  linear2 = register_module("linear2", Linear(D, E));
  norm1 = register_module("norm1", norm());
  norm2 = register_module("norm2", norm());
  norm3 = register_module("norm3", norm());
  dropout1 = register_module("dropout1", Dropout(p));
  dropout2 = register_module("dropout2", Dropout(p));
  dropout3 = register_module("dropout3", Dropout(p));
}

void TransformerDecoderLayerImpl::reset_parameters() {
  self_attn->_reset_parameters();
  multihead_attn->_reset_parameters();
  linear1->reset_parameters();
  linear2->reset_parameters();
  norm1->reset_parameters();
  norm2->reset_parameters();
  norm3->reset_parameters();
}

Tensor TransformerDecoderLayerImpl::forward(Tensor tgt, const Tensor& memory,
                                            const Tensor& tgt_mask, const Tensor& memory_mask,
                                            const Tensor& tgt_key_padding_mask,
                                            const Tensor& memory_key_padding_mask) {
  const Tensor own = std::get<0>(self_attn(tgt, tgt, tgt, tgt_key_padding_mask, false, tgt_mask));
  Tensor x = norm1(tgt.add(dropout1(own)));
  const Tensor seen =
      std::get<0>(multihead_attn(x, memory, memory, memory_key_padding_mask, false, memory_mask));
  x = norm2(x.add(dropout2(seen)));
  const Tensor inner = dropout(options.activation()(linear1(x)));
  return norm3(x.add(dropout3(linear2(inner))));
}

// ---------------------------------------------------------------------- stacks
namespace {

template <class Layer>
ModuleList copies_of(const Layer& layer, int64_t count) {
  ModuleList list;
  for (int64_t i = 0; i < count; ++i) list->push_back(layer->clone());
  return list;
}

}  // namespace

TAPER_DEFINE_LIBRARY_MODULE(TransformerEncoder);
TAPER_DEFINE_LIBRARY_DEFAULT_ARGS(TransformerEncoder, {1, AnyValue(Tensor())},
                                  {2, AnyValue(Tensor())})

TransformerEncoderImpl::TransformerEncoderImpl(TransformerEncoderOptions options_)
    : options(std::move(options_)) {
  TransformerEncoderImpl::reset();
}

void TransformerEncoderImpl::reset() {
  layers = register_module("layers", copies_of(options.encoder_layer(), options.num_layers()));
  if (options.norm().is_empty()) return;
  norm = options.norm().clone();
  register_module("norm", norm.ptr());
}

void TransformerEncoderImpl::reset_parameters() {
  for (size_t i = 0; i < layers->size(); ++i)
    layers->at<TransformerEncoderLayerImpl>(i).reset_parameters();
  // reset() of another norm would register its parameters again, so only LayerNorm is reset.
  if (!norm.is_empty() && norm.ptr()->as<LayerNorm>()) norm.get<LayerNormImpl>().reset_parameters();
}

Tensor TransformerEncoderImpl::forward(const Tensor& src, const Tensor& src_mask,
                                       const Tensor& src_key_padding_mask) {
  Tensor x = src;
  for (size_t i = 0; i < layers->size(); ++i)
    x = layers->at<TransformerEncoderLayerImpl>(i).forward(x, src_mask, src_key_padding_mask);
  return norm.is_empty() ? x : norm.forward<Tensor>(x);
}

TAPER_DEFINE_LIBRARY_MODULE(TransformerDecoder);
TAPER_DEFINE_LIBRARY_DEFAULT_ARGS(TransformerDecoder, {2, AnyValue(Tensor())},
                                  {3, AnyValue(Tensor())}, {4, AnyValue(Tensor())},
                                  {5, AnyValue(Tensor())})

TransformerDecoderImpl::TransformerDecoderImpl(TransformerDecoderOptions options_)
    : options(std::move(options_)) {
  TransformerDecoderImpl::reset();
}

void TransformerDecoderImpl::reset() {
  layers = register_module("layers", copies_of(options.decoder_layer(), options.num_layers()));
  if (options.norm().is_empty()) return;
  norm = options.norm().clone();
  register_module("norm", norm.ptr());
}

void TransformerDecoderImpl::reset_parameters() {
  for (size_t i = 0; i < layers->size(); ++i)
    layers->at<TransformerDecoderLayerImpl>(i).reset_parameters();
  if (!norm.is_empty() && norm.ptr()->as<LayerNorm>()) norm.get<LayerNormImpl>().reset_parameters();
}

Tensor TransformerDecoderImpl::forward(const Tensor& tgt, const Tensor& memory,
                                       const Tensor& tgt_mask, const Tensor& memory_mask,
                                       const Tensor& tgt_key_padding_mask,
                                       const Tensor& memory_key_padding_mask) {
  Tensor x = tgt;
  for (size_t i = 0; i < layers->size(); ++i)
    x = layers->at<TransformerDecoderLayerImpl>(i).forward(
        x, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask);
  return norm.is_empty() ? x : norm.forward<Tensor>(x);
}

// ---------------------------------------------------------------------- Transformer
TAPER_DEFINE_LIBRARY_MODULE(Transformer);
TAPER_DEFINE_LIBRARY_DEFAULT_ARGS(Transformer, {2, AnyValue(Tensor())}, {3, AnyValue(Tensor())},
                                  {4, AnyValue(Tensor())}, {5, AnyValue(Tensor())},
                                  {6, AnyValue(Tensor())}, {7, AnyValue(Tensor())})

TransformerImpl::TransformerImpl(TransformerOptions options_) : options(std::move(options_)) {
  TransformerImpl::reset();
}

void TransformerImpl::reset() {
  const auto with_options = [&](auto o) {
    return o.dim_feedforward(options.dim_feedforward())
        .dropout(options.dropout())
        .activation(options.activation());
  };
  const int64_t E = options.d_model(), H = options.nhead();
  const LayerNormOptions norm({E});
  if (options.custom_encoder().is_empty()) {
    const LayerNorm last(norm);
    const auto layer = with_options(TransformerEncoderLayerOptions(E, H));
    encoder = AnyModule(TransformerEncoder(
        TransformerEncoderOptions(layer, options.num_encoder_layers()).norm(AnyModule(last))));
  } else {
    encoder = options.custom_encoder().clone();
  }
  register_module("encoder", encoder.ptr());
  if (options.custom_decoder().is_empty()) {
    const LayerNorm last(norm);
    const auto layer = with_options(TransformerDecoderLayerOptions(E, H));
    decoder = AnyModule(TransformerDecoder(
        TransformerDecoderOptions(layer, options.num_decoder_layers()).norm(AnyModule(last))));
  } else {
    decoder = options.custom_decoder().clone();
  }
  register_module("decoder", decoder.ptr());
  reset_parameters();
}

void TransformerImpl::reset_parameters() {
  for (const Tensor& p : parameters())
    if (p.dim() > 1) init::xavier_uniform_(p);
}

Tensor TransformerImpl::forward(const Tensor& src, const Tensor& tgt, const Tensor& src_mask,
                                const Tensor& tgt_mask, const Tensor& memory_mask,
                                const Tensor& src_key_padding_mask,
                                const Tensor& tgt_key_padding_mask,
                                const Tensor& memory_key_padding_mask) {
  TAPER_CHECK(src.dim() == 3 && tgt.dim() == 3, "src and tgt should have 3 dimensions, but got ",
              src.dim(), " and ", tgt.dim());
  TAPER_CHECK(src.size(1) == tgt.size(1),
              "src and tgt should have equal batch size (at dim 1), but got ", src.size(1), " and ",
              tgt.size(1));
  TAPER_CHECK(src.size(2) == options.d_model() && tgt.size(2) == options.d_model(),
              "src and tgt should have same feature size as d_model (at dim 2), but got ",
              src.size(2), " and ", tgt.size(2), " while d_model is ", options.d_model());
  const Tensor memory = encoder.forward<Tensor>(src, src_mask, src_key_padding_mask);
  return decoder.forward<Tensor>(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask,
                                 memory_key_padding_mask);
}

Tensor TransformerImpl::generate_square_subsequent_mask(int64_t sz) {
  TAPER_CHECK(
      sz >= 0,
      "Input size must be non-negative to generate a valid square subsequent mask, but got ", sz);
  return triu(full({sz, sz}, -std::numeric_limits<double>::infinity(), kFloat), 1);
}

}  // namespace torch::taper::nn
