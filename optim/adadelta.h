// Adadelta: steps in the unit of the parameter, from running means of gradients and of steps.
#pragma once

#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace taper::optim {

struct AdadeltaOptions : public OptimizerCloneableOptions<AdadeltaOptions> {
  AdadeltaOptions(double lr = 1.0) : lr_(lr) {}
  TAPER_ARG(double, lr) = 1.0;
  TAPER_ARG(double, rho) = 0.9;
  TAPER_ARG(double, eps) = 1e-6;
  TAPER_ARG(double, weight_decay) = 0;
  TAPER_OPTIM_OPTIONS(AdadeltaOptions)
};

struct AdadeltaParamState : public OptimizerCloneableParamState<AdadeltaParamState> {
  TAPER_ARG(int64_t, step) = 0;
  TAPER_ARG(Tensor, square_avg);
  TAPER_ARG(Tensor, acc_delta);
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
  explicit Adadelta(std::vector<OptimizerParamGroup> param_groups, AdadeltaOptions defaults = {});
  explicit Adadelta(std::vector<Tensor> params, AdadeltaOptions defaults = {});
  Tensor step(LossClosure closure = nullptr) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
};

}  // namespace taper::optim

#pragma GCC visibility pop
