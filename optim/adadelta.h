// Adadelta: scales steps by running means of squared gradients and of squared steps.
#pragma once

#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace torch::taper::optim {

/// Configures Adadelta. The formula of class Adadelta shows the meaning of each option. A number
/// converts to options with this learning rate.
struct AdadeltaOptions : public OptimizerCloneableOptions<AdadeltaOptions> {
  AdadeltaOptions(double lr = 1.0) : lr_(lr) {}  ///< sets the learning rate
  TAPER_ARG(double, lr) = 1.0;                   ///< the learning rate
  TAPER_ARG(double, rho) = 0.9;                  ///< the decay of the running means
  TAPER_ARG(double, eps) = 1e-6;                 ///< keeps the divisor from 0
  TAPER_ARG(double, weight_decay) = 0;           ///< adds weight_decay * p to the gradient
  TAPER_OPTIM_OPTIONS(AdadeltaOptions)
};

/// Holds the running means of a parameter, with its dtype and sizes.
struct AdadeltaParamState : public OptimizerCloneableParamState<AdadeltaParamState> {
  TAPER_ARG(int64_t, step) = 0;   ///< number of steps so far
  TAPER_ARG(Tensor, square_avg);  ///< running mean of the squared gradient
  TAPER_ARG(Tensor, acc_delta);   ///< running mean of squared steps
  TAPER_OPTIM_STATE(AdadeltaParamState)
};
TAPER_OPTIM_CLONED(Adadelta);

/// Implements Adadelta (Zeiler, "ADADELTA: an adaptive learning rate method", 2012). For every
/// parameter p with gradient g:
///
///     g += weight_decay * p
///     square = rho * square + (1 - rho) * g^2
///     d = sqrt(acc + eps) / sqrt(square + eps) * g
///     acc = rho * acc + (1 - rho) * d^2
///     p -= lr * d
///
/// Throws Error if an option is negative, or rho is above 1.
class Adadelta : public Optimizer {
 public:
  /// Takes parameter groups, or parameters that form one group. A group without options gets
  /// `defaults`. Throws Error if `defaults` are out of range, and throws like the constructor of
  /// Optimizer. The options of groups are not checked.
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
