// Adam: steps scaled by running means of the gradient and of its square.
#pragma once

#include <taper/optim/optimizer.h>

#include <tuple>

namespace taper::optim {

struct AdamOptions : public OptimizerCloneableOptions<AdamOptions> {
  AdamOptions(double lr = 1e-3) : lr_(lr) {}
  TAPER_ARG(double, lr) = 1e-3;
  using betas_t = std::tuple<double, double>;
  TAPER_ARG(betas_t, betas) = std::make_tuple(0.9, 0.999);
  TAPER_ARG(double, eps) = 1e-8;
  TAPER_ARG(double, weight_decay) = 0;
  TAPER_ARG(bool, amsgrad) = false;

 public:
  void serialize(serialize::InputArchive& archive) override;
  void serialize(serialize::OutputArchive& archive) const override;
  friend bool operator==(const AdamOptions& a, const AdamOptions& b);
  double get_lr() const override { return lr(); }
  void set_lr(double lr) override { lr_ = lr; }
};

struct AdamParamState : public OptimizerCloneableParamState<AdamParamState> {
  TAPER_ARG(int64_t, step) = 0;
  TAPER_ARG(Tensor, exp_avg);
  TAPER_ARG(Tensor, exp_avg_sq);
  TAPER_ARG(Tensor, max_exp_avg_sq) = {};

 public:
  void serialize(serialize::InputArchive& archive) override;
  void serialize(serialize::OutputArchive& archive) const override;
  friend bool operator==(const AdamParamState& a, const AdamParamState& b);
};

/// For every parameter p with gradient g, in its step number t:
///
///     g += weight_decay * p
///     m = beta1 * m + (1 - beta1) * g;   v = beta2 * v + (1 - beta2) * g^2
///     p -= lr * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)
///
/// amsgrad takes the largest v so far in place of v. Throws when lr, eps or weight_decay is
/// negative or a beta is outside of [0, 1). Kingma and Ba, "Adam: a method for stochastic
/// optimization", 2014.
class Adam : public Optimizer {
 public:
  explicit Adam(std::vector<OptimizerParamGroup> param_groups, AdamOptions defaults = {});
  explicit Adam(std::vector<Tensor> params, AdamOptions defaults = {});
  Tensor step(LossClosure closure = nullptr) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
};

}  // namespace taper::optim
