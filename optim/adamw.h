// AdamW: Adam with decoupled weight decay.
#pragma once

#include <taper/optim/optimizer.h>

#include <tuple>

namespace taper::optim {

struct AdamWOptions : public OptimizerCloneableOptions<AdamWOptions> {
  AdamWOptions(double lr = 1e-3) : lr_(lr) {}
  TAPER_ARG(double, lr) = 1e-3;
  using betas_t = std::tuple<double, double>;
  TAPER_ARG(betas_t, betas) = std::make_tuple(0.9, 0.999);
  TAPER_ARG(double, eps) = 1e-8;
  TAPER_ARG(double, weight_decay) = 1e-2;
  TAPER_ARG(bool, amsgrad) = false;

 public:
  void serialize(serialize::InputArchive& archive) override;
  void serialize(serialize::OutputArchive& archive) const override;
  friend bool operator==(const AdamWOptions& a, const AdamWOptions& b);
  double get_lr() const override { return lr(); }
  void set_lr(double lr) override { lr_ = lr; }
};

struct AdamWParamState : public OptimizerCloneableParamState<AdamWParamState> {
  TAPER_ARG(int64_t, step) = 0;
  TAPER_ARG(Tensor, exp_avg);
  TAPER_ARG(Tensor, exp_avg_sq);
  TAPER_ARG(Tensor, max_exp_avg_sq) = {};

 public:
  void serialize(serialize::InputArchive& archive) override;
  void serialize(serialize::OutputArchive& archive) const override;
  friend bool operator==(const AdamWParamState& a, const AdamWParamState& b);
};

/// Adam whose weight decay does not pass through the running means: p *= 1 - lr * weight_decay
/// before Adam's step, in place of g += weight_decay * p. Throws as Adam does.
/// Loshchilov and Hutter, "Decoupled weight decay regularization", 2017.
class AdamW : public Optimizer {
 public:
  explicit AdamW(std::vector<OptimizerParamGroup> param_groups, AdamWOptions defaults = {});
  explicit AdamW(std::vector<Tensor> params, AdamWOptions defaults = {});
  Tensor step(LossClosure closure = nullptr) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
};

}  // namespace taper::optim
