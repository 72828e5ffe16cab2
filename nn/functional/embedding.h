// functional::embedding and functional::one_hot.
#pragma once

#include <taper/nn/options/embedding.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Returns the rows of weight (num_embeddings, embedding_dim) whose indices are in `input` (...).
/// `input` has an integer dtype. The result is (..., embedding_dim). Throws IndexError for an index
/// out of range.
Tensor embedding(const Tensor& input, const Tensor& weight,
                 const EmbeddingFuncOptions& options = {});
/// Returns one-hot vectors. Classes (...) of kLong give a result (..., num_classes) of kLong. If
/// num_classes is -1, it is the largest class + 1. Throws Error for a class out of range.
Tensor one_hot(const Tensor& tensor, int64_t num_classes = -1);

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
