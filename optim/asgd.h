// ASGD: stochastic gradient descent whose path is averaged.
#pragma once

#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace taper::optim {

struct ASGDOptions : public OptimizerCloneableOptions<ASGDOptions> {
  ASGDOptions(double lr = 1e-2) : lr_(lr) {}
  TAPER_ARG(double, lr) = 1e-2;
  TAPER_ARG(double, lambd) = 1e-4;
  TAPER_ARG(double, alpha) = 0.75;
  TAPER_ARG(double, t0) = 1e6;
  TAPER_ARG(double, weight_decay) = 0;
  TAPER_OPTIM_OPTIONS(ASGDOptions)
};

struct ASGDParamState : public OptimizerCloneableParamState<ASGDParamState> {
  TAPER_ARG(int64_t, step) = 0;
  TAPER_ARG(double, eta) = 0;
  TAPER_ARG(double, mu) = 1;
  TAPER_ARG(Tensor, ax);
  TAPER_OPTIM_STATE(ASGDParamState)
};
TAPER_OPTIM_CLONED(ASGD);

/// For every parameter p with gradient g, in its step number t, with eta = lr and mu = 1 at first:
///
///     g += weight_decay * p;   p = (1 - lambd * eta) * p - eta * g;   ax += mu * (p - ax)
///     eta = lr / (1 + lambd * lr * t)^alpha;   mu = 1 / max(1, t - t0)
///
/// `ax` of the state is the average, which the caller may use in the place of the parameter.
/// Throws when lr or weight_decay is negative.
/// Polyak and Juditsky, "Acceleration of stochastic approximation by averaging", 1992.
class ASGD : public Optimizer {
 public:
  explicit ASGD(std::vector<OptimizerParamGroup> param_groups, ASGDOptions defaults = {});
  explicit ASGD(std::vector<Tensor> params, ASGDOptions defaults = {});
  Tensor step(LossClosure closure = nullptr) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
};

}  // namespace taper::optim

#pragma GCC visibility pop
