// The loss of connectionist temporal classification. The common rules of losses are in
// ops/nn/loss.h.
#pragma once

#include <taper/framework/core/tensor.h>
#include <taper/ops/nn/loss.h>

#pragma GCC visibility push(default)

namespace torch::taper {

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

}  // namespace torch::taper

#pragma GCC visibility pop
