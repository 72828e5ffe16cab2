// Embedding.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/embedding.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Returns rows of a learnable table. The input (...) holds the rows' indices, in an integer dtype.
/// The output is (..., embedding_dim). The weight (num_embeddings, embedding_dim) starts from a
/// standard normal distribution.
///
///     Embedding words(10000, 64);
///     Tensor y = words(indices);  // (N, T) to (N, T, 64)
class EmbeddingImpl : public Cloneable<EmbeddingImpl> {
 public:
  /// Sets the number of rows and the size of a row.
  EmbeddingImpl(int64_t num_embeddings, int64_t embedding_dim)
      : EmbeddingImpl(EmbeddingOptions(num_embeddings, embedding_dim)) {}
  /// Takes all options. Throws Error if padding_idx is out of range or _weight has other sizes.
  explicit EmbeddingImpl(EmbeddingOptions options_);

  void reset() override;
  /// Draws new values for the weight, and sets its padding row to zero.
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::embedding to kLong or kInt indices. With max_norm, first scales rows of
  /// the weight in-place to at most this norm.
  Tensor forward(const Tensor& indices);

  /// The options, read by reset() and every forward(). The constructor converts a negative
  /// padding_idx to an index from 0.
  EmbeddingOptions options;
  Tensor weight;  ///< (num_embeddings, embedding_dim), shares the memory of a given _weight
};

/// Holds an EmbeddingImpl.
class Embedding : public ModuleHolder<EmbeddingImpl> {
 public:
  using ModuleHolder<EmbeddingImpl>::ModuleHolder;
  using Impl = EmbeddingImpl;  ///< the held class
  /// Makes an Embedding whose weight is `embeddings`, a matrix. The weight is not trained, unless
  /// the option `freeze` is false.
  static Embedding from_pretrained(const Tensor& embeddings,
                                   const EmbeddingFromPretrainedOptions& options = {});
};
extern template class Cloneable<EmbeddingImpl>;

}  // namespace torch::taper::nn

#pragma GCC visibility pop
