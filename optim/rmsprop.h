// RMSprop: steps divided by the root of a running mean of the squared gradient.
#pragma once

#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace torch::taper::optim {

/// Configures RMSprop. The formula of class RMSprop shows the meaning of each option. A number
/// converts to options with this learning rate.
struct RMSpropOptions : public OptimizerCloneableOptions<RMSpropOptions> {
  RMSpropOptions(double lr = 1e-2) : lr_(lr) {}  ///< sets the learning rate
  TAPER_ARG(double, lr) = 1e-2;                  ///< the learning rate
  TAPER_ARG(double, alpha) = 0.99;               ///< the decay of the running means
  TAPER_ARG(double, eps) = 1e-8;                 ///< keeps the divisor from 0
  TAPER_ARG(double, weight_decay) = 0;           ///< adds weight_decay * p to the gradient
  TAPER_ARG(double, momentum) = 0;               ///< the momentum factor
  TAPER_ARG(bool, centered) = false;  ///< whether to subtract the squared mean of the gradient
  TAPER_OPTIM_OPTIONS(RMSpropOptions)
};

/// Holds the running means and the momentum buffer of a parameter, with its dtype and sizes. A
/// tensor that the options do not need is undefined.
struct RMSpropParamState : public OptimizerCloneableParamState<RMSpropParamState> {
  TAPER_ARG(int64_t, step) = 0;             ///< number of steps so far
  TAPER_ARG(Tensor, square_avg);            ///< running mean of the squared gradient
  TAPER_ARG(Tensor, momentum_buffer) = {};  ///< the momentum buffer
  TAPER_ARG(Tensor, grad_avg) = {};         ///< running mean of the gradient
  TAPER_OPTIM_STATE(RMSpropParamState)
};
TAPER_OPTIM_CLONED(RMSprop);

/// Implements RMSprop (Hinton, "Neural networks for machine learning", lecture 6). The centered
/// form is from Graves, "Generating sequences with recurrent neural networks", 2013. For every
/// parameter p with gradient g:
///
///     g += weight_decay * p
///     square = alpha * square + (1 - alpha) * g^2
///     centered:  mean = alpha * mean + (1 - alpha) * g
///                d = g / (sqrt(square - mean^2) + eps)
///     else:      d = g / (sqrt(square) + eps)
///     momentum:  buffer = momentum * buffer + d
///                p -= lr * buffer
///     else:      p -= lr * d
///
/// Throws Error if an option is negative.
class RMSprop : public Optimizer {
 public:
  /// Takes parameter groups, or parameters that form one group. A group without options gets
  /// `defaults`. Throws Error if `defaults` are out of range, and throws like the constructor of
  /// Optimizer. The options of groups are not checked.
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
