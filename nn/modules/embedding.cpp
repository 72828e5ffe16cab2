#include <taper/nn/modules/embedding.h>

#include <ostream>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/nn/functional/embedding.h>
#include <taper/nn/functional/embedding_bag.h>
#include <taper/nn/init.h>
#include <taper/nn/modules/embedding_bag.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::nn {

// ---------------------------------------------------------------------- embedding
TAPER_DEFINE_LIBRARY_MODULE(Embedding);

EmbeddingImpl::EmbeddingImpl(EmbeddingOptions options_) : options(std::move(options_)) {
  EmbeddingImpl::reset();
}

void EmbeddingImpl::reset() {
  const int64_t rows = options.num_embeddings();
  if (options.padding_idx()) {
    const int64_t row = *options.padding_idx();
    TAPER_CHECK(row < rows, "Embedding: Padding_idx must be within num_embeddings, got ", row,
                " for ", rows);
    TAPER_CHECK(row >= -rows, "Embedding: Padding_idx must be within num_embedding, got ", row,
                " for ", rows);
    options.padding_idx(row < 0 ? row + rows : row);
  }
  const Tensor& given = options._weight();
  if (given.defined()) {
    TAPER_CHECK(given.sizes() == IntArrayRef({rows, options.embedding_dim()}),
                "Embedding: Shape of _weight does not match num_embeddings and embedding_dim, got ",
                given.sizes(), " for ", rows, " and ", options.embedding_dim());
    weight = register_parameter("weight", given.detach());
    return;
  }
  weight = register_parameter("weight", empty({rows, options.embedding_dim()}));
  reset_parameters();
}

void EmbeddingImpl::reset_parameters() {
  init::normal_(weight);
  if (!options.padding_idx()) return;
  NoGradGuard no_grad;
  weight.select(0, *options.padding_idx()).zero_();
}

void EmbeddingImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::Embedding(num_embeddings=" << options.num_embeddings()
         << ", embedding_dim=" << options.embedding_dim();
  if (options.padding_idx()) stream << ", padding_idx=" << *options.padding_idx();
  if (options.max_norm()) stream << ", max_norm=" << *options.max_norm();
  if (options.norm_type() != 2) stream << ", norm_type=" << options.norm_type();
  if (options.scale_grad_by_freq()) stream << ", scale_grad_by_freq=true";
  if (options.sparse()) stream << ", sparse=true";
  stream << ")";
}

Tensor EmbeddingImpl::forward(const Tensor& indices) {
  return detail::in_module(*this, [&] {
    return functional::embedding(indices, weight,
                                 functional::EmbeddingFuncOptions()
                                     .padding_idx(options.padding_idx())
                                     .max_norm(options.max_norm())
                                     .norm_type(options.norm_type())
                                     .scale_grad_by_freq(options.scale_grad_by_freq())
                                     .sparse(options.sparse()));
  });
}

Embedding Embedding::from_pretrained(const Tensor& embeddings,
                                     const EmbeddingFromPretrainedOptions& options) {
  TAPER_CHECK(embeddings.dim() == 2,
              "Embedding: Embeddings parameter is expected to be 2-dimensional, got ",
              embeddings.sizes());
  Embedding embedding(EmbeddingOptions(embeddings.size(0), embeddings.size(1))
                          ._weight(embeddings)
                          .padding_idx(options.padding_idx())
                          .max_norm(options.max_norm())
                          .norm_type(options.norm_type())
                          .scale_grad_by_freq(options.scale_grad_by_freq())
                          .sparse(options.sparse()));
  embedding->weight.set_requires_grad(!options.freeze());
  return embedding;
}

// ---------------------------------------------------------------------- embedding_bag
TAPER_DEFINE_LIBRARY_MODULE(EmbeddingBag);
TAPER_DEFINE_LIBRARY_DEFAULT_ARGS(EmbeddingBag, {1, AnyValue(Tensor())}, {2, AnyValue(Tensor())})

EmbeddingBagImpl::EmbeddingBagImpl(EmbeddingBagOptions options_) : options(std::move(options_)) {
  EmbeddingBagImpl::reset();
}

void EmbeddingBagImpl::reset() {
  const int64_t rows = options.num_embeddings();
  if (options.padding_idx()) {
    const int64_t row = *options.padding_idx();
    TAPER_CHECK(row < rows && row >= -rows, "Padding_idx must be within num_embeddings");
    options.padding_idx(row < 0 ? row + rows : row);
  }
  const Tensor& given = options._weight();
  if (given.defined()) {
    TAPER_CHECK(given.sizes() == IntArrayRef({rows, options.embedding_dim()}),
                "Shape of weight does not match num_embeddings and embedding_dim");
    weight = register_parameter("weight", given.detach());
    return;
  }
  weight = register_parameter("weight", empty({rows, options.embedding_dim()}));
  reset_parameters();
}

void EmbeddingBagImpl::reset_parameters() {
  init::normal_(weight);
  if (!options.padding_idx()) return;
  NoGradGuard no_grad;
  weight.select(0, *options.padding_idx()).zero_();
}

void EmbeddingBagImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::EmbeddingBag(num_embeddings=" << options.num_embeddings()
         << ", embedding_dim=" << options.embedding_dim();
  if (options.max_norm()) stream << ", max_norm=" << *options.max_norm();
  if (options.norm_type() != 2) stream << ", norm_type=" << options.norm_type();
  if (options.scale_grad_by_freq()) stream << ", scale_grad_by_freq=true";
  if (options.sparse()) stream << ", sparse=true";
  if (options.mode().index() != EmbeddingBagMode(kMean).index())
    stream << ", mode=" << enumtype::get_enum_name(options.mode());
  if (options.include_last_offset()) stream << ", include_last_offset=true";
  if (options.padding_idx()) stream << ", padding_idx=" << *options.padding_idx();
  stream << ")";
}

Tensor EmbeddingBagImpl::forward(const Tensor& input, const Tensor& offsets,
                                 const Tensor& per_sample_weights) {
  return functional::embedding_bag(input, weight,
                                   functional::EmbeddingBagFuncOptions()
                                       .offsets(offsets)
                                       .max_norm(options.max_norm())
                                       .norm_type(options.norm_type())
                                       .scale_grad_by_freq(options.scale_grad_by_freq())
                                       .mode(options.mode())
                                       .sparse(options.sparse())
                                       .per_sample_weights(per_sample_weights)
                                       .include_last_offset(options.include_last_offset())
                                       .padding_idx(options.padding_idx()));
}

EmbeddingBag EmbeddingBag::from_pretrained(const Tensor& embeddings,
                                           const EmbeddingBagFromPretrainedOptions& options) {
  TAPER_CHECK(embeddings.dim() == 2, "Embeddings parameter is expected to be 2-dimensional");
  EmbeddingBag bag(EmbeddingBagOptions(embeddings.size(0), embeddings.size(1))
                       ._weight(embeddings)
                       .max_norm(options.max_norm())
                       .norm_type(options.norm_type())
                       .scale_grad_by_freq(options.scale_grad_by_freq())
                       .mode(options.mode())
                       .sparse(options.sparse())
                       .include_last_offset(options.include_last_offset())
                       .padding_idx(options.padding_idx()));
  bag->weight.set_requires_grad(!options.freeze());
  return bag;
}

}  // namespace torch::taper::nn
