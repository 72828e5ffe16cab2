// Options of Embedding.
#pragma once

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Configures Embedding, a table (num_embeddings, embedding_dim) whose rows are looked up.
struct EmbeddingOptions {
  /// Sets the sizes. By default, rows start from a standard normal distribution, and no row is
  /// padding.
  EmbeddingOptions(int64_t num_embeddings, int64_t embedding_dim)
      : num_embeddings_(num_embeddings), embedding_dim_(embedding_dim) {}
  TAPER_ARG(int64_t, num_embeddings);  ///< number of rows
  TAPER_ARG(int64_t, embedding_dim);   ///< features of a row
  /// The padding row, which starts as zeros and gets no gradient. A negative index counts from the
  /// end.
  TAPER_ARG(optional<int64_t>, padding_idx) = nullopt;
  /// The largest norm of a row, of order norm_type. Before the lookup, rows with a larger norm are
  /// scaled to this norm in-place.
  TAPER_ARG(optional<double>, max_norm) = nullopt;
  TAPER_ARG(double, norm_type) = 2.;  ///< order of the norm
  /// Divides a row's gradient by the number of its occurrences.
  TAPER_ARG(bool, scale_grad_by_freq) = false;
  /// Requests sparse gradients. They are not supported, so the call throws NotImplementedError if
  /// this is true.
  TAPER_ARG(bool, sparse) = false;
  /// The initial values. If undefined, they are random.
  TAPER_ARG(Tensor, _weight) = {};
};

/// Configures Embedding::from_pretrained. The module shares the storage of the given table
/// (num_embeddings, embedding_dim).
struct EmbeddingFromPretrainedOptions {
  TAPER_ARG(bool, freeze) = true;                       ///< whether the table is not trained
  TAPER_ARG(optional<int64_t>, padding_idx) = nullopt;  ///< the padding row, which gets no gradient
  TAPER_ARG(optional<double>, max_norm) = nullopt;      ///< rows are scaled to at most this norm
  TAPER_ARG(double, norm_type) = 2.;                    ///< order of the norm
  TAPER_ARG(bool, scale_grad_by_freq) = false;          ///< whether to divide gradients by counts
  TAPER_ARG(bool, sparse) = false;                      ///< if true, throws NotImplementedError
};

namespace functional {

/// Configures functional::embedding. max_norm changes the table in-place.
struct EmbeddingFuncOptions {
  TAPER_ARG(optional<int64_t>, padding_idx) = nullopt;  ///< the padding row, which gets no gradient
  TAPER_ARG(optional<double>, max_norm) = nullopt;      ///< rows are scaled to at most this norm
  TAPER_ARG(double, norm_type) = 2.;                    ///< order of the norm
  TAPER_ARG(bool, scale_grad_by_freq) = false;          ///< whether to divide gradients by counts
  TAPER_ARG(bool, sparse) = false;                      ///< if true, throws NotImplementedError
};

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
