// Rprop: steps from the signs of the gradients alone.
#pragma once

#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace torch::taper::optim {

/// The settings of Rprop, whose formula shows what each does. A number converts to them: the
/// learning rate, all else by default.
struct RpropOptions : public OptimizerCloneableOptions<RpropOptions> {
  RpropOptions(double lr = 1e-2) : lr_(lr) {}          ///< all else by default
  TAPER_ARG(double, lr) = 1e-2;                        ///< the learning rate
  using pair_t = std::tuple<double, double>;           ///< {the lesser, the larger}
  TAPER_ARG(pair_t, etas) = pair_t(0.5, 1.2);          ///< factors of the step's size
  TAPER_ARG(pair_t, step_sizes) = pair_t(1e-6, 50.0);  ///< the least and the largest
  TAPER_OPTIM_OPTIONS(RpropOptions)
};

/// What Rprop keeps of a parameter: the last gradient and a size of step for each element.
struct RpropParamState : public OptimizerCloneableParamState<RpropParamState> {
  TAPER_ARG(int64_t, step) = 0;  ///< how many steps were made
  TAPER_ARG(Tensor, prev);       ///< the gradient before
  TAPER_ARG(Tensor, step_size);  ///< of each element
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
  /// Of parameter groups, of which those without options of their own take `defaults`, or of
  /// parameters in one such group. Throws Error for `defaults` that are out of range (a group's own
  /// options are not looked at) and for parameters that Optimizer's constructor refuses.
  ///@{
  explicit Rprop(std::vector<OptimizerParamGroup> param_groups, RpropOptions defaults = {});
  explicit Rprop(std::vector<Tensor> params, RpropOptions defaults = {});
  ///@}
  Tensor step(LossClosure closure = nullptr) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
};

}  // namespace torch::taper::optim

#pragma GCC visibility pop
