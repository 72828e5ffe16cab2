// The loss of connectionist temporal classification. ops/nn/loss.h has the common rules of losses.
#pragma once

#include <taper/framework/core/tensor.h>
#include <taper/ops/nn/loss.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the loss of connectionist temporal classification (Graves et al., 2006): minus the
/// logarithm of the probability of all alignments of each target with its input. log_probs are (T,
/// N, C) or (T, C). targets are (N, S), or one vector of all targets. They do not contain `blank`.
/// input_lengths (N) must not exceed T. target_lengths are (N).
///
/// Mean first divides each loss by its target's length. A target without any alignment gives
/// infinity, or 0 with zero_infinity. The gradient is the derivative by log_probs. LibTorch's
/// gradient differs, but becomes equal after backward through log_softmax. Throws Error for
/// arguments that do not fit.
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths,
                IntArrayRef target_lengths, int64_t blank = 0, int64_t reduction = Reduction::Mean,
                bool zero_infinity = false);
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, int64_t blank = 0,
                int64_t reduction = Reduction::Mean, bool zero_infinity = false);

}  // namespace torch::taper

#pragma GCC visibility pop
