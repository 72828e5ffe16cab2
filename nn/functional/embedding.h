// functional::embedding and functional::one_hot.
#pragma once

#include <taper/nn/options/embedding.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Rows of weight (num_embeddings, embedding_dim) for indices (...) of an integer dtype: the result
/// is (..., embedding_dim). Throws IndexError for an index out of range.
Tensor embedding(const Tensor& input, const Tensor& weight,
                 const EmbeddingFuncOptions& options = {});
/// Vectors of num_classes (default: the largest class + 1) zeros with a one at the class: classes
/// (...) of kLong give (..., num_classes) of kLong. Throws Error for a class out of range.
Tensor one_hot(const Tensor& tensor, int64_t num_classes = -1);

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
