// Adagrad: steps scaled by the root of the sum of all squared gradients.
#pragma once

#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace torch::taper::optim {

/// The settings of Adagrad, whose formula shows what each does. A number converts to them: the
/// learning rate, all else by default.
struct AdagradOptions : public OptimizerCloneableOptions<AdagradOptions> {
  AdagradOptions(double lr = 1e-2) : lr_(lr) {}      ///< all else by default
  TAPER_ARG(double, lr) = 1e-2;                      ///< the learning rate
  TAPER_ARG(double, lr_decay) = 0;                   ///< of the learning rate
  TAPER_ARG(double, weight_decay) = 0;               ///< times the parameter, added to its gradient
  TAPER_ARG(double, initial_accumulator_value) = 0;  ///< what sums begin with
  TAPER_ARG(double, eps) = 1e-10;                    ///< keeps divisors from 0
  TAPER_OPTIM_OPTIONS(AdagradOptions)
};

/// What Adagrad keeps of a parameter: the sum of its squared gradients.
struct AdagradParamState : public OptimizerCloneableParamState<AdagradParamState> {
  TAPER_ARG(Tensor, sum);        ///< of squared gradients
  TAPER_ARG(int64_t, step) = 0;  ///< how many steps were made
  TAPER_OPTIM_STATE(AdagradParamState)
};
TAPER_OPTIM_CLONED(Adagrad);

/// For every parameter p with gradient g, in its step number t:
///
///     g += weight_decay * p;   sum += g^2
///     p -= lr / (1 + (t - 1) * lr_decay) * g / (sqrt(sum) + eps)
///
/// The sums of all groups start at the optimizer's own initial_accumulator_value, as in LibTorch,
/// and are in state() from the start (those of parameters that are added later from their first
/// step). Throws when one of the options is negative. Duchi et al., "Adaptive subgradient methods
/// for online learning", 2011.
class Adagrad : public Optimizer {
 public:
  /// Of parameter groups, of which those without options of their own take `defaults`, or of
  /// parameters in one such group. Throws Error for `defaults` that are out of range (a group's own
  /// options are not looked at) and for parameters that Optimizer's constructor refuses.
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
