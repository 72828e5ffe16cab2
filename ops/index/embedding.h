// Rows of a table by integer indices.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// weight[indices]: weight is [V, D], indices are int64 or int32 of any shape in [0, V), the result
/// has indices' shape with D appended. Row `padding_idx` (-1: none) gets no gradient;
/// `scale_grad_by_freq` divides a row's gradient by the number of times it was used. `sparse` must
/// be false: gradients are dense here. Throws IndexError "index out of range in self".
Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t padding_idx = -1,
                 bool scale_grad_by_freq = false, bool sparse = false);
/// The gradient of `weight` with `num_weights` rows: those of gy added up by index.
Tensor embedding_dense_backward(const Tensor& gy, const Tensor& indices, int64_t num_weights,
                                int64_t padding_idx, bool scale_grad_by_freq);
/// Scales each row of `weight` that `indices` names and whose norm exceeds `max_norm` to that norm,
/// in place. No gradient.
Tensor& embedding_renorm_(Tensor& weight, const Tensor& indices, double max_norm,
                          double norm_type = 2);
/// The same of a copy of `weight`.
Tensor embedding_renorm(const Tensor& weight, const Tensor& indices, double max_norm,
                        double norm_type = 2);

}  // namespace torch::taper

#pragma GCC visibility pop
