// Loss functions of floating tensors. Each has a loss for every element (or sample), and a
// reduction: kNone returns them all, kMean (the default) their mean and kSum their sum, of no
// dimensions. Where nothing else is said, input x and target y have any sizes that broadcast to
// each other, there is a loss for every element of what they broadcast to, and Error is thrown for
// sizes that do not fit.
#pragma once

#include <taper/nn/options/loss.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// |x - y|
Tensor l1_loss(const Tensor& input, const Tensor& target, const L1LossFuncOptions& options = {});
/// (x - y)^2
Tensor mse_loss(const Tensor& input, const Tensor& target, const MSELossFuncOptions& options = {});
/// (x - y)^2 / (2 beta) where |x - y| < beta, else |x - y| - beta / 2. Throws Error for a negative
/// beta.
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                      const SmoothL1LossFuncOptions& options = {});
/// The same with another beta than the options'.
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                      const SmoothL1LossFuncOptions& options, double beta);
/// (x - y)^2 / 2 where |x - y| <= delta, else delta * (|x - y| - delta / 2). Throws Error unless
/// delta is positive.
Tensor huber_loss(const Tensor& input, const Tensor& target,
                  const HuberLossFuncOptions& options = {});
/// -w * (y log x + (1 - y) log(1 - x)); input and target of the same sizes, in [0, 1]; a weight
/// that broadcasts to them. Throws Error for other sizes and for an input outside of [0, 1].
Tensor binary_cross_entropy(const Tensor& input, const Tensor& target,
                            const BinaryCrossEntropyFuncOptions& options = {});
/// The same of sigmoid(x), computed safely, for any x; pos_weight, which broadcasts to the input,
/// multiplies the losses of positive targets.
Tensor binary_cross_entropy_with_logits(
    const Tensor& input, const Tensor& target,
    const BinaryCrossEntropyWithLogitsFuncOptions& options = {});
/// y * (log y - x), or exp(y) * (y - x) with log_target; x are log-probabilities. kBatchMean is the
/// sum divided by the size of the input's first dimension.
Tensor kl_div(const Tensor& input, const Tensor& target, const KLDivFuncOptions& options = {});
/// -weight[y] * x[n, y, ...]: log-probabilities (N, C, ...), classes (N, ...) of kLong, a weight
/// (C); losses (N, ...). The mean is weighted; targets equal to ignore_index do not count. Throws
/// Error for fewer than 2 dimensions or another N, IndexError for a class that is not in [0, C).
Tensor nll_loss(const Tensor& input, const Tensor& target, const NLLLossFuncOptions& options = {});
/// nll_loss of log_softmax(x) for x (N, C, ...), or (C) without a batch. The target holds classes
/// (N, ...) of kLong, or probabilities (N, C, ...). label_smoothing, in [0, 1], is the part of
/// every target that is spread over all classes.
Tensor cross_entropy(const Tensor& input, const Tensor& target,
                     const CrossEntropyFuncOptions& options = {});

/// log(1 + exp(-y x)) for targets y of 1 and -1
Tensor soft_margin_loss(const Tensor& input, const Tensor& target,
                        const SoftMarginLossFuncOptions& options = {});
/// Binary cross entropy with logits, weighted by class (C) and averaged over the last dimension:
/// input and target (N, C), losses (N).
Tensor multilabel_soft_margin_loss(const Tensor& input, const Tensor& target,
                                   const MultilabelSoftMarginLossFuncOptions& options = {});
/// x where y = 1, max(0, margin - x) where y = -1
Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target,
                            const HingeEmbeddingLossFuncOptions& options = {});
/// max(0, -y (x1 - x2) + margin). Throws Error unless all have the same number of dimensions.
Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           const MarginRankingLossFuncOptions& options = {});
/// 1 - c where y = 1, max(0, c - margin) where y = -1; c is the cosine of the rows of x1 and x2
/// (N, D) or (D); the target is (N) or of no dimensions.
Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                             const CosineEmbeddingLossFuncOptions& options = {});
/// max(0, |a - p| - |a - n| + margin), the distances along the last dimension: (N, D) gives losses
/// (N). With `swap` the smaller of |a - n| and |p - n| counts.
Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           const TripletMarginLossFuncOptions& options = {});
/// The same with a distance of the caller's.
Tensor triplet_margin_with_distance_loss(
    const Tensor& anchor, const Tensor& positive, const Tensor& negative,
    const TripletMarginWithDistanceLossFuncOptions& options = {});
/// The sum over c != y of w[y] max(0, margin - x[y] + x[c])^p / C: scores (N, C) or (C), classes
/// (N) or of no dimensions, losses (N). Throws Error for a p that is not 1 or 2.
Tensor multi_margin_loss(const Tensor& input, const Tensor& target,
                         const MultiMarginLossFuncOptions& options = {});
/// The sum of max(0, 1 - x[y] + x[c]) / C over the target's classes y, which end at the first -1,
/// and all other classes c: input and target (N, C) or (C), losses (N).
Tensor multilabel_margin_loss(const Tensor& input, const Tensor& target,
                              const MultilabelMarginLossFuncOptions& options = {});
/// Connectionist temporal classification: log_probs (T, N, C), targets (N, S) or one after the
/// other in a vector, lengths (N); losses (N). Throws Error for what does not fit.
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, const CTCLossFuncOptions& options = {});
/// exp(x) - y x, or x - y log(x + eps) without log_input; `full` adds Stirling's term.
Tensor poisson_nll_loss(const Tensor& input, const Tensor& target,
                        const PoissonNLLLossFuncOptions& options = {});

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
