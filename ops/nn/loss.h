// Losses. Common to all: `reduction` is one of Reduction::None (one value per element or sample),
// Mean (the default) or Sum. Mean divides by the number of elements; where there are class weights,
// by the sum of the weights of the targets. The mean of nothing is NaN.
#pragma once

#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper {

namespace Reduction {
enum Reduction { None, Mean, Sum, END };
}  // namespace Reduction

// ---------------------------------------------------------------- classes (loss_nll.cpp)

/// Negative log likelihood: -w[t] x[t] for log probabilities x of shape [N, C] or [C] and targets t
/// of shape [N] or [], i64 or u8. Targets equal to ignore_index count for nothing. `weight` has one
/// entry per class. Errors: IndexError "Target 10 is out of bounds."; "expected scalar type Long
/// but found Float"; "size mismatch (got input: [3, 4], target: [2])".
Tensor nll_loss(const Tensor& self, const Tensor& target, const optional<Tensor>& weight = {},
                int64_t reduction = Reduction::Mean, int64_t ignore_index = -100);
/// The same for images: [N, C, H, W] and [N, H, W].
Tensor nll_loss2d(const Tensor& self, const Tensor& target, const optional<Tensor>& weight = {},
                  int64_t reduction = Reduction::Mean, int64_t ignore_index = -100);
/// The same for any shape [N, C, d1, ...] and [N, d1, ...].
/// Errors: ValueError "Expected input batch_size (3) to match target batch_size (2).".
Tensor nll_loss_nd(const Tensor& self, const Tensor& target, const optional<Tensor>& weight = {},
                   int64_t reduction = Reduction::Mean, int64_t ignore_index = -100);

/// Cross entropy of scores x, [N, C], [C] or [N, C, d1, ...]: nll_loss(log_softmax(x), target), in
/// one pass. A floating target of x's shape gives the probability of each class:
/// -sum_c w[c] target[c] log_softmax(x)[c]. label_smoothing mixes the target with the uniform
/// distribution over the classes. Errors: as nll_loss_nd; "label_smoothing must be between 0.0 and
/// 1.0. Got: 2"; "ignore_index is not supported for floating point target".
Tensor cross_entropy_loss(const Tensor& self, const Tensor& target,
                          const optional<Tensor>& weight = {}, int64_t reduction = Reduction::Mean,
                          int64_t ignore_index = -100, double label_smoothing = 0.0);

// ---------------------------------------------------------------- element by element
// (loss_pointwise.cpp) self and target broadcast.

/// (x - t)^2
Tensor mse_loss(const Tensor& self, const Tensor& target, int64_t reduction = Reduction::Mean);
/// |x - t|
Tensor l1_loss(const Tensor& self, const Tensor& target, int64_t reduction = Reduction::Mean);
/// (x - t)^2 / (2 beta) where |x - t| < beta, else |x - t| - beta / 2. beta >= 0.
Tensor smooth_l1_loss(const Tensor& self, const Tensor& target, int64_t reduction = Reduction::Mean,
                      double beta = 1.0);
/// (x - t)^2 / 2 where |x - t| <= delta, else delta (|x - t| - delta / 2). delta > 0.
Tensor huber_loss(const Tensor& self, const Tensor& target, int64_t reduction = Reduction::Mean,
                  double delta = 1.0);
/// -w (t log x + (1 - t) log(1 - x)) for probabilities x; logarithms are at least -100.
/// Errors: "all elements of input should be between 0 and 1"; ValueError for different sizes.
Tensor binary_cross_entropy(const Tensor& self, const Tensor& target,
                            const optional<Tensor>& weight = {},
                            int64_t reduction = Reduction::Mean);
/// The same for scores: x is taken through a sigmoid, without its loss of precision. `weight` and
/// `pos_weight` (the weight of the positive term) broadcast. Errors: ValueError for different
/// sizes.
Tensor binary_cross_entropy_with_logits(const Tensor& self, const Tensor& target,
                                        const optional<Tensor>& weight = {},
                                        const optional<Tensor>& pos_weight = {},
                                        int64_t reduction = Reduction::Mean);
/// t (log t - x), 0 where t is; with log_target e^t (t - x).
Tensor kl_div(const Tensor& self, const Tensor& target, int64_t reduction = Reduction::Mean,
              bool log_target = false);
/// log(1 + exp(-t x)) for targets 1 and -1.
Tensor soft_margin_loss(const Tensor& self, const Tensor& target,
                        int64_t reduction = Reduction::Mean);
/// exp(x) - t x, without log_input x - t log(x + eps); `full` adds Stirling's term for t > 1.
Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input, bool full,
                        double eps, int64_t reduction);

// ---------------------------------------------------------------- sequences (loss_ctc.cpp)

/// Connectionist temporal classification (Graves et al., 2006): minus the logarithm of the
/// probability of all alignments of each target with its input. log_probs (T, N, C) or (T, C);
/// targets (N, S), or one after the other in a vector, without `blank`; input_lengths (N) up to T,
/// target_lengths (N). Mean divides each loss by its target's length first. An impossible alignment
/// is infinite, or 0 with zero_infinity. The gradient is that of log_probs as they are; LibTorch's
/// is the same after log_softmax. Throws Error for what does not fit.
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths,
                IntArrayRef target_lengths, int64_t blank = 0, int64_t reduction = Reduction::Mean,
                bool zero_infinity = false);
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, int64_t blank = 0,
                int64_t reduction = Reduction::Mean, bool zero_infinity = false);

// ---------------------------------------------------------------- margins (loss_margin.cpp)

/// x where t = 1, max(0, margin - x) where t = -1.
Tensor hinge_embedding_loss(const Tensor& self, const Tensor& target, double margin = 1.0,
                            int64_t reduction = Reduction::Mean);
/// max(0, -t (x1 - x2) + margin).
Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           double margin = 0.0, int64_t reduction = Reduction::Mean);
/// With c the cosine of x1 and x2 (rows): 1 - c where t = 1, max(0, c - margin) where t = -1.
Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                             double margin = 0.0, int64_t reduction = Reduction::Mean);
/// max(0, |a - p| - |a - n| + margin) with the p-norm of the last dimension; `swap` takes |p - n|
/// where that is smaller than |a - n|.
Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           double margin = 1.0, double p = 2.0, double eps = 1e-06,
                           bool swap = false, int64_t reduction = Reduction::Mean);
/// For scores x (N, C) or (C) and classes t: the sum over c != t of w[t] max(0, margin - x[t] +
/// x[c])^p, divided by C; p is 1 or 2, `weight` has one entry for each class.
Tensor multi_margin_loss(const Tensor& self, const Tensor& target, const Scalar& p = 1,
                         const Scalar& margin = 1, const optional<Tensor>& weight = {},
                         int64_t reduction = Reduction::Mean);
/// For scores x (N, C) or (C) and targets of the same sizes, classes up to the first -1: the sum of
/// max(0, 1 - x[t] + x[c]) over all targets t and all other classes c, divided by C.
Tensor multilabel_margin_loss(const Tensor& self, const Tensor& target,
                              int64_t reduction = Reduction::Mean);
/// x1 . x2 / (max(|x1|, eps) max(|x2|, eps)) along `dim`.
Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim = 1, double eps = 1e-08);
/// The p-norm of x1 - x2 + eps along the last dimension.
Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p = 2.0, double eps = 1e-06,
                         bool keepdim = false);

}  // namespace taper

#pragma GCC visibility pop
