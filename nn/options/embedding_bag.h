// Options of EmbeddingBag.
#pragma once

#include <taper/framework/arg.h>
#include <taper/framework/tensor.h>
#include <taper/nn/enum.h>

#pragma GCC visibility push(default)

namespace taper::nn {

/// What is made of the rows of a bag.
using EmbeddingBagMode = Choice<enumtype::kSum, enumtype::kMean, enumtype::kMax>;

struct EmbeddingBagOptions {
  EmbeddingBagOptions(int64_t num_embeddings, int64_t embedding_dim)
      : num_embeddings_(num_embeddings), embedding_dim_(embedding_dim) {}
  TAPER_ARG(int64_t, num_embeddings);
  TAPER_ARG(int64_t, embedding_dim);
  /// Rows that are looked up are first scaled down, in place, to this norm of order norm_type.
  TAPER_ARG(optional<double>, max_norm) = nullopt;
  TAPER_ARG(double, norm_type) = 2.;
  /// Divides a row's gradient by the number of its occurrences; not for kMax.
  TAPER_ARG(bool, scale_grad_by_freq) = false;
  TAPER_ARG(EmbeddingBagMode, mode) = kMean;
  /// Accepted; gradients are dense.
  TAPER_ARG(bool, sparse) = false;
  /// The initial values, in place of random ones.
  TAPER_ARG(Tensor, _weight) = {};
  /// The offsets have one more entry, the number of indices.
  TAPER_ARG(bool, include_last_offset) = false;
  /// This row is in no bag; a negative one counts from the end.
  TAPER_ARG(optional<int64_t>, padding_idx) = nullopt;
};

struct EmbeddingBagFromPretrainedOptions {
  TAPER_ARG(bool, freeze) = true;
  TAPER_ARG(optional<double>, max_norm) = nullopt;
  TAPER_ARG(double, norm_type) = 2.;
  TAPER_ARG(bool, scale_grad_by_freq) = false;
  TAPER_ARG(EmbeddingBagMode, mode) = kMean;
  TAPER_ARG(bool, sparse) = false;
  TAPER_ARG(bool, include_last_offset) = false;
  TAPER_ARG(optional<int64_t>, padding_idx) = nullopt;
};

namespace functional {

struct EmbeddingBagFuncOptions {
  TAPER_ARG(Tensor, offsets) = {};
  TAPER_ARG(optional<double>, max_norm) = nullopt;
  TAPER_ARG(double, norm_type) = 2.;
  TAPER_ARG(bool, scale_grad_by_freq) = false;
  TAPER_ARG(EmbeddingBagMode, mode) = kMean;
  TAPER_ARG(bool, sparse) = false;
  TAPER_ARG(Tensor, per_sample_weights) = {};
  TAPER_ARG(bool, include_last_offset) = false;
  TAPER_ARG(optional<int64_t>, padding_idx) = nullopt;
};

}  // namespace functional
}  // namespace taper::nn

#pragma GCC visibility pop
