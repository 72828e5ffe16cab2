// Options of Embedding.
#pragma once

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// A table (num_embeddings, embedding_dim), whose rows are looked up.
struct EmbeddingOptions {
  /// Rows start from a standard normal distribution, without a padding row.
  EmbeddingOptions(int64_t num_embeddings, int64_t embedding_dim)
      : num_embeddings_(num_embeddings), embedding_dim_(embedding_dim) {}
  TAPER_ARG(int64_t, num_embeddings);  ///< rows
  TAPER_ARG(int64_t, embedding_dim);   ///< size of a row
  /// This row starts as zeros and gets no gradient; a negative one counts from the end.
  TAPER_ARG(optional<int64_t>, padding_idx) = nullopt;
  /// Rows that are looked up are first scaled down, in place, to this norm of order norm_type.
  TAPER_ARG(optional<double>, max_norm) = nullopt;
  TAPER_ARG(double, norm_type) = 2.;  ///< p of the norm
  /// Divides a row's gradient by the number of its occurrences.
  TAPER_ARG(bool, scale_grad_by_freq) = false;
  /// Sparse gradients: not supported, with true the call throws NotImplementedError.
  TAPER_ARG(bool, sparse) = false;
  /// The initial values, in place of random ones.
  TAPER_ARG(Tensor, _weight) = {};
};

/// Of Embedding::from_pretrained: a given table (num_embeddings, embedding_dim), whose storage the
/// module shares.
struct EmbeddingFromPretrainedOptions {
  TAPER_ARG(bool, freeze) = true;                       ///< whether the rows are not trained
  TAPER_ARG(optional<int64_t>, padding_idx) = nullopt;  ///< a row that gets no gradient
  TAPER_ARG(optional<double>, max_norm) = nullopt;      ///< rows are scaled down to it
  TAPER_ARG(double, norm_type) = 2.;                    ///< p of the norm
  TAPER_ARG(bool, scale_grad_by_freq) = false;          ///< whether gradients are divided by counts
  TAPER_ARG(bool, sparse) = false;  ///< true: the call throws NotImplementedError
};

namespace functional {

/// max_norm changes the table in place.
struct EmbeddingFuncOptions {
  TAPER_ARG(optional<int64_t>, padding_idx) = nullopt;  ///< a row that gets no gradient
  TAPER_ARG(optional<double>, max_norm) = nullopt;      ///< rows are scaled down to it
  TAPER_ARG(double, norm_type) = 2.;                    ///< p of the norm
  TAPER_ARG(bool, scale_grad_by_freq) = false;          ///< whether gradients are divided by counts
  TAPER_ARG(bool, sparse) = false;  ///< true: the call throws NotImplementedError
};

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
