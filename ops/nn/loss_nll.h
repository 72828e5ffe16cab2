// Losses over classes. loss.h has the common rules.
#pragma once

#include <taper/framework/core/tensor.h>
#include <taper/ops/nn/loss.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the negative log likelihood -weight[t] x[t]. self holds log probabilities x, [N, C] or
/// [C], for C classes. `target` holds classes t, [N] or [], of i64 or u8. Targets equal to
/// ignore_index are ignored. `weight` has one entry per class.
/// Errors: IndexError "Target 10 is out of bounds.", "expected scalar type Long but found Float",
/// "size mismatch (got input: [3, 4], target: [2])".
Tensor nll_loss(const Tensor& self, const Tensor& target, const optional<Tensor>& weight = {},
                int64_t reduction = Reduction::Mean, int64_t ignore_index = -100);
/// Computes nll_loss for images: self is [N, C, H, W], target is [N, H, W].
Tensor nll_loss2d(const Tensor& self, const Tensor& target, const optional<Tensor>& weight = {},
                  int64_t reduction = Reduction::Mean, int64_t ignore_index = -100);
/// Computes nll_loss for self of any shape [N, C, d1, ...]. target is [N, d1, ...].
/// Errors: ValueError "Expected input batch_size (3) to match target batch_size (2).".
Tensor nll_loss_nd(const Tensor& self, const Tensor& target, const optional<Tensor>& weight = {},
                   int64_t reduction = Reduction::Mean, int64_t ignore_index = -100);
/// Returns the cross entropy of scores x = self: nll_loss(log_softmax(x), target), computed in one
/// pass. x is [N, C], [C] or [N, C, d1, ...]. A floating target has x's shape and holds the
/// probability of each class. The loss is then -sum over c of weight[c] target[c]
/// log_softmax(x)[c]. label_smoothing mixes the target with the uniform distribution over the
/// classes.
/// Errors: those of nll_loss_nd, "label_smoothing must be between 0.0 and 1.0. Got: 2",
/// "ignore_index is not supported for floating point target".
Tensor cross_entropy_loss(const Tensor& self, const Tensor& target,
                          const optional<Tensor>& weight = {}, int64_t reduction = Reduction::Mean,
                          int64_t ignore_index = -100, double label_smoothing = 0.0);

}  // namespace torch::taper

#pragma GCC visibility pop
