// Adagrad: steps divided by the root of the sum of all squared gradients.
#pragma once

#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace torch::taper::optim {

/// Configures Adagrad. The formula of class Adagrad shows the meaning of each option. A number
/// converts to options with this learning rate.
struct AdagradOptions : public OptimizerCloneableOptions<AdagradOptions> {
  AdagradOptions(double lr = 1e-2) : lr_(lr) {}      ///< sets the learning rate
  TAPER_ARG(double, lr) = 1e-2;                      ///< the learning rate
  TAPER_ARG(double, lr_decay) = 0;                   ///< the decay of the learning rate
  TAPER_ARG(double, weight_decay) = 0;               ///< adds weight_decay * p to the gradient
  TAPER_ARG(double, initial_accumulator_value) = 0;  ///< initial value of the sums
  TAPER_ARG(double, eps) = 1e-10;                    ///< keeps the divisor from 0
  TAPER_OPTIM_OPTIONS(AdagradOptions)
};

/// Holds the sum of the squared gradients of a parameter.
struct AdagradParamState : public OptimizerCloneableParamState<AdagradParamState> {
  TAPER_ARG(Tensor, sum);        ///< sum of squared gradients
  TAPER_ARG(int64_t, step) = 0;  ///< number of steps so far
  TAPER_OPTIM_STATE(AdagradParamState)
};
TAPER_OPTIM_CLONED(Adagrad);

/// Implements Adagrad (Duchi et al., "Adaptive subgradient methods for online learning", 2011). For
/// every parameter p with gradient g, in step t:
///
///     g += weight_decay * p
///     sum += g^2
///     p -= lr / (1 + (t - 1) * lr_decay) * g / (sqrt(sum) + eps)
///
/// As in LibTorch, all sums start at the option initial_accumulator_value of the defaults, not of
/// the group. The constructor puts the sums into state(). The sum of a parameter that is added
/// later is in state() after the parameter's first step. Throws Error if an option is negative.
class Adagrad : public Optimizer {
 public:
  /// Takes parameter groups, or parameters that form one group. A group without options gets
  /// `defaults`. Throws Error if `defaults` are out of range, and throws like the constructor of
  /// Optimizer. The options of groups are not checked.
  ///@{
  explicit Adagrad(std::vector<OptimizerParamGroup> param_groups, AdagradOptions defaults = {});
  explicit Adagrad(std::vector<Tensor> params, AdagradOptions defaults = {});
  ///@}
  Tensor step(LossClosure closure = nullptr) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
};

}  // namespace torch::taper::optim

#pragma GCC visibility pop
