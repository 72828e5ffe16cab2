// EmbeddingBag.
#pragma once

#include <taper/nn/any_module.h>
#include <taper/nn/modules/common.h>
#include <taper/nn/options/embedding_bag.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Sums, means or maxima of bags of rows of a table: see functional::embedding_bag. The weight
/// (num_embeddings, embedding_dim) starts standard normal, its padding row as zeros.
class EmbeddingBagImpl : public Cloneable<EmbeddingBagImpl> {
 public:
  /// Rows and the size of a row; means of bags by default.
  EmbeddingBagImpl(int64_t num_embeddings, int64_t embedding_dim)
      : EmbeddingBagImpl(EmbeddingBagOptions(num_embeddings, embedding_dim)) {}
  /// Throws when padding_idx is out of range or _weight has other sizes.
  explicit EmbeddingBagImpl(EmbeddingBagOptions options_);

  void reset() override;
  /// Draws new values and sets the padding row to zero.
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  /// functional::embedding_bag, (B, embedding_dim), of indices (B, N), or (L) with offsets (B);
  /// with max_norm it scales rows of the weight first.
  Tensor forward(const Tensor& input, const Tensor& offsets = {},
                 const Tensor& per_sample_weights = {});

  /// reset() and every forward() read them; padding_idx is counted from the start.
  EmbeddingBagOptions options;
  Tensor weight;  ///< (num_embeddings, embedding_dim); shares the memory of a given _weight

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};

/// Holds an EmbeddingBagImpl.
class EmbeddingBag : public ModuleHolder<EmbeddingBagImpl> {
 public:
  using ModuleHolder<EmbeddingBagImpl>::ModuleHolder;
  using Impl = EmbeddingBagImpl;  ///< what it holds
  /// A table with given rows (2 dimensions), frozen unless the options say otherwise.
  static EmbeddingBag from_pretrained(const Tensor& embeddings,
                                      const EmbeddingBagFromPretrainedOptions& options = {});
};
extern template class Cloneable<EmbeddingBagImpl>;

}  // namespace torch::taper::nn

#pragma GCC visibility pop
