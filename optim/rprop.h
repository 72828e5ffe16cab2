// Rprop: steps from the signs of the gradients alone.
#pragma once

#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace taper::optim {

struct RpropOptions : public OptimizerCloneableOptions<RpropOptions> {
  RpropOptions(double lr = 1e-2) : lr_(lr) {}
  TAPER_ARG(double, lr) = 1e-2;
  using pair_t = std::tuple<double, double>;
  TAPER_ARG(pair_t, etas) = pair_t(0.5, 1.2);
  TAPER_ARG(pair_t, step_sizes) = pair_t(1e-6, 50.0);
  TAPER_OPTIM_OPTIONS(RpropOptions)
};

struct RpropParamState : public OptimizerCloneableParamState<RpropParamState> {
  TAPER_ARG(int64_t, step) = 0;
  TAPER_ARG(Tensor, prev);
  TAPER_ARG(Tensor, step_size);
  TAPER_OPTIM_STATE(RpropParamState)
};
TAPER_OPTIM_CLONED(Rprop);

/// For every element of a parameter, with gradient g and the step size d, lr at first:
///
///     same sign as the last g:   d = min(d * etas.1, step_sizes.1)
///     the other sign:            d = max(d * etas.0, step_sizes.0), and g counts as 0
///     p -= sign(g) * d
///
/// Throws unless lr >= 0 and 0 < etas.0 < 1 < etas.1. For gradients of the whole data set.
/// Riedmiller and Braun, "A direct adaptive method for faster backpropagation learning", 1993.
class Rprop : public Optimizer {
 public:
  explicit Rprop(std::vector<OptimizerParamGroup> param_groups, RpropOptions defaults = {});
  explicit Rprop(std::vector<Tensor> params, RpropOptions defaults = {});
  Tensor step(LossClosure closure = nullptr) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
};

}  // namespace taper::optim

#pragma GCC visibility pop
