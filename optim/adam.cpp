#include <taper/optim/adam.h>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/runtime/access.h>
#include <taper/optim/adam_options.h>
#include <taper/optim/serialize.h>
#include <taper/optim/updates.h>

#include <cmath>

namespace torch::taper::optim {

int64_t detail::steps_of(const Tensor& clock, int64_t counted) {
  return clock.defined() ? static_cast<int64_t>(clock.select(0, 0).item<double>()) : counted;
}
int64_t detail::set_steps(const Tensor& clock, int64_t n) {
  if (clock.defined()) clock.select(0, 0).fill_(static_cast<double>(n));
  return n;
}

namespace {

template <class Options>
void check_options(const char* name, const Options& o) {
  check_adam_options(name, o);
}

/// Caches the bias corrections 1 - beta^t. Mostly, all parameters of a model are at one step.
class BiasCorrection {
 public:
  void update(double beta1, double beta2, int64_t step) {
    if (step == step_ && beta1 == beta1_ && beta2 == beta2_) return;
    step_ = step, beta1_ = beta1, beta2_ = beta2;
    first = 1 - std::pow(beta1, static_cast<double>(step));
    inverse_root_second = 1 / std::sqrt(1 - std::pow(beta2, static_cast<double>(step)));
  }
  double first = 1, inverse_root_second = 1;

 private:
  int64_t step_ = 0;
  double beta1_ = 0, beta2_ = 0;
};

/// Returns the coefficients of the kernel for a step with these options. `decoupled` selects the
/// kind of weight decay.
template <class Options>
AdamNumbers numbers_for(const Options& o, const BiasCorrection& bias, bool decoupled) {
  const auto [beta1, beta2] = o.betas();
  return {beta1,
          beta2,
          o.lr() / bias.first,
          bias.inverse_root_second,
          o.eps(),
          decoupled ? 0 : o.weight_decay(),
          decoupled ? 1 - o.lr() * o.weight_decay() : 1};
}

TAPER_UPDATES(Adam, adam)

/// Holds the clocks of one call of step(). Each clock advances once.
template <class Options>
class Clocks {
 public:
  /// Returns a clock for a parameter without one. Parameters of a group at one step share it.
  Tensor find(const char* name, const Options& o, int64_t step, Device device) {
    for (const Made& m : made_)
      if (m.options == &o && m.step == step && m.clock.device() == device) return m.clock;
    detail::check_may_make_state(name, device);
    const NoGradGuard no_grad;
    Tensor clock = taper::detail::make_tensor({3}, kDouble, device);
    clock.fill_(static_cast<double>(step));
    made_.push_back({&o, step, clock});
    return clock;
  }
  void advance(const Tensor& clock, const Options& o, const float* found_inf) {
    for (const TensorImpl* c : advanced_)
      if (c == clock.unsafeGetTensorImpl()) return;
    advanced_.push_back(clock.unsafeGetTensorImpl());
    const auto [beta1, beta2] = o.betas();
    TAPER_ON_DEVICE(clock, adam_advance, clock, o.lr(), beta1, beta2, found_inf);
  }

 private:
  struct Made {
    const Options* options;
    int64_t step;
    Tensor clock;
  };
  std::vector<Made> made_;
  std::vector<const TensorImpl*> advanced_;
};

void check_capturable(const char* name, Device device) {
  TAPER_CHECK(!taper::detail::is_captured(device),
              "Attempting CUDA graph capture of step() for an instance of ", name,
              " but this instance was constructed with capturable=False.");
}

/// Holds the data that one call of step() shares among all parameters.
template <class Options>
struct Step {
  const char* name;
  bool decoupled;
  AdamUpdates& updates;
  BiasCorrection bias;
  Clocks<Options> clocks;
};

/// Makes a step for one parameter. If only the device knows whether the step is skipped, it counts
/// the steps.
template <class Options, class State, class Fit>
void update(Step<Options>& now, const Tensor& p, const Tensor& g, const Options& o, State& state,
            const float* found_inf, const Fit& fit) {
  if (!o.capturable()) check_capturable(now.name, p.device());
  fit(p, state.exp_avg());
  fit(p, state.exp_avg_sq());
  Tensor none, *largest = &none;
  if (o.amsgrad()) fit(p, *(largest = &state.max_exp_avg_sq()));
  AdamNumbers n;
  if (o.capturable() || found_inf || state.clock().defined()) {
    if (!state.clock().defined())
      state.clock(now.clocks.find(now.name, o, state.step(), p.device()));
    now.clocks.advance(state.clock(), o, found_inf);
    n = numbers_for(o, now.bias, now.decoupled);
    n.found_inf = found_inf;
    n.clock = state.clock().template data_ptr<double>();
  } else {
    state.step(state.step() + 1);
    now.bias.update(std::get<0>(o.betas()), std::get<1>(o.betas()), state.step());
    n = numbers_for(o, now.bias, now.decoupled);
  }
  now.updates.add(n, p, g, state.exp_avg(), state.exp_avg_sq(), *largest);
}

}  // namespace

#define TAPER_ADAM_OPTIONS(X) X(lr) X(betas) X(eps) X(weight_decay) X(amsgrad)
#define TAPER_ADAM_STATE(X) X(step) X(exp_avg) X(exp_avg_sq) X(max_exp_avg_sq)
#define TAPER_DEFINE_ADAM_KIND(Name, decoupled)                                                    \
  TAPER_DEFINE_OPTIMIZER(Name, TAPER_ADAM_OPTIONS, TAPER_ADAM_STATE)                               \
  Tensor Name::step(LossClosure closure) {                                                         \
    const StepScope recorded(#Name ".step");                                                       \
    Tensor loss = evaluate(closure);                                                               \
    const auto fit = [](const Tensor& p, Tensor& state) { fit_state(#Name, p, state); };           \
    AdamUpdates().run([&](AdamUpdates& updates) {                                                  \
      Step<Name##Options> now{#Name, decoupled, updates, {}, {}};                                  \
      for_each_gradient<Name##Options>(#Name, [&](const Tensor& p, const Tensor& g,                \
                                                  const Name##Options& o, size_t index) {          \
        update(now, p, g, o, state_of<Name##ParamState>(index, p), found_inf_on(p.device()), fit); \
      });                                                                                          \
    });                                                                                            \
    return loss;                                                                                   \
  }
TAPER_DEFINE_ADAM_KIND(Adam, false)
TAPER_DEFINE_ADAM_KIND(AdamW, true)

}  // namespace torch::taper::optim
