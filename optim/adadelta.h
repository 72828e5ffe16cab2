// Adadelta: steps in the unit of the parameter, from running means of gradients and of steps.
#pragma once

#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace torch::taper::optim {

/// The settings of Adadelta, whose formula shows what each does. A number converts to them: the
/// learning rate, all else by default.
struct AdadeltaOptions : public OptimizerCloneableOptions<AdadeltaOptions> {
  AdadeltaOptions(double lr = 1.0) : lr_(lr) {}  ///< all else by default
  TAPER_ARG(double, lr) = 1.0;                   ///< the learning rate
  TAPER_ARG(double, rho) = 0.9;                  ///< of the running means
  TAPER_ARG(double, eps) = 1e-6;                 ///< keeps divisors from 0
  TAPER_ARG(double, weight_decay) = 0;           ///< times the parameter, added to its gradient
  TAPER_OPTIM_OPTIONS(AdadeltaOptions)
};

/// What Adadelta keeps of a parameter: running means, of its dtype and sizes.
struct AdadeltaParamState : public OptimizerCloneableParamState<AdadeltaParamState> {
  TAPER_ARG(int64_t, step) = 0;   ///< how many steps were made
  TAPER_ARG(Tensor, square_avg);  ///< running mean of the squared gradient
  TAPER_ARG(Tensor, acc_delta);   ///< running mean of squared steps
  TAPER_OPTIM_STATE(AdadeltaParamState)
};
TAPER_OPTIM_CLONED(Adadelta);

/// For every parameter p with gradient g:
///
///     g += weight_decay * p;   square = rho * square + (1 - rho) * g^2
///     d = sqrt(acc + eps) / sqrt(square + eps) * g;   acc = rho * acc + (1 - rho) * d^2
///     p -= lr * d
///
/// Throws when one of the options is negative, or rho above 1.
/// Zeiler, "ADADELTA: an adaptive learning rate method", 2012.
class Adadelta : public Optimizer {
 public:
  /// Of parameter groups, of which those without options of their own take `defaults`, or of
  /// parameters in one such group. Throws Error for `defaults` that are out of range (a group's own
  /// options are not looked at) and for parameters that Optimizer's constructor refuses.
  ///@{
  explicit Adadelta(std::vector<OptimizerParamGroup> param_groups, AdadeltaOptions defaults = {});
  explicit Adadelta(std::vector<Tensor> params, AdadeltaOptions defaults = {});
  ///@}
  Tensor step(LossClosure closure = nullptr) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
};

}  // namespace torch::taper::optim

#pragma GCC visibility pop
