// functional::embedding_bag.
#pragma once

#include <taper/nn/options/embedding_bag.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// The sum, mean or maximum (zeros for an empty bag) of the rows of weight (num_embeddings,
/// embedding_dim) in each bag of indices. The bags are the rows of `input` (B, N), or the pieces of
/// `input` (L) that begin at `offsets` (B); the result is (B, embedding_dim). per_sample_weights,
/// of the input's sizes, multiply the rows of a sum. Throws Error for other sizes and for offsets
/// that fall, IndexError for an index out of range.
Tensor embedding_bag(const Tensor& input, const Tensor& weight,
                     const EmbeddingBagFuncOptions& options = {});

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
