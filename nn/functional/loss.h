// Loss functions of floating tensors.
//
// Each function computes a loss for every element, or for every sample. The reduction kNone returns
// these losses. kMean (the default) returns their mean, and kSum their sum. Mean and sum are
// tensors without dimensions. Unless a comment says otherwise, input x and target y broadcast, and
// there is a loss for each pair of elements. The functions throw Error for other sizes.
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
/// Returns -w * (y log x + (1 - y) log(1 - x)). Input and target have equal sizes, and values in
/// [0, 1]. The weight w broadcasts to these sizes. Throws Error for other sizes and for an input
/// outside [0, 1].
Tensor binary_cross_entropy(const Tensor& input, const Tensor& target,
                            const BinaryCrossEntropyFuncOptions& options = {});
/// Returns the binary cross entropy of sigmoid(x) in a numerically stable way. x may have any
/// values. Input and target have equal sizes. pos_weight broadcasts to the input and multiplies the
/// losses of positive targets.
Tensor binary_cross_entropy_with_logits(
    const Tensor& input, const Tensor& target,
    const BinaryCrossEntropyWithLogitsFuncOptions& options = {});
/// Returns y * (log y - x) for log-probabilities x, or exp(y) * (y - x) with log_target. The
/// reduction kBatchMean divides the sum by the size of the first dimension.
Tensor kl_div(const Tensor& input, const Tensor& target, const KLDivFuncOptions& options = {});
/// Returns -weight[y] * x[n, y, ...] for log-probabilities x (N, C, ...) of C classes, and targets
/// y (N, ...), which are classes of kLong. The weight is (C), and the losses are (N, ...). kMean
/// divides their sum by the sum of weight[y]. Targets equal to ignore_index are ignored. Throws
/// Error if x has fewer than 2 dimensions, or if the batch sizes N differ. Throws IndexError for a
/// class outside [0, C).
Tensor nll_loss(const Tensor& input, const Tensor& target, const NLLLossFuncOptions& options = {});
/// Returns nll_loss of log_softmax(x) for x (N, C, ...), or (C) without a batch. The target holds
/// classes (N, ...) of kLong, or probabilities (N, C, ...). label_smoothing, between 0 and 1, is
/// the share of each target that is distributed equally over all classes.
Tensor cross_entropy(const Tensor& input, const Tensor& target,
                     const CrossEntropyFuncOptions& options = {});

/// Returns log(1 + exp(-y x)) for targets y of 1 and -1.
Tensor soft_margin_loss(const Tensor& input, const Tensor& target,
                        const SoftMarginLossFuncOptions& options = {});
/// Returns binary_cross_entropy_with_logits, multiplied by the weight (C) and averaged over the C
/// classes. Input and target are (N, C), and the losses are (N).
Tensor multilabel_soft_margin_loss(const Tensor& input, const Tensor& target,
                                   const MultilabelSoftMarginLossFuncOptions& options = {});
/// Returns x if y = 1, and max(0, margin - x) if y = -1.
Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target,
                            const HingeEmbeddingLossFuncOptions& options = {});
/// Returns max(0, -y (x1 - x2) + margin). Throws Error unless all tensors have the same number of
/// dimensions.
Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           const MarginRankingLossFuncOptions& options = {});
/// Returns 1 - c if y = 1, and max(0, c - margin) if y = -1, for c = cosine_similarity(x1, x2)
/// along the last dimension. x1 and x2 are (N, D) or (D). The target y is (N), or has no
/// dimensions.
Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                             const CosineEmbeddingLossFuncOptions& options = {});
/// Returns max(0, |a - p| - |a - n| + margin) for an anchor a, a positive p and a negative n. |a -
/// p| is a distance along the last dimension. Inputs (N, D) give losses (N). With `swap`, min(|a -
/// n|, |p - n|) replaces |a - n|.
Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           const TripletMarginLossFuncOptions& options = {});
/// Returns triplet_margin_loss, but with the option distance_function for the distances.
Tensor triplet_margin_with_distance_loss(
    const Tensor& anchor, const Tensor& positive, const Tensor& negative,
    const TripletMarginWithDistanceLossFuncOptions& options = {});
/// Returns the sum, over all classes c other than y, of w[y] * max(0, margin - x[y] + x[c])^p / C.
/// The input x has scores (N, C) or (C) of C classes. The targets y and the losses are (N), or have
/// no dimensions. Throws Error unless p is 1 or 2.
Tensor multi_margin_loss(const Tensor& input, const Tensor& target,
                         const MultiMarginLossFuncOptions& options = {});
/// Returns the sum of max(0, 1 - x[y] + x[c]) / C over all classes y in the target and all classes
/// c not in the target. A target lists classes, and ends at the first -1. Input and target are (N,
/// C) or (C). The losses are (N), or have no dimensions.
Tensor multilabel_margin_loss(const Tensor& input, const Tensor& target,
                              const MultilabelMarginLossFuncOptions& options = {});
/// Returns the connectionist temporal classification loss. log_probs is (T, N, C) for T steps, N
/// sequences and C classes. The lengths and the losses are (N). targets is (N, S), or one vector
/// with the targets of all sequences. Throws Error for other sizes.
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, const CTCLossFuncOptions& options = {});
/// Returns exp(x) - y * x, or x - y * log(x + eps) if log_input is false. With `full`, adds
/// Stirling's approximation of log(y!) for each y > 1: y * log(y) - y + log(2 * pi * y) / 2.
Tensor poisson_nll_loss(const Tensor& input, const Tensor& target,
                        const PoissonNLLLossFuncOptions& options = {});

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
