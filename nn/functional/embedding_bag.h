// functional::embedding_bag.
#pragma once

#include <taper/nn/options/embedding_bag.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Reduces each bag of indices to the sum, mean or maximum of its rows of weight (num_embeddings,
/// embedding_dim). The bags are the rows of `input` (B, N), or the slices of `input` (L) that begin
/// at `offsets` (B). The result is (B, embedding_dim), with zeros for an empty bag.
/// per_sample_weights has the sizes of `input` and multiplies the rows of a sum. Throws Error for
/// other sizes and for decreasing offsets. Throws IndexError for an index out of range.
Tensor embedding_bag(const Tensor& input, const Tensor& weight,
                     const EmbeddingBagFuncOptions& options = {});

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
