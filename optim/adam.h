// Adam and AdamW: steps scaled by running means of the gradient and of its square.
#pragma once

#include <taper/optim/optimizer.h>

#include <tuple>

#pragma GCC visibility push(default)

namespace torch::taper::optim {
namespace detail {

/// Returns the number of steps that `clock`, a tensor on a device, has counted. The host waits for
/// the device. If `clock` is undefined, returns `counted`.
int64_t steps_of(const Tensor& clock, int64_t counted);
/// If `clock` is defined, sets it to n steps. Returns n.
int64_t set_steps(const Tensor& clock, int64_t n);

}  // namespace detail

/// Configures Adam. The formula of class Adam shows the meaning of each option. A number converts
/// to options with this learning rate.
struct AdamOptions : public OptimizerCloneableOptions<AdamOptions> {
  AdamOptions(double lr = 1e-3) : lr_(lr) {}        ///< sets the learning rate
  TAPER_ARG(double, lr) = 1e-3;                     ///< the learning rate
  using betas_t = std::tuple<double, double>;       ///< beta1 and beta2
  TAPER_ARG(betas_t, betas) = betas_t(0.9, 0.999);  ///< the factors of both running means
  TAPER_ARG(double, eps) = 1e-8;                    ///< added to the denominator
  TAPER_ARG(double, weight_decay) = 0;              ///< adds weight_decay * p to the gradient
  TAPER_ARG(bool, amsgrad) = false;     ///< whether to use the largest v so far instead of v
  TAPER_ARG(bool, capturable) = false;  ///< whether steps can be captured after the first one
  TAPER_OPTIM_OPTIONS(AdamOptions)
};

/// Configures AdamW. The formulas of the classes Adam and AdamW show the meaning of each option. A
/// number converts to options with this learning rate.
struct AdamWOptions : public OptimizerCloneableOptions<AdamWOptions> {
  AdamWOptions(double lr = 1e-3) : lr_(lr) {}       ///< sets the learning rate
  TAPER_ARG(double, lr) = 1e-3;                     ///< the learning rate
  using betas_t = std::tuple<double, double>;       ///< beta1 and beta2
  TAPER_ARG(betas_t, betas) = betas_t(0.9, 0.999);  ///< the factors of both running means
  TAPER_ARG(double, eps) = 1e-8;                    ///< added to the denominator
  TAPER_ARG(double, weight_decay) = 1e-2;           ///< subtracts lr * weight_decay * p from p
  TAPER_ARG(bool, amsgrad) = false;     ///< whether to use the largest v so far instead of v
  TAPER_ARG(bool, capturable) = false;  ///< whether steps can be captured after the first one
  TAPER_OPTIM_OPTIONS(AdamWOptions)
};

/// Declares the state of Adam or AdamW.
#define TAPER_ADAM_STATE(Name)                                                      \
  struct Name##ParamState : public OptimizerCloneableParamState<Name##ParamState> { \
   public:                                                                          \
    auto step(int64_t n) -> decltype(*this) {                                       \
      step_ = detail::set_steps(clock_, n);                                         \
      return *this;                                                                 \
    }                                                                               \
    const int64_t& step() const { return step_ = detail::steps_of(clock_, step_); } \
    int64_t& step() { return step_ = detail::steps_of(clock_, step_); }             \
                                                                                    \
   private:                                                                         \
    mutable int64_t step_ = 0;                                                      \
    TAPER_ARG(Tensor, clock) = {};                                                  \
    TAPER_ARG(Tensor, exp_avg);                                                     \
    TAPER_ARG(Tensor, exp_avg_sq);                                                  \
    TAPER_ARG(Tensor, max_exp_avg_sq) = {};                                         \
    TAPER_OPTIM_STATE(Name##ParamState)                                             \
  }

/// Holds a parameter's number of steps, and the running means of its gradient and of the squared
/// gradient.
TAPER_ADAM_STATE(Adam);
TAPER_OPTIM_CLONED(Adam);
/// Holds a parameter's number of steps, and the running means of its gradient and of the squared
/// gradient.
TAPER_ADAM_STATE(AdamW);
TAPER_OPTIM_CLONED(AdamW);
#undef TAPER_ADAM_STATE

/// Implements Adam (Kingma and Ba, "Adam: a method for stochastic optimization", 2014). For every
/// parameter p with gradient g, in step t:
///
///     g += weight_decay * p
///     m = beta1 * m + (1 - beta1) * g
///     v = beta2 * v + (1 - beta2) * g^2
///     p -= lr * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)
///
/// With amsgrad, the largest v so far replaces v. With `capturable`, steps can be captured
/// (graph.h) after the first step. A clock, a tensor on the parameters' device, then counts t.
/// Parameters of a group that had their first step together share a clock. Replays use the value
/// that lr had during the capture. Throws Error if lr, eps or weight_decay is negative, or a beta
/// is outside [0, 1).
///
///     optim::Adam optimizer(model->parameters(), optim::AdamOptions(1e-3));
///     loss.backward();
///     optimizer.step();
class Adam : public Optimizer {
 public:
  /// Takes parameter groups for Adam, or parameters that form one group. Groups without options get
  /// `defaults`. Throws Error if `defaults` are out of range, and throws like the constructor of
  /// Optimizer.
  ///@{
  explicit Adam(std::vector<OptimizerParamGroup> param_groups, AdamOptions defaults = {});
  explicit Adam(std::vector<Tensor> params, AdamOptions defaults = {});
  ///@}
  Tensor step(LossClosure closure = nullptr) override;
  bool takes_found_inf() const override { return true; }
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
};

/// Implements AdamW, which is Adam with decoupled weight decay (Loshchilov and Hutter, "Decoupled
/// weight decay regularization", 2017). In the formula of Adam, p *= 1 - lr * weight_decay replaces
/// g += weight_decay * p. Throws Error like Adam.
class AdamW : public Optimizer {
 public:
  /// Takes parameter groups for AdamW, or parameters that form one group. Groups without options
  /// get `defaults`. Throws Error if `defaults` are out of range, and throws like the constructor
  /// of Optimizer.
  ///@{
  explicit AdamW(std::vector<OptimizerParamGroup> param_groups, AdamWOptions defaults = {});
  explicit AdamW(std::vector<Tensor> params, AdamWOptions defaults = {});
  ///@}
  Tensor step(LossClosure closure = nullptr) override;
  bool takes_found_inf() const override { return true; }
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
};

}  // namespace torch::taper::optim

#pragma GCC visibility pop
