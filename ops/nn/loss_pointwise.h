// Losses of elements: self and target broadcast. The common rules are in loss.h.
#pragma once

#include <taper/framework/core/tensor.h>
#include <taper/ops/nn/loss.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// (x - t)^2
Tensor mse_loss(const Tensor& self, const Tensor& target, int64_t reduction = Reduction::Mean);
Tensor& mse_loss_out(Tensor& out, const Tensor& self, const Tensor& target,
                     int64_t reduction = Reduction::Mean);
/// |x - t|
Tensor l1_loss(const Tensor& self, const Tensor& target, int64_t reduction = Reduction::Mean);
/// (x - t)^2 / (2 beta) where |x - t| < beta, else |x - t| - beta / 2. beta >= 0.
Tensor smooth_l1_loss(const Tensor& self, const Tensor& target, int64_t reduction = Reduction::Mean,
                      double beta = 1.0);
Tensor& smooth_l1_loss_out(Tensor& out, const Tensor& self, const Tensor& target,
                           int64_t reduction = Reduction::Mean, double beta = 1.0);
/// (x - t)^2 / 2 where |x - t| <= delta, else delta (|x - t| - delta / 2). delta > 0.
Tensor huber_loss(const Tensor& self, const Tensor& target, int64_t reduction = Reduction::Mean,
                  double delta = 1.0);
Tensor& huber_loss_out(Tensor& out, const Tensor& self, const Tensor& target,
                       int64_t reduction = Reduction::Mean, double delta = 1.0);
/// -w (t log x + (1 - t) log(1 - x)) for probabilities x; logarithms are at least -100.
/// The target is broadcast to x, dimensions of size 1 left out of account. Throws Error "all
/// elements of input should be between 0 and 1", ValueError for a target that does not fit.
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

}  // namespace torch::taper

#pragma GCC visibility pop
