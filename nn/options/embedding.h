// Options of Embedding.
#pragma once

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Configures Embedding, which returns rows of a table (num_embeddings, embedding_dim).
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
  /// The largest allowed norm of a row, of order norm_type. forward() first scales the requested
  /// rows with a larger norm to this norm, in-place.
  TAPER_ARG(optional<double>, max_norm) = nullopt;
  TAPER_ARG(double, norm_type) = 2.;  ///< order of the norm
  /// Whether a row's gradient is divided by the number of the row's occurrences in the input.
  TAPER_ARG(bool, scale_grad_by_freq) = false;
  /// Whether gradients are sparse. This is not supported: if true, calls throw NotImplementedError.
  TAPER_ARG(bool, sparse) = false;
  /// The initial weight. If undefined, the values are random.
  TAPER_ARG(Tensor, _weight) = {};
};

/// Configures Embedding::from_pretrained. The module shares the storage of the given table
/// (num_embeddings, embedding_dim).
struct EmbeddingFromPretrainedOptions {
  TAPER_ARG(bool, freeze) = true;                       ///< whether the table is not trained
  TAPER_ARG(optional<int64_t>, padding_idx) = nullopt;  ///< the padding row, which gets no gradient
  /// The largest norm. Larger rows are scaled to it.
  TAPER_ARG(optional<double>, max_norm) = nullopt;
  TAPER_ARG(double, norm_type) = 2.;  ///< order of the norm
  /// Whether to divide a row's gradient by its occurrences.
  TAPER_ARG(bool, scale_grad_by_freq) = false;
  TAPER_ARG(bool, sparse) = false;  ///< not supported: throws NotImplementedError
};

namespace functional {

/// Configures functional::embedding. max_norm changes the table in-place.
struct EmbeddingFuncOptions {
  TAPER_ARG(optional<int64_t>, padding_idx) = nullopt;  ///< the padding row, which gets no gradient
  /// The largest norm. Larger rows are scaled to it.
  TAPER_ARG(optional<double>, max_norm) = nullopt;
  TAPER_ARG(double, norm_type) = 2.;  ///< order of the norm
  /// Whether to divide a row's gradient by its occurrences.
  TAPER_ARG(bool, scale_grad_by_freq) = false;
  TAPER_ARG(bool, sparse) = false;  ///< not supported: throws NotImplementedError
};

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
