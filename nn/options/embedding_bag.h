// Options of EmbeddingBag.
#pragma once

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>
#include <taper/nn/enum.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// What is made of the rows of a bag.
using EmbeddingBagMode = Choice<enumtype::kSum, enumtype::kMean, enumtype::kMax>;

/// A table (num_embeddings, embedding_dim); the rows of each bag of indices become one.
struct EmbeddingBagOptions {
  /// Rows start from a standard normal distribution; bags give the mean of theirs.
  EmbeddingBagOptions(int64_t num_embeddings, int64_t embedding_dim)
      : num_embeddings_(num_embeddings), embedding_dim_(embedding_dim) {}
  TAPER_ARG(int64_t, num_embeddings);  ///< rows
  TAPER_ARG(int64_t, embedding_dim);   ///< size of a row
  /// Rows that are looked up are first scaled down, in place, to this norm of order norm_type.
  TAPER_ARG(optional<double>, max_norm) = nullopt;
  TAPER_ARG(double, norm_type) = 2.;  ///< p of the norm
  /// Divides a row's gradient by the number of its occurrences; not for kMax.
  TAPER_ARG(bool, scale_grad_by_freq) = false;
  TAPER_ARG(EmbeddingBagMode, mode) = kMean;  ///< of a bag: sum, mean or maximum
  /// Accepted; gradients are dense.
  TAPER_ARG(bool, sparse) = false;
  /// The initial values, in place of random ones.
  TAPER_ARG(Tensor, _weight) = {};
  /// The offsets have one more entry, the number of indices.
  TAPER_ARG(bool, include_last_offset) = false;
  /// This row is in no bag; a negative one counts from the end.
  TAPER_ARG(optional<int64_t>, padding_idx) = nullopt;
};

/// Of EmbeddingBag::from_pretrained: a given table (num_embeddings, embedding_dim), whose storage
/// the module shares.
struct EmbeddingBagFromPretrainedOptions {
  TAPER_ARG(bool, freeze) = true;                       ///< whether the rows are not trained
  TAPER_ARG(optional<double>, max_norm) = nullopt;      ///< rows are scaled down to it
  TAPER_ARG(double, norm_type) = 2.;                    ///< p of the norm
  TAPER_ARG(bool, scale_grad_by_freq) = false;          ///< whether gradients are divided by counts
  TAPER_ARG(EmbeddingBagMode, mode) = kMean;            ///< of a bag: sum, mean or maximum
  TAPER_ARG(bool, sparse) = false;                      ///< accepted; gradients are dense
  TAPER_ARG(bool, include_last_offset) = false;         ///< whether offsets end with the end
  TAPER_ARG(optional<int64_t>, padding_idx) = nullopt;  ///< a row that gets no gradient
};

namespace functional {

/// `offsets` (B) are for indices in one vector; a matrix of indices has a bag in each row.
struct EmbeddingBagFuncOptions {
  TAPER_ARG(Tensor, offsets) = {};                      ///< where bags begin
  TAPER_ARG(optional<double>, max_norm) = nullopt;      ///< rows are scaled down to it
  TAPER_ARG(double, norm_type) = 2.;                    ///< p of the norm
  TAPER_ARG(bool, scale_grad_by_freq) = false;          ///< whether gradients are divided by counts
  TAPER_ARG(EmbeddingBagMode, mode) = kMean;            ///< of a bag: sum, mean or maximum
  TAPER_ARG(bool, sparse) = false;                      ///< accepted; gradients are dense
  TAPER_ARG(Tensor, per_sample_weights) = {};           ///< of a sum
  TAPER_ARG(bool, include_last_offset) = false;         ///< whether offsets end with the end
  TAPER_ARG(optional<int64_t>, padding_idx) = nullopt;  ///< a row that gets no gradient
};

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
