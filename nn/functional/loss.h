// Loss functions of floating tensors.
//
// Each function computes a loss for every element, or for every sample. The reduction kNone returns
// these losses. kMean (the default) returns their mean, and kSum their sum. Mean and sum have no
// dimensions. Unless a comment says otherwise, input x and target y broadcast, and each element of
// the broadcast sizes has a loss. The functions throw Error for other sizes.
#pragma once

#include <taper/nn/options/loss.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Returns the absolute error |x - y|.
Tensor l1_loss(const Tensor& input, const Tensor& target, const L1LossFuncOptions& options = {});
/// Returns the squared error (x - y)^2.
Tensor mse_loss(const Tensor& input, const Tensor& target, const MSELossFuncOptions& options = {});
/// Returns (x - y)^2 / (2 beta) if |x - y| < beta, else |x - y| - beta / 2. Throws Error for a
/// negative beta.
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                      const SmoothL1LossFuncOptions& options = {});
/// Returns the smooth L1 loss with `beta` instead of the beta of the options.
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                      const SmoothL1LossFuncOptions& options, double beta);
/// Returns (x - y)^2 / 2 if |x - y| <= delta, else delta * (|x - y| - delta / 2). Throws Error
/// unless delta is positive.
Tensor huber_loss(const Tensor& input, const Tensor& target,
                  const HuberLossFuncOptions& options = {});
/// Returns -w * (y log x + (1 - y) log(1 - x)). Input and target have equal sizes and lie in [0,
/// 1]. The weight w broadcasts to these sizes. Throws Error for other sizes and for an input
/// outside [0, 1].
Tensor binary_cross_entropy(const Tensor& input, const Tensor& target,
                            const BinaryCrossEntropyFuncOptions& options = {});
/// Returns the binary cross entropy of sigmoid(x) for any x, in a numerically stable form. Input
/// and target have equal sizes. pos_weight broadcasts to the input and multiplies the losses of
/// positive targets.
Tensor binary_cross_entropy_with_logits(
    const Tensor& input, const Tensor& target,
    const BinaryCrossEntropyWithLogitsFuncOptions& options = {});
/// Returns y * (log y - x) for log-probabilities x, or exp(y) * (y - x) with log_target. kBatchMean
/// divides the sum by the size of the first dimension.
Tensor kl_div(const Tensor& input, const Tensor& target, const KLDivFuncOptions& options = {});
/// Returns -weight[y] * x[n, y, ...] for log-probabilities x (N, C, ...) and classes y (N, ...) of
/// kLong. The weight is (C), and the losses are (N, ...). The mean divides by the sum of the
/// targets' weights. Targets equal to ignore_index are ignored. Throws Error for fewer than 2
/// dimensions, and if N differs. Throws IndexError for a class outside [0, C).
Tensor nll_loss(const Tensor& input, const Tensor& target, const NLLLossFuncOptions& options = {});
/// Returns nll_loss of log_softmax(x) for x (N, C, ...), or (C) without a batch. The target holds
/// classes (N, ...) of kLong, or probabilities (N, C, ...). label_smoothing is between 0 and 1.
/// This share of every target is distributed over all classes.
Tensor cross_entropy(const Tensor& input, const Tensor& target,
                     const CrossEntropyFuncOptions& options = {});

/// Returns log(1 + exp(-y x)) for targets y of 1 and -1.
Tensor soft_margin_loss(const Tensor& input, const Tensor& target,
                        const SoftMarginLossFuncOptions& options = {});
/// Returns the binary cross entropy with logits, weighted by class (C) and averaged over the last
/// dimension. Input and target are (N, C), and the losses are (N).
Tensor multilabel_soft_margin_loss(const Tensor& input, const Tensor& target,
                                   const MultilabelSoftMarginLossFuncOptions& options = {});
/// Returns x if y = 1, and max(0, margin - x) if y = -1.
Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target,
                            const HingeEmbeddingLossFuncOptions& options = {});
/// Returns max(0, -y (x1 - x2) + margin). Throws Error unless all tensors have the same number of
/// dimensions.
Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           const MarginRankingLossFuncOptions& options = {});
/// Returns 1 - c if y = 1, and max(0, c - margin) if y = -1. Here c is the cosine of the rows of x1
/// and x2, (N, D) or (D). The target is (N) or has no dimensions.
Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                             const CosineEmbeddingLossFuncOptions& options = {});
/// Returns max(0, |a - p| - |a - n| + margin), with distances along the last dimension. (N, D)
/// gives losses (N). With `swap`, the smaller one of |a - n| and |p - n| replaces |a - n|.
Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           const TripletMarginLossFuncOptions& options = {});
/// Returns the triplet margin loss with the distance function of the options.
Tensor triplet_margin_with_distance_loss(
    const Tensor& anchor, const Tensor& positive, const Tensor& negative,
    const TripletMarginWithDistanceLossFuncOptions& options = {});
/// Returns the sum over c != y of w[y] max(0, margin - x[y] + x[c])^p / C. Scores are (N, C) or
/// (C). Classes and losses are (N), or have no dimensions. Throws Error unless p is 1 or 2.
Tensor multi_margin_loss(const Tensor& input, const Tensor& target,
                         const MultiMarginLossFuncOptions& options = {});
/// Returns the sum of max(0, 1 - x[y] + x[c]) / C over the classes y of the target and all other
/// classes c. The classes of a target end at the first -1. Input and target are (N, C) or (C). The
/// losses are (N), or have no dimensions.
Tensor multilabel_margin_loss(const Tensor& input, const Tensor& target,
                              const MultilabelMarginLossFuncOptions& options = {});
/// Returns the connectionist temporal classification loss. log_probs is (T, N, C). Lengths and
/// losses are (N). targets is (N, S), or a vector of all targets. Throws Error for other sizes.
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, const CTCLossFuncOptions& options = {});
/// Returns exp(x) - y x, or x - y log(x + eps) without log_input. `full` adds Stirling's term.
Tensor poisson_nll_loss(const Tensor& input, const Tensor& target,
                        const PoissonNLLLossFuncOptions& options = {});

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
