// EmbeddingBag.
#pragma once

#include <taper/nn/any_module.h>
#include <taper/nn/modules/common.h>
#include <taper/nn/options/embedding_bag.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Returns the sum, the mean or the maximum of rows of a learnable table, for each bag of indices.
/// functional::embedding_bag describes the bags. The weight (num_embeddings, embedding_dim) starts
/// from a standard normal distribution. Its padding row starts at zero.
class EmbeddingBagImpl : public Cloneable<EmbeddingBagImpl> {
 public:
  /// Sets the number of rows and the size of a row. By default, the result of a bag is the mean of
  /// its rows.
  EmbeddingBagImpl(int64_t num_embeddings, int64_t embedding_dim)
      : EmbeddingBagImpl(EmbeddingBagOptions(num_embeddings, embedding_dim)) {}
  /// Takes all options. Throws Error if padding_idx is out of range or _weight has other sizes.
  explicit EmbeddingBagImpl(EmbeddingBagOptions options_);

  void reset() override;
  /// Draws new values for the weight, and sets its padding row to zero.
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::embedding_bag. The indices are (B, N), or (L) with offsets (B). The result
  /// is (B, embedding_dim). With max_norm, first scales rows of the weight in-place to at most this
  /// norm.
  Tensor forward(const Tensor& input, const Tensor& offsets = {},
                 const Tensor& per_sample_weights = {});

  /// The options, read by reset() and every forward(). The constructor converts a negative
  /// padding_idx to an index from 0.
  EmbeddingBagOptions options;
  Tensor weight;  ///< (num_embeddings, embedding_dim), shares the memory of a given _weight

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};

/// Holds an EmbeddingBagImpl.
class EmbeddingBag : public ModuleHolder<EmbeddingBagImpl> {
 public:
  using ModuleHolder<EmbeddingBagImpl>::ModuleHolder;
  using Impl = EmbeddingBagImpl;  ///< the held class
  /// Makes an EmbeddingBag whose weight is `embeddings`, a matrix. The weight is not trained,
  /// unless the option `freeze` is false.
  static EmbeddingBag from_pretrained(const Tensor& embeddings,
                                      const EmbeddingBagFromPretrainedOptions& options = {});
};
extern template class Cloneable<EmbeddingBagImpl>;

}  // namespace torch::taper::nn

#pragma GCC visibility pop
