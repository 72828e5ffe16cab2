// functional::embedding and functional::one_hot.
#pragma once

#include <taper/nn/options/embedding.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Looks up rows of weight (num_embeddings, embedding_dim) for indices (...) of an integer dtype.
/// The result is (..., embedding_dim). Throws IndexError for an index out of range.
Tensor embedding(const Tensor& input, const Tensor& weight,
                 const EmbeddingFuncOptions& options = {});
/// Returns one-hot vectors: classes (...) of kLong give (..., num_classes) of kLong. By default,
/// num_classes is the largest class + 1. Throws Error for a class out of range.
Tensor one_hot(const Tensor& tensor, int64_t num_classes = -1);

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
