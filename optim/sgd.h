// SGD: stochastic gradient descent with momentum.
#pragma once

#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace torch::taper::optim {

/// Configures SGD. The formula of class SGD shows the meaning of each option. A number converts to
/// options with this learning rate.
struct SGDOptions : public OptimizerCloneableOptions<SGDOptions> {
  SGDOptions(double lr) : lr_(lr) {}    ///< sets the learning rate
  TAPER_ARG(double, lr);                ///< the learning rate
  TAPER_ARG(double, momentum) = 0;      ///< the momentum factor
  TAPER_ARG(double, dampening) = 0;     ///< the dampening of the gradient
  TAPER_ARG(double, weight_decay) = 0;  ///< adds weight_decay * p to the gradient
  TAPER_ARG(bool, nesterov) = false;    ///< whether to use Nesterov momentum
  TAPER_OPTIM_OPTIONS(SGDOptions)
};

/// Holds the momentum buffer of a parameter. The buffer is undefined before the first step with
/// momentum.
struct SGDParamState : public OptimizerCloneableParamState<SGDParamState> {
  TAPER_ARG(Tensor, momentum_buffer);  ///< the momentum buffer
  TAPER_OPTIM_STATE(SGDParamState)
};
TAPER_OPTIM_CLONED(SGD);

/// Implements SGD with momentum (Sutskever et al., "On the importance of initialization and
/// momentum in deep learning", 2013). For every parameter p with gradient g:
///
///     g += weight_decay * p
///     buffer = momentum * buffer + (1 - dampening) * g     (in the first step: buffer = g)
///     p -= lr * (nesterov ? g + momentum * buffer : buffer)
///
/// Without momentum, p -= lr * g. Throws Error if lr, momentum or weight_decay is negative. Throws
/// Error for nesterov without momentum or with dampening.
///
///     optim::SGD optimizer(model->parameters(), optim::SGDOptions(0.1).momentum(0.9));
///     loss.backward();
///     optimizer.step();
class SGD : public Optimizer {
 public:
  /// Takes parameter groups, or parameters that form one group. A group without options gets
  /// `defaults`. Throws Error if `defaults` are out of range, and throws like the constructor of
  /// Optimizer. The options of groups are not checked.
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
