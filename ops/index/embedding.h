// Rows of a table, selected by integer indices.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns weight[indices]. weight [V, D] is a table of V rows of D features. `indices` are int64
/// or int32 in [0, V), of any shape. The result has the shape of `indices` with D appended. Row
/// `padding_idx` gets no gradient. A padding_idx of -1 means no row. `scale_grad_by_freq` divides a
/// row's gradient by the number of its uses. `sparse` must be false, because gradients are dense.
/// Throws IndexError "index out of range in self".
Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t padding_idx = -1,
                 bool scale_grad_by_freq = false, bool sparse = false);
/// Returns the gradient of embedding's `weight`, which has `num_weights` rows, from gy, the
/// gradient of the result. Row v is the sum of the rows of gy whose index is v.
Tensor embedding_dense_backward(const Tensor& gy, const Tensor& indices, int64_t num_weights,
                                int64_t padding_idx, bool scale_grad_by_freq);
/// Scales rows of `weight` in place. Each row whose index is in `indices` and whose norm exceeds
/// `max_norm` gets the norm max_norm. There is no gradient.
Tensor& embedding_renorm_(Tensor& weight, const Tensor& indices, double max_norm,
                          double norm_type = 2);
/// Applies embedding_renorm_ to a copy of `weight`.
Tensor embedding_renorm(const Tensor& weight, const Tensor& indices, double max_norm,
                        double norm_type = 2);

}  // namespace torch::taper

#pragma GCC visibility pop
