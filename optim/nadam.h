// NAdam: Adam with Nesterov momentum.
#pragma once

#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace taper::optim {

struct NAdamOptions : public OptimizerCloneableOptions<NAdamOptions> {
  NAdamOptions(double lr = 2e-3) : lr_(lr) {}
  TAPER_ARG(double, lr) = 2e-3;
  using betas_t = std::tuple<double, double>;
  TAPER_ARG(betas_t, betas) = betas_t(0.9, 0.999);
  TAPER_ARG(double, eps) = 1e-8;
  TAPER_ARG(double, weight_decay) = 0;
  TAPER_ARG(double, momentum_decay) = 4e-3;
  TAPER_OPTIM_OPTIONS(NAdamOptions)
};

struct NAdamParamState : public OptimizerCloneableParamState<NAdamParamState> {
  TAPER_ARG(int64_t, step) = 0;
  TAPER_ARG(double, mu_product) = 1;
  TAPER_ARG(Tensor, exp_avg);
  TAPER_ARG(Tensor, exp_avg_sq);
  TAPER_OPTIM_STATE(NAdamParamState)
};
TAPER_OPTIM_CLONED(NAdam);

/// For every parameter p with gradient g, in its step number t:
///
///     g += weight_decay * p;   m, v as in Adam
///     mu(t) = beta1 * (1 - 0.96^(t * momentum_decay) / 2);   M(t) = mu(1) * ... * mu(t)
///     d = sqrt(v / (1 - beta2^t)) + eps
///     p -= lr * ((1 - mu(t)) / (1 - M(t)) * g + mu(t + 1) / (1 - M(t + 1)) * m) / d
///
/// Throws when an option is negative or a beta is not below 1. (PyTorch 1.13 has mu(t) once more in
/// M(t + 1); later versions have the formula above.)
/// Dozat, "Incorporating Nesterov momentum into Adam", 2016.
class NAdam : public Optimizer {
 public:
  explicit NAdam(std::vector<OptimizerParamGroup> param_groups, NAdamOptions defaults = {});
  explicit NAdam(std::vector<Tensor> params, NAdamOptions defaults = {});
  Tensor step(LossClosure closure = nullptr) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
};

}  // namespace taper::optim

#pragma GCC visibility pop
