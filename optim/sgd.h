// Stochastic gradient descent with momentum.
#pragma once

#include <taper/optim/optimizer.h>

namespace taper::optim {

struct SGDOptions : public OptimizerCloneableOptions<SGDOptions> {
  SGDOptions(double lr) : lr_(lr) {}
  TAPER_ARG(double, lr);
  TAPER_ARG(double, momentum) = 0;
  TAPER_ARG(double, dampening) = 0;
  TAPER_ARG(double, weight_decay) = 0;
  TAPER_ARG(bool, nesterov) = false;

 public:
  void serialize(serialize::InputArchive& archive) override;
  void serialize(serialize::OutputArchive& archive) const override;
  friend bool operator==(const SGDOptions& a, const SGDOptions& b);
  double get_lr() const override { return lr(); }
  void set_lr(double lr) override { lr_ = lr; }
};

struct SGDParamState : public OptimizerCloneableParamState<SGDParamState> {
  TAPER_ARG(Tensor, momentum_buffer);

 public:
  void serialize(serialize::InputArchive& archive) override;
  void serialize(serialize::OutputArchive& archive) const override;
  friend bool operator==(const SGDParamState& a, const SGDParamState& b);
};

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
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
};

}  // namespace taper::optim
