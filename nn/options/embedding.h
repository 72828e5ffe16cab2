// Options of Embedding.
#pragma once

#include <taper/framework/arg.h>
#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper::nn {

struct EmbeddingOptions {
  EmbeddingOptions(int64_t num_embeddings, int64_t embedding_dim)
      : num_embeddings_(num_embeddings), embedding_dim_(embedding_dim) {}
  TAPER_ARG(int64_t, num_embeddings);
  TAPER_ARG(int64_t, embedding_dim);
  /// This row starts as zeros and gets no gradient; a negative one counts from the end.
  TAPER_ARG(optional<int64_t>, padding_idx) = nullopt;
  /// Rows that are looked up are first scaled down, in place, to this norm of order norm_type.
  TAPER_ARG(optional<double>, max_norm) = nullopt;
  TAPER_ARG(double, norm_type) = 2.;
  /// Divides a row's gradient by the number of its occurrences.
  TAPER_ARG(bool, scale_grad_by_freq) = false;
  /// Accepted; gradients are dense.
  TAPER_ARG(bool, sparse) = false;
  /// The initial values, in place of random ones.
  TAPER_ARG(Tensor, _weight) = {};
};

struct EmbeddingFromPretrainedOptions {
  TAPER_ARG(bool, freeze) = true;
  TAPER_ARG(optional<int64_t>, padding_idx) = nullopt;
  TAPER_ARG(optional<double>, max_norm) = nullopt;
  TAPER_ARG(double, norm_type) = 2.;
  TAPER_ARG(bool, scale_grad_by_freq) = false;
  TAPER_ARG(bool, sparse) = false;
};

namespace functional {

struct EmbeddingFuncOptions {
  TAPER_ARG(optional<int64_t>, padding_idx) = nullopt;
  TAPER_ARG(optional<double>, max_norm) = nullopt;
  TAPER_ARG(double, norm_type) = 2.;
  TAPER_ARG(bool, scale_grad_by_freq) = false;
  TAPER_ARG(bool, sparse) = false;
};

}  // namespace functional
}  // namespace taper::nn

#pragma GCC visibility pop
