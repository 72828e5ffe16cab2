// NAdam: Adam with Nesterov momentum.
#pragma once

#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace torch::taper::optim {

/// Configures NAdam. The formula of class NAdam shows the meaning of each option. A number converts
/// to options with this learning rate.
struct NAdamOptions : public OptimizerCloneableOptions<NAdamOptions> {
  NAdamOptions(double lr = 2e-3) : lr_(lr) {}       ///< sets the learning rate
  TAPER_ARG(double, lr) = 2e-3;                     ///< the learning rate
  using betas_t = std::tuple<double, double>;       ///< {beta1, beta2}
  TAPER_ARG(betas_t, betas) = betas_t(0.9, 0.999);  ///< the decay of the running means of g and g^2
  TAPER_ARG(double, eps) = 1e-8;                    ///< keeps the divisor from 0
  TAPER_ARG(double, weight_decay) = 0;              ///< adds weight_decay * p to the gradient
  TAPER_ARG(double, momentum_decay) = 4e-3;         ///< the decay of the momentum
  TAPER_OPTIM_OPTIONS(NAdamOptions)
};

/// Holds the running means for a parameter, with its dtype and sizes.
struct NAdamParamState : public OptimizerCloneableParamState<NAdamParamState> {
  TAPER_ARG(int64_t, step) = 0;       ///< number of steps so far
  TAPER_ARG(double, mu_product) = 1;  ///< product of all momenta
  TAPER_ARG(Tensor, exp_avg);         ///< running mean of the gradient
  TAPER_ARG(Tensor, exp_avg_sq);      ///< running mean of the squared gradient
  TAPER_OPTIM_STATE(NAdamParamState)
};
TAPER_OPTIM_CLONED(NAdam);

/// Implements NAdam (Dozat, "Incorporating Nesterov momentum into Adam", 2016). For every parameter
/// p with gradient g, in step t:
///
///     g += weight_decay * p
///     m, v as in Adam
///     mu(t) = beta1 * (1 - 0.96^(t * momentum_decay) / 2)
///     M(t) = mu(1) * ... * mu(t)
///     d = sqrt(v / (1 - beta2^t)) + eps
///     p -= lr * ((1 - mu(t)) / (1 - M(t)) * g + mu(t + 1) / (1 - M(t + 1)) * m) / d
///
/// Throws Error if an option is negative, or a beta is not below 1. (In PyTorch 1.13, M(t + 1)
/// contains mu(t) twice. Later versions have the formula above.)
class NAdam : public Optimizer {
 public:
  /// Takes parameter groups, or parameters that form one group. A group without options gets
  /// `defaults`. Throws Error if `defaults` are out of range, and throws like the constructor of
  /// Optimizer. The options of groups are not checked.
  ///@{
  explicit NAdam(std::vector<OptimizerParamGroup> param_groups, NAdamOptions defaults = {});
  explicit NAdam(std::vector<Tensor> params, NAdamOptions defaults = {});
  ///@}
  Tensor step(LossClosure closure = nullptr) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
};

}  // namespace torch::taper::optim

#pragma GCC visibility pop
