// Embedding.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/embedding.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// A table of vectors looked up by index: input (...) of an integer dtype, output
/// (..., embedding_dim). The weight (num_embeddings, embedding_dim) starts standard normal.
class EmbeddingImpl : public Cloneable<EmbeddingImpl> {
 public:
  /// Rows and the size of a row.
  EmbeddingImpl(int64_t num_embeddings, int64_t embedding_dim)
      : EmbeddingImpl(EmbeddingOptions(num_embeddings, embedding_dim)) {}
  /// Throws when padding_idx is out of range or _weight has other sizes.
  explicit EmbeddingImpl(EmbeddingOptions options_);

  void reset() override;
  /// Draws new values and sets the padding row to zero.
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  /// functional::embedding of kLong or kInt indices; with max_norm it scales rows of the weight
  /// first.
  Tensor forward(const Tensor& indices);

  /// reset() and every forward() read them; padding_idx is counted from the start.
  EmbeddingOptions options;
  Tensor weight;  ///< (num_embeddings, embedding_dim); shares the memory of a given _weight
};

/// Holds an EmbeddingImpl.
class Embedding : public ModuleHolder<EmbeddingImpl> {
 public:
  using ModuleHolder<EmbeddingImpl>::ModuleHolder;
  using Impl = EmbeddingImpl;  ///< what it holds
  /// A table with given rows (2 dimensions), frozen unless the options say otherwise.
  static Embedding from_pretrained(const Tensor& embeddings,
                                   const EmbeddingFromPretrainedOptions& options = {});
};
extern template class Cloneable<EmbeddingImpl>;

}  // namespace torch::taper::nn

#pragma GCC visibility pop
