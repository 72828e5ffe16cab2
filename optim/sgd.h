// Stochastic gradient descent with momentum.
#pragma once

#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace taper::optim {

struct SGDOptions : public OptimizerCloneableOptions<SGDOptions> {
  SGDOptions(double lr) : lr_(lr) {}
  TAPER_ARG(double, lr);
  TAPER_ARG(double, momentum) = 0;
  TAPER_ARG(double, dampening) = 0;
  TAPER_ARG(double, weight_decay) = 0;
  TAPER_ARG(bool, nesterov) = false;
  TAPER_OPTIM_OPTIONS(SGDOptions)
};

struct SGDParamState : public OptimizerCloneableParamState<SGDParamState> {
  TAPER_ARG(Tensor, momentum_buffer);
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
  explicit SGD(std::vector<OptimizerParamGroup> param_groups, SGDOptions defaults);
  explicit SGD(std::vector<Tensor> params, SGDOptions defaults);
  Tensor step(LossClosure closure = nullptr) override;
  bool takes_found_inf() const override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
};

}  // namespace taper::optim

#pragma GCC visibility pop
