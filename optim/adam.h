// Adam and AdamW: steps scaled by running means of the gradient and of its square.
#pragma once

#include <taper/optim/optimizer.h>

#include <tuple>

#pragma GCC visibility push(default)

namespace torch::taper::optim {
namespace detail {

/// Returns the steps that the clock of a state has counted, after waiting for its device. Without a
/// clock, returns `counted`.
int64_t steps_of(const Tensor& clock, int64_t counted);
/// Sets the clock, if there is one, and returns n.
int64_t set_steps(const Tensor& clock, int64_t n);

}  // namespace detail

/// Declares options, state and class of Adam or AdamW. Only the default weight decay differs.
#define TAPER_ADAM_KIND(Name, default_weight_decay)                                            \
  struct Name##Options : public OptimizerCloneableOptions<Name##Options> {                     \
    Name##Options(double lr = 1e-3) : lr_(lr) {}                                               \
    TAPER_ARG(double, lr) = 1e-3;                                                              \
    using betas_t = std::tuple<double, double>;                                                \
    TAPER_ARG(betas_t, betas) = betas_t(0.9, 0.999);                                           \
    TAPER_ARG(double, eps) = 1e-8;                                                             \
    TAPER_ARG(double, weight_decay) = default_weight_decay;                                    \
    TAPER_ARG(bool, amsgrad) = false;                                                          \
    TAPER_ARG(bool, capturable) = false;                                                       \
    TAPER_OPTIM_OPTIONS(Name##Options)                                                         \
  };                                                                                           \
  struct Name##ParamState : public OptimizerCloneableParamState<Name##ParamState> {            \
   public:                                                                                     \
    auto step(int64_t n) -> decltype(*this) {                                                  \
      step_ = detail::set_steps(clock_, n);                                                    \
      return *this;                                                                            \
    }                                                                                          \
    const int64_t& step() const { return step_ = detail::steps_of(clock_, step_); }            \
    int64_t& step() { return step_ = detail::steps_of(clock_, step_); }                        \
                                                                                               \
   private:                                                                                    \
    mutable int64_t step_ = 0;                                                                 \
    TAPER_ARG(Tensor, clock) = {};                                                             \
    TAPER_ARG(Tensor, exp_avg);                                                                \
    TAPER_ARG(Tensor, exp_avg_sq);                                                             \
    TAPER_ARG(Tensor, max_exp_avg_sq) = {};                                                    \
    TAPER_OPTIM_STATE(Name##ParamState)                                                        \
  };                                                                                           \
  TAPER_OPTIM_CLONED(Name);                                                                    \
  class Name : public Optimizer {                                                              \
   public:                                                                                     \
    explicit Name(std::vector<OptimizerParamGroup> param_groups, Name##Options defaults = {}); \
    explicit Name(std::vector<Tensor> params, Name##Options defaults = {});                    \
    Tensor step(LossClosure closure = nullptr) override;                                       \
    bool takes_found_inf() const override { return true; }                                     \
    void save(serialize::OutputArchive& archive) const override;                               \
    void load(serialize::InputArchive& archive) override;                                      \
  }

/// Implements Adam (Kingma and Ba, "Adam: a method for stochastic optimization", 2014). For every
/// parameter p with gradient g, in step t:
///
///     g += weight_decay * p
///     m = beta1 * m + (1 - beta1) * g
///     v = beta2 * v + (1 - beta2) * g^2
///     p -= lr * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)
///
/// With amsgrad, the largest v so far replaces v. With `capturable`, steps can be captured
/// (graph.h) after the first step. Then the device of the parameters counts t, with one clock for
/// all parameters of a group that began together. lr keeps the value that it had at the capture.
/// Throws Error if lr, eps or weight_decay is negative, or a beta is outside [0, 1).
///
///     optim::Adam optimizer(model->parameters(), optim::AdamOptions(1e-3));
///     loss.backward();
///     optimizer.step();
TAPER_ADAM_KIND(Adam, 0);

/// Implements AdamW, which is Adam with decoupled weight decay (Loshchilov and Hutter, "Decoupled
/// weight decay regularization", 2017). Before the step of Adam, p *= 1 - lr * weight_decay
/// replaces g += weight_decay * p. Throws Error like Adam.
TAPER_ADAM_KIND(AdamW, 1e-2);

#undef TAPER_ADAM_KIND

}  // namespace torch::taper::optim

#pragma GCC visibility pop
