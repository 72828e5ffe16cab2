// RMSprop: steps scaled by the root of a running mean of the squared gradient.
#pragma once

#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace taper::optim {

struct RMSpropOptions : public OptimizerCloneableOptions<RMSpropOptions> {
  RMSpropOptions(double lr = 1e-2) : lr_(lr) {}
  TAPER_ARG(double, lr) = 1e-2;
  TAPER_ARG(double, alpha) = 0.99;
  TAPER_ARG(double, eps) = 1e-8;
  TAPER_ARG(double, weight_decay) = 0;
  TAPER_ARG(double, momentum) = 0;
  TAPER_ARG(bool, centered) = false;
  TAPER_OPTIM_OPTIONS(RMSpropOptions)
};

struct RMSpropParamState : public OptimizerCloneableParamState<RMSpropParamState> {
  TAPER_ARG(int64_t, step) = 0;
  TAPER_ARG(Tensor, square_avg);
  TAPER_ARG(Tensor, momentum_buffer) = {};
  TAPER_ARG(Tensor, grad_avg) = {};
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
  explicit RMSprop(std::vector<OptimizerParamGroup> param_groups, RMSpropOptions defaults = {});
  explicit RMSprop(std::vector<Tensor> params, RMSpropOptions defaults = {});
  Tensor step(LossClosure closure = nullptr) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
};

}  // namespace taper::optim

#pragma GCC visibility pop
