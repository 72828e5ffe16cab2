// The loss of connectionist temporal classification (CTC). ops/nn/loss.h has the common rules of
// losses.
#pragma once

#include <taper/framework/core/tensor.h>
#include <taper/ops/nn/loss.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the loss of connectionist temporal classification (Graves et al., 2006): minus the
/// logarithm of the probability of all alignments of each target with its input. log_probs is (T,
/// N, C): T steps of N inputs, with C classes. It may also be (T, C). targets is (N, S), or one
/// vector of all targets. It must not contain `blank`. input_lengths (N) must not exceed T.
/// target_lengths is (N).
///
/// Reduction::Mean first divides each loss by the length of its target. The loss of a target
/// without an alignment is infinity, or 0 with zero_infinity. The gradient is the derivative by
/// log_probs. LibTorch's gradient of log_probs differs. After the backward of log_softmax, both are
/// equal. Throws Error if arguments do not fit.
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths,
                IntArrayRef target_lengths, int64_t blank = 0, int64_t reduction = Reduction::Mean,
                bool zero_infinity = false);
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, int64_t blank = 0,
                int64_t reduction = Reduction::Mean, bool zero_infinity = false);

}  // namespace torch::taper

#pragma GCC visibility pop
