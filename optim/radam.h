// RAdam: Adam that corrects its adaptive learning rate during the first steps.
#pragma once

#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace torch::taper::optim {

/// Configures RAdam. The formula of class RAdam shows the meaning of each option. A number converts
/// to options with this learning rate.
struct RAdamOptions : public OptimizerCloneableOptions<RAdamOptions> {
  RAdamOptions(double lr = 1e-3) : lr_(lr) {}       ///< sets the learning rate
  TAPER_ARG(double, lr) = 1e-3;                     ///< the learning rate
  using betas_t = std::tuple<double, double>;       ///< {beta1, beta2}
  TAPER_ARG(betas_t, betas) = betas_t(0.9, 0.999);  ///< the decay of the running means of g and g^2
  TAPER_ARG(double, eps) = 1e-8;                    ///< keeps the divisor from 0
  TAPER_ARG(double, weight_decay) = 0;              ///< adds weight_decay * p to the gradient
  TAPER_OPTIM_OPTIONS(RAdamOptions)
};

/// Holds the running means for a parameter, with its dtype and sizes.
struct RAdamParamState : public OptimizerCloneableParamState<RAdamParamState> {
  TAPER_ARG(int64_t, step) = 0;   ///< number of steps so far
  TAPER_ARG(Tensor, exp_avg);     ///< running mean of the gradient
  TAPER_ARG(Tensor, exp_avg_sq);  ///< running mean of the squared gradient
  TAPER_OPTIM_STATE(RAdamParamState)
};
TAPER_OPTIM_CLONED(RAdam);

/// Implements RAdam (Liu et al., "On the variance of the adaptive learning rate and beyond", 2019).
/// For every parameter p with gradient g, in step t:
///
///     g += weight_decay * p
///     m, v as in Adam
///     r0 = 2 / (1 - beta2) - 1
///     r = r0 - 2 * t * beta2^t / (1 - beta2^t)
///     r > 5:  c = sqrt((r - 4) * (r - 2) * r0 / ((r0 - 4) * (r0 - 2) * r))
///             p -= lr * c * m / (1 - beta1^t) * sqrt(1 - beta2^t) / (sqrt(v) + eps)
///     else:   p -= lr * m / (1 - beta1^t)
///
/// Throws Error if an option is negative, or a beta is not below 1.
class RAdam : public Optimizer {
 public:
  /// Takes parameter groups, or parameters that form one group. A group without options gets
  /// `defaults`. Throws Error if `defaults` are out of range, and throws like the constructor of
  /// Optimizer. The options of groups are not checked.
  ///@{
  explicit RAdam(std::vector<OptimizerParamGroup> param_groups, RAdamOptions defaults = {});
  explicit RAdam(std::vector<Tensor> params, RAdamOptions defaults = {});
  ///@}
  Tensor step(LossClosure closure = nullptr) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
};

}  // namespace torch::taper::optim

#pragma GCC visibility pop
