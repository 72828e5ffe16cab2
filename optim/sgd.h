// Stochastic gradient descent with momentum.
#pragma once

#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace torch::taper::optim {

/// The settings of SGD, whose formula shows what each does. A number converts to them: the learning
/// rate, all else by default.
struct SGDOptions : public OptimizerCloneableOptions<SGDOptions> {
  SGDOptions(double lr) : lr_(lr) {}    ///< all else by default
  TAPER_ARG(double, lr);                ///< the learning rate
  TAPER_ARG(double, momentum) = 0;      ///< of the velocity
  TAPER_ARG(double, dampening) = 0;     ///< of the gradient in the velocity
  TAPER_ARG(double, weight_decay) = 0;  ///< times the parameter, added to its gradient
  TAPER_ARG(bool, nesterov) = false;    ///< whether the step looks ahead
  TAPER_OPTIM_OPTIONS(SGDOptions)
};

/// What SGD keeps of a parameter: the velocity, from the first step with momentum on.
struct SGDParamState : public OptimizerCloneableParamState<SGDParamState> {
  TAPER_ARG(Tensor, momentum_buffer);  ///< the velocity
  TAPER_OPTIM_STATE(SGDParamState)
};
TAPER_OPTIM_CLONED(SGD);

/// For every parameter p with gradient g:
///
///     g += weight_decay * p
///     buffer = momentum * buffer + (1 - dampening) * g     (the first time: buffer = g)
///     p -= lr * (nesterov ? g + momentum * buffer : buffer)
///
/// Without momentum, p -= lr * g. Throws when lr, momentum or weight_decay is negative, or nesterov
/// is asked for without momentum or with dampening.
/// Sutskever et al., "On the importance of initialization and momentum in deep learning", 2013.
class SGD : public Optimizer {
 public:
  /// Of parameter groups, of which those without options of their own take `defaults`, or of
  /// parameters in one such group. Throws Error for `defaults` that are out of range (a group's own
  /// options are not looked at) and for parameters that Optimizer's constructor refuses.
  ///@{
  explicit SGD(std::vector<OptimizerParamGroup> param_groups, SGDOptions defaults);
  explicit SGD(std::vector<Tensor> params, SGDOptions defaults);
  ///@}
  Tensor step(LossClosure closure = nullptr) override;
  bool takes_found_inf() const override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
};

}  // namespace torch::taper::optim

#pragma GCC visibility pop
