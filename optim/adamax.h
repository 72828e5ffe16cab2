// Adamax: Adam with the largest recent gradient in the place of the root mean square.
#pragma once

#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace torch::taper::optim {

/// The settings of Adamax, whose formula shows what each does. A number converts to them: the
/// learning rate, all else by default.
struct AdamaxOptions : public OptimizerCloneableOptions<AdamaxOptions> {
  AdamaxOptions(double lr = 2e-3) : lr_(lr) {}      ///< all else by default
  TAPER_ARG(double, lr) = 2e-3;                     ///< the learning rate
  using betas_t = std::tuple<double, double>;       ///< {beta1, beta2}
  TAPER_ARG(betas_t, betas) = betas_t(0.9, 0.999);  ///< of the running means of g and g^2
  TAPER_ARG(double, eps) = 1e-8;                    ///< keeps divisors from 0
  TAPER_ARG(double, weight_decay) = 0;              ///< times the parameter, added to its gradient
  TAPER_OPTIM_OPTIONS(AdamaxOptions)
};

/// What Adamax keeps of a parameter: a running mean and a running maximum, of its dtype and sizes.
struct AdamaxParamState : public OptimizerCloneableParamState<AdamaxParamState> {
  TAPER_ARG(int64_t, step) = 0;  ///< how many steps were made
  TAPER_ARG(Tensor, exp_avg);    ///< running mean of the gradient
  TAPER_ARG(Tensor, exp_inf);    ///< running maximum of the gradient
  TAPER_OPTIM_STATE(AdamaxParamState)
};
TAPER_OPTIM_CLONED(Adamax);

/// For every parameter p with gradient g, in its step number t:
///
///     g += weight_decay * p;   m = beta1 * m + (1 - beta1) * g
///     u = max(beta2 * u, |g| + eps);   p -= lr / (1 - beta1^t) * m / u
///
/// Throws when an option is negative or a beta is not below 1.
/// Kingma and Ba, "Adam: a method for stochastic optimization", 2014, section 7.
class Adamax : public Optimizer {
 public:
  /// Of parameter groups, of which those without options of their own take `defaults`, or of
  /// parameters in one such group. Throws Error for `defaults` that are out of range (a group's own
  /// options are not looked at) and for parameters that Optimizer's constructor refuses.
  ///@{
  explicit Adamax(std::vector<OptimizerParamGroup> param_groups, AdamaxOptions defaults = {});
  explicit Adamax(std::vector<Tensor> params, AdamaxOptions defaults = {});
  ///@}
  Tensor step(LossClosure closure = nullptr) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
};

}  // namespace torch::taper::optim

#pragma GCC visibility pop
