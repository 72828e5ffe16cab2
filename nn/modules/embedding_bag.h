// EmbeddingBag.
#pragma once

#include <taper/nn/any_module.h>
#include <taper/nn/modules/common.h>
#include <taper/nn/options/embedding_bag.h>

#pragma GCC visibility push(default)

namespace taper::nn {

/// Sums, means or maxima of bags of rows of a table: see functional::embedding_bag. The weight
/// (num_embeddings, embedding_dim) starts standard normal, its padding row as zeros.
class EmbeddingBagImpl : public Cloneable<EmbeddingBagImpl> {
 public:
  EmbeddingBagImpl(int64_t num_embeddings, int64_t embedding_dim)
      : EmbeddingBagImpl(EmbeddingBagOptions(num_embeddings, embedding_dim)) {}
  /// Throws when padding_idx is out of range or _weight has other sizes.
  explicit EmbeddingBagImpl(EmbeddingBagOptions options_);

  void reset() override;
  /// Draws new values and sets the padding row to zero.
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& offsets = {},
                 const Tensor& per_sample_weights = {});

  EmbeddingBagOptions options;
  Tensor weight;

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};

class EmbeddingBag : public ModuleHolder<EmbeddingBagImpl> {
 public:
  using ModuleHolder<EmbeddingBagImpl>::ModuleHolder;
  using Impl = EmbeddingBagImpl;
  /// A table with given rows (2 dimensions), frozen unless the options say otherwise.
  static EmbeddingBag from_pretrained(const Tensor& embeddings,
                                      const EmbeddingBagFromPretrainedOptions& options = {});
};
extern template class Cloneable<EmbeddingBagImpl>;

}  // namespace taper::nn

#pragma GCC visibility pop
