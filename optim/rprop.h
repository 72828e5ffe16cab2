// Rprop: computes steps from the signs of the gradients only.
#pragma once

#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace torch::taper::optim {

/// Configures Rprop. The formula of class Rprop shows the meaning of each option. A number converts
/// to options with this learning rate.
struct RpropOptions : public OptimizerCloneableOptions<RpropOptions> {
  RpropOptions(double lr = 1e-2) : lr_(lr) {}          ///< sets the learning rate
  TAPER_ARG(double, lr) = 1e-2;                        ///< the learning rate
  using pair_t = std::tuple<double, double>;           ///< {smaller, larger}
  TAPER_ARG(pair_t, etas) = pair_t(0.5, 1.2);          ///< factors of the step size
  TAPER_ARG(pair_t, step_sizes) = pair_t(1e-6, 50.0);  ///< smallest and largest step size
  TAPER_OPTIM_OPTIONS(RpropOptions)
};

/// Holds the last gradient of a parameter and the step size of each element.
struct RpropParamState : public OptimizerCloneableParamState<RpropParamState> {
  TAPER_ARG(int64_t, step) = 0;  ///< number of steps so far
  TAPER_ARG(Tensor, prev);       ///< the last gradient
  TAPER_ARG(Tensor, step_size);  ///< the step size of each element
  TAPER_OPTIM_STATE(RpropParamState)
};
TAPER_OPTIM_CLONED(Rprop);

/// Implements Rprop, for gradients of the whole data set (Riedmiller and Braun, "A direct adaptive
/// method for faster backpropagation learning", 1993). For every element of a parameter, with
/// gradient g and step size d, starting with d = lr:
///
///     if g has the sign of the last g:   d = min(d * etas.1, step_sizes.1)
///     if g has the other sign:           d = max(d * etas.0, step_sizes.0), and g counts as 0
///     p -= sign(g) * d
///
/// Throws Error unless lr >= 0 and 0 < etas.0 < 1 < etas.1.
class Rprop : public Optimizer {
 public:
  /// Takes parameter groups, or parameters that form one group. A group without options gets
  /// `defaults`. Throws Error if `defaults` are out of range, and throws like the constructor of
  /// Optimizer. The options of groups are not checked.
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
