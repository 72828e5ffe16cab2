// functional::embedding_bag.
#pragma once

#include <taper/nn/options/embedding_bag.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Looks up rows of weight (num_embeddings, embedding_dim), and reduces the rows of each bag to
/// their sum, mean or maximum. A bag is a row of `input` (B, N), or a slice of `input` (L). Slice i
/// begins at offsets[i], and `offsets` is (B). The result is (B, embedding_dim), with zeros for an
/// empty bag. If the reduction is a sum, per_sample_weights may be given. It has the sizes of
/// `input`, and its elements multiply the rows. Throws Error for other sizes and for decreasing
/// offsets. Throws IndexError for an index out of range.
Tensor embedding_bag(const Tensor& input, const Tensor& weight,
                     const EmbeddingBagFuncOptions& options = {});

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
