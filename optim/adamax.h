// Adamax: Adam with a running maximum of |gradient| instead of the root mean square.
#pragma once

#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace torch::taper::optim {

/// Configures Adamax. The formula of class Adamax shows the meaning of each option. A number
/// converts to options with this learning rate.
struct AdamaxOptions : public OptimizerCloneableOptions<AdamaxOptions> {
  AdamaxOptions(double lr = 2e-3) : lr_(lr) {}      ///< sets the learning rate
  TAPER_ARG(double, lr) = 2e-3;                     ///< the learning rate
  using betas_t = std::tuple<double, double>;       ///< {beta1, beta2}
  TAPER_ARG(betas_t, betas) = betas_t(0.9, 0.999);  ///< the decay of m and of u
  TAPER_ARG(double, eps) = 1e-8;                    ///< keeps the divisor from 0
  TAPER_ARG(double, weight_decay) = 0;              ///< adds weight_decay * p to the gradient
  TAPER_OPTIM_OPTIONS(AdamaxOptions)
};

/// Holds a running mean and a running maximum for a parameter, with its dtype and sizes.
struct AdamaxParamState : public OptimizerCloneableParamState<AdamaxParamState> {
  TAPER_ARG(int64_t, step) = 0;  ///< number of steps so far
  TAPER_ARG(Tensor, exp_avg);    ///< running mean of the gradient
  TAPER_ARG(Tensor, exp_inf);    ///< running maximum of |gradient|
  TAPER_OPTIM_STATE(AdamaxParamState)
};
TAPER_OPTIM_CLONED(Adamax);

/// Implements Adamax (Kingma and Ba, "Adam: a method for stochastic optimization", 2014, section
/// 7). For every parameter p with gradient g, in step t:
///
///     g += weight_decay * p
///     m = beta1 * m + (1 - beta1) * g
///     u = max(beta2 * u, |g| + eps)
///     p -= lr / (1 - beta1^t) * m / u
///
/// Throws Error if an option is negative, or a beta is not below 1.
class Adamax : public Optimizer {
 public:
  /// Takes parameter groups, or parameters that form one group. A group without options gets
  /// `defaults`. Throws Error if `defaults` are out of range, and throws like the constructor of
  /// Optimizer. The options of groups are not checked.
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
