// ASGD: averaged stochastic gradient descent.
#pragma once

#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace torch::taper::optim {

/// Configures ASGD. The formula of class ASGD shows the meaning of each option. A number converts
/// to options with this learning rate.
struct ASGDOptions : public OptimizerCloneableOptions<ASGDOptions> {
  ASGDOptions(double lr = 1e-2) : lr_(lr) {}  ///< sets the learning rate
  TAPER_ARG(double, lr) = 1e-2;               ///< the learning rate
  TAPER_ARG(double, lambd) = 1e-4;            ///< the decay of the parameters
  TAPER_ARG(double, alpha) = 0.75;            ///< the exponent of the decay of eta
  TAPER_ARG(double, t0) = 1e6;                ///< the step at which averaging starts
  TAPER_ARG(double, weight_decay) = 0;        ///< adds weight_decay * p to the gradient
  TAPER_OPTIM_OPTIONS(ASGDOptions)
};

/// Holds the average of a parameter and the coefficients of the next step.
struct ASGDParamState : public OptimizerCloneableParamState<ASGDParamState> {
  TAPER_ARG(int64_t, step) = 0;  ///< number of steps so far
  TAPER_ARG(double, eta) = 0;    ///< the current learning rate
  TAPER_ARG(double, mu) = 1;     ///< the weight of the average
  TAPER_ARG(Tensor, ax);         ///< the averaged parameter
  TAPER_OPTIM_STATE(ASGDParamState)
};
TAPER_OPTIM_CLONED(ASGD);

/// Implements averaged SGD (Polyak and Juditsky, "Acceleration of stochastic approximation by
/// averaging", 1992). For every parameter p with gradient g, in step t, starting with eta = lr and
/// mu = 1:
///
///     g += weight_decay * p
///     p = (1 - lambd * eta) * p - eta * g
///     ax += mu * (p - ax)
///     eta = lr / (1 + lambd * lr * t)^alpha
///     mu = 1 / max(1, t - t0)
///
/// The state holds the average `ax`, which you may use instead of the parameter. Throws Error if lr
/// or weight_decay is negative.
class ASGD : public Optimizer {
 public:
  /// Takes parameter groups, or parameters that form one group. A group without options gets
  /// `defaults`. Throws Error if `defaults` are out of range, and throws like the constructor of
  /// Optimizer. The options of groups are not checked.
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
