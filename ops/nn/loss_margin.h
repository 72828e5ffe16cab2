// Losses with margins. loss.h has the common rules. The comments describe the loss of one element
// or sample: x is from self, and t is its target.
#pragma once

#include <taper/framework/core/tensor.h>
#include <taper/ops/nn/loss.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns x for t = 1, and max(0, margin - x) for t = -1.
Tensor hinge_embedding_loss(const Tensor& self, const Tensor& target, double margin = 1.0,
                            int64_t reduction = Reduction::Mean);
/// Returns max(0, -t (x1 - x2) + margin). x1 and x2 are from input1 and input2.
Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           double margin = 0.0, int64_t reduction = Reduction::Mean);
/// Returns 1 - c for t = 1, and max(0, c - margin) for t = -1. c is the cosine of a row of input1
/// and the same row of input2.
Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                             double margin = 0.0, int64_t reduction = Reduction::Mean);
/// Returns max(0, d(anchor, positive) - d(anchor, negative) + margin). d is pairwise_distance with
/// `p` and `eps`. With `swap`, d(positive, negative) replaces d(anchor, negative) if it is smaller.
Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           double margin = 1.0, double p = 2.0, double eps = 1e-06,
                           bool swap = false, int64_t reduction = Reduction::Mean);
/// Takes scores (N, C) or (C) of N samples for C classes, and a class t per sample. Returns the sum
/// over c != t of weight[t] max(0, margin - x[t] + x[c])^p, divided by C. p is 1 or 2. The default
/// of weight[t] is 1.
Tensor multi_margin_loss(const Tensor& self, const Tensor& target, const Scalar& p = 1,
                         const Scalar& margin = 1, const optional<Tensor>& weight = {},
                         int64_t reduction = Reduction::Mean);
/// Takes scores (N, C) or (C) and targets of the same sizes. A row of targets holds classes up to
/// its first -1. Returns the sum of max(0, 1 - x[t] + x[c]), divided by C. The sum is over all
/// targets t of the row and all classes c that are not targets of the row.
Tensor multilabel_margin_loss(const Tensor& self, const Tensor& target,
                              int64_t reduction = Reduction::Mean);

}  // namespace torch::taper

#pragma GCC visibility pop
