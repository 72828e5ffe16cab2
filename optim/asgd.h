// ASGD: stochastic gradient descent whose path is averaged.
#pragma once

#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace torch::taper::optim {

/// The settings of ASGD, whose formula shows what each does. A number converts to them: the
/// learning rate, all else by default.
struct ASGDOptions : public OptimizerCloneableOptions<ASGDOptions> {
  ASGDOptions(double lr = 1e-2) : lr_(lr) {}  ///< all else by default
  TAPER_ARG(double, lr) = 1e-2;               ///< the learning rate
  TAPER_ARG(double, lambd) = 1e-4;            ///< the decay
  TAPER_ARG(double, alpha) = 0.75;            ///< the power of eta's decay
  TAPER_ARG(double, t0) = 1e6;                ///< where averaging begins
  TAPER_ARG(double, weight_decay) = 0;        ///< times the parameter, added to its gradient
  TAPER_OPTIM_OPTIONS(ASGDOptions)
};

/// What ASGD keeps of a parameter: its average and the numbers of the next step.
struct ASGDParamState : public OptimizerCloneableParamState<ASGDParamState> {
  TAPER_ARG(int64_t, step) = 0;  ///< how many steps were made
  TAPER_ARG(double, eta) = 0;    ///< the learning rate of this step
  TAPER_ARG(double, mu) = 1;     ///< the weight of the average
  TAPER_ARG(Tensor, ax);         ///< the averaged parameter
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
  /// Of parameter groups, of which those without options of their own take `defaults`, or of
  /// parameters in one such group. Throws Error for `defaults` that are out of range (a group's own
  /// options are not looked at) and for parameters that Optimizer's constructor refuses.
  ///@{
  explicit ASGD(std::vector<OptimizerParamGroup> param_groups, ASGDOptions defaults = {});
  explicit ASGD(std::vector<Tensor> params, ASGDOptions defaults = {});
  ///@}
  Tensor step(LossClosure closure = nullptr) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
};

}  // namespace torch::taper::optim

#pragma GCC visibility pop
