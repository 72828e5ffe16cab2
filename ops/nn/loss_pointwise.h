// Pointwise losses: self and target broadcast. loss.h has the common rules. The comments describe
// the loss of one element: x is an element of self, and t is its target.
#pragma once

#include <taper/framework/core/tensor.h>
#include <taper/ops/nn/loss.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns (x - t)^2.
Tensor mse_loss(const Tensor& self, const Tensor& target, int64_t reduction = Reduction::Mean);
Tensor& mse_loss_out(Tensor& out, const Tensor& self, const Tensor& target,
                     int64_t reduction = Reduction::Mean);
/// Returns |x - t|.
Tensor l1_loss(const Tensor& self, const Tensor& target, int64_t reduction = Reduction::Mean);
/// Returns (x - t)^2 / (2 beta) if |x - t| < beta, else |x - t| - beta / 2. beta >= 0.
Tensor smooth_l1_loss(const Tensor& self, const Tensor& target, int64_t reduction = Reduction::Mean,
                      double beta = 1.0);
Tensor& smooth_l1_loss_out(Tensor& out, const Tensor& self, const Tensor& target,
                           int64_t reduction = Reduction::Mean, double beta = 1.0);
/// Returns (x - t)^2 / 2 if |x - t| <= delta, else delta (|x - t| - delta / 2). delta > 0.
Tensor huber_loss(const Tensor& self, const Tensor& target, int64_t reduction = Reduction::Mean,
                  double delta = 1.0);
Tensor& huber_loss_out(Tensor& out, const Tensor& self, const Tensor& target,
                       int64_t reduction = Reduction::Mean, double delta = 1.0);
/// Returns -w (t log x + (1 - t) log(1 - x)) for probabilities x. w is the element of `weight`, by
/// default 1. Logarithms below -100 count as -100. The target broadcasts to self, and dimensions of
/// size 1 are ignored for this. Throws Error "all elements of input should be between 0 and 1", and
/// ValueError if the target does not broadcast to self.
Tensor binary_cross_entropy(const Tensor& self, const Tensor& target,
                            const optional<Tensor>& weight = {},
                            int64_t reduction = Reduction::Mean);
/// Returns binary_cross_entropy of sigmoid(x), computed from x, which is more accurate. `weight`
/// and `pos_weight` (a factor of the term t log sigmoid(x)) broadcast.
/// Errors: ValueError if self and target have different sizes.
Tensor binary_cross_entropy_with_logits(const Tensor& self, const Tensor& target,
                                        const optional<Tensor>& weight = {},
                                        const optional<Tensor>& pos_weight = {},
                                        int64_t reduction = Reduction::Mean);
/// Returns t (log t - x), or 0 if t is 0. With log_target, t is a logarithm, and the result is
/// exp(t) (t - x).
Tensor kl_div(const Tensor& self, const Tensor& target, int64_t reduction = Reduction::Mean,
              bool log_target = false);
/// Returns log(1 + exp(-t x)) for targets 1 and -1.
Tensor soft_margin_loss(const Tensor& self, const Tensor& target,
                        int64_t reduction = Reduction::Mean);
/// Returns exp(x) - t x if log_input is true, else x - t log(x + eps). With `full`, adds Stirling's
/// approximation of log(t!) for t > 1.
Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input, bool full,
                        double eps, int64_t reduction);

}  // namespace torch::taper

#pragma GCC visibility pop
