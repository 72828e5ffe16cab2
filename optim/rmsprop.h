// RMSprop: steps scaled by the root of a running mean of the squared gradient.
#pragma once

#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace torch::taper::optim {

/// The settings of RMSprop, whose formula shows what each does. A number converts to them: the
/// learning rate, all else by default.
struct RMSpropOptions : public OptimizerCloneableOptions<RMSpropOptions> {
  RMSpropOptions(double lr = 1e-2) : lr_(lr) {}  ///< all else by default
  TAPER_ARG(double, lr) = 1e-2;                  ///< the learning rate
  TAPER_ARG(double, alpha) = 0.99;               ///< of the running means
  TAPER_ARG(double, eps) = 1e-8;                 ///< keeps divisors from 0
  TAPER_ARG(double, weight_decay) = 0;           ///< times the parameter, added to its gradient
  TAPER_ARG(double, momentum) = 0;               ///< of the velocity
  TAPER_ARG(bool, centered) = false;             ///< whether the mean is taken off
  TAPER_OPTIM_OPTIONS(RMSpropOptions)
};

/// What RMSprop keeps of a parameter: running means and the velocity, of its dtype and sizes
/// (undefined where options do not ask for them).
struct RMSpropParamState : public OptimizerCloneableParamState<RMSpropParamState> {
  TAPER_ARG(int64_t, step) = 0;             ///< how many steps were made
  TAPER_ARG(Tensor, square_avg);            ///< running mean of the squared gradient
  TAPER_ARG(Tensor, momentum_buffer) = {};  ///< the velocity
  TAPER_ARG(Tensor, grad_avg) = {};         ///< running mean of the gradient
  TAPER_OPTIM_STATE(RMSpropParamState)
};
TAPER_OPTIM_CLONED(RMSprop);

/// For every parameter p with gradient g:
///
///     g += weight_decay * p;   square = alpha * square + (1 - alpha) * g^2
///     centered: mean = alpha * mean + (1 - alpha) * g;   square is then square - mean^2 below
///     d = g / (sqrt(square) + eps)
///     momentum: buffer = momentum * buffer + d;   p -= lr * buffer;   else p -= lr * d
///
/// Throws when one of the options is negative.
/// Hinton, "Neural networks for machine learning", lecture 6; centered: Graves, "Generating
/// sequences with recurrent neural networks", 2013.
class RMSprop : public Optimizer {
 public:
  /// Of parameter groups, of which those without options of their own take `defaults`, or of
  /// parameters in one such group. Throws Error for `defaults` that are out of range (a group's own
  /// options are not looked at) and for parameters that Optimizer's constructor refuses.
  ///@{
  explicit RMSprop(std::vector<OptimizerParamGroup> param_groups, RMSpropOptions defaults = {});
  explicit RMSprop(std::vector<Tensor> params, RMSpropOptions defaults = {});
  ///@}
  Tensor step(LossClosure closure = nullptr) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
};

}  // namespace torch::taper::optim

#pragma GCC visibility pop
