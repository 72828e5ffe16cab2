// Options of EmbeddingBag.
#pragma once

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>
#include <taper/nn/enum.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Names the reduction of the rows of a bag.
using EmbeddingBagMode = Choice<enumtype::kSum, enumtype::kMean, enumtype::kMax>;

/// Configures EmbeddingBag, which looks up rows of a table (num_embeddings, embedding_dim) and
/// reduces each bag to one row.
struct EmbeddingBagOptions {
  /// Sets the sizes. By default, rows start from a standard normal distribution, and the result of
  /// a bag is the mean of its rows.
  EmbeddingBagOptions(int64_t num_embeddings, int64_t embedding_dim)
      : num_embeddings_(num_embeddings), embedding_dim_(embedding_dim) {}
  TAPER_ARG(int64_t, num_embeddings);  ///< number of rows
  TAPER_ARG(int64_t, embedding_dim);   ///< features of a row
  /// The largest allowed norm of a row, of order norm_type. forward() first scales the requested
  /// rows with a larger norm to this norm, in-place.
  TAPER_ARG(optional<double>, max_norm) = nullopt;
  TAPER_ARG(double, norm_type) = 2.;  ///< order of the norm
  /// Whether a row's gradient is divided by the number of the row's occurrences in the input. kMax
  /// does not support this option.
  TAPER_ARG(bool, scale_grad_by_freq) = false;
  TAPER_ARG(EmbeddingBagMode, mode) = kMean;  ///< reduction of a bag
  /// Whether gradients are sparse. This option has no effect: gradients are dense.
  TAPER_ARG(bool, sparse) = false;
  /// The initial weight. If undefined, the values are random.
  TAPER_ARG(Tensor, _weight) = {};
  /// Whether the offsets have an additional last element, which is the number of indices.
  TAPER_ARG(bool, include_last_offset) = false;
  /// The padding row, which is left out of every bag. A negative index counts from the end.
  TAPER_ARG(optional<int64_t>, padding_idx) = nullopt;
};

/// Configures EmbeddingBag::from_pretrained. The module shares the storage of the given table
/// (num_embeddings, embedding_dim).
struct EmbeddingBagFromPretrainedOptions {
  TAPER_ARG(bool, freeze) = true;  ///< whether the table is not trained
  /// The largest norm. Larger rows are scaled to it.
  TAPER_ARG(optional<double>, max_norm) = nullopt;
  TAPER_ARG(double, norm_type) = 2.;  ///< order of the norm
  /// Whether to divide a row's gradient by its occurrences.
  TAPER_ARG(bool, scale_grad_by_freq) = false;
  TAPER_ARG(EmbeddingBagMode, mode) = kMean;     ///< reduction of a bag
  TAPER_ARG(bool, sparse) = false;               ///< no effect: gradients are dense
  TAPER_ARG(bool, include_last_offset) = false;  ///< whether offsets end with the number of indices
  TAPER_ARG(optional<int64_t>, padding_idx) = nullopt;  ///< the padding row, left out of every bag
};

namespace functional {

/// Configures functional::embedding_bag. If the input is a vector of indices, `offsets` (B) says
/// where bags begin. If the input is a matrix, each row is a bag.
struct EmbeddingBagFuncOptions {
  TAPER_ARG(Tensor, offsets) = {};  ///< the position in the input at which each bag begins
  /// The largest norm. Larger rows are scaled to it.
  TAPER_ARG(optional<double>, max_norm) = nullopt;
  TAPER_ARG(double, norm_type) = 2.;  ///< order of the norm
  /// Whether to divide a row's gradient by its occurrences.
  TAPER_ARG(bool, scale_grad_by_freq) = false;
  TAPER_ARG(EmbeddingBagMode, mode) = kMean;     ///< reduction of a bag
  TAPER_ARG(bool, sparse) = false;               ///< no effect: gradients are dense
  TAPER_ARG(Tensor, per_sample_weights) = {};    ///< factors of the rows, for sums
  TAPER_ARG(bool, include_last_offset) = false;  ///< whether offsets end with the number of indices
  TAPER_ARG(optional<int64_t>, padding_idx) = nullopt;  ///< the padding row, left out of every bag
};

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
