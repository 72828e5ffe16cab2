#include <taper/optim/adam.h>
#include <taper/optim/serialize.h>
#include <taper/optim/updates.h>

#include <cmath>

namespace taper::optim {
namespace {

template <class Options>
void check_options(const Options& o) {
  TAPER_CHECK(o.lr() >= 0, "Invalid learning rate: ", o.lr());
  TAPER_CHECK(o.eps() >= 0, "Invalid epsilon value: ", o.eps());
  const auto [beta1, beta2] = o.betas();
  TAPER_CHECK(0 <= beta1 && beta1 < 1.0, "Invalid beta parameter at index 0: ", beta1);
  TAPER_CHECK(0 <= beta2 && beta2 < 1.0, "Invalid beta parameter at index 1: ", beta2);
  TAPER_CHECK(o.weight_decay() >= 0, "Invalid weight_decay value: ", o.weight_decay());
}

/// The corrections 1 - beta^t for the step that most parameters are in: all of a model's usually
/// are in the same.
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

/// What the kernel takes for a step with these options; `decoupled` says where the weight decay
/// goes.
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

/// One parameter's step.
template <class Options, class State, class Fit>
void update(AdamUpdates& updates, const Tensor& p, const Tensor& g, const Options& o, State& state,
            bool decoupled, BiasCorrection& bias, const Fit& fit) {
  fit(p, state.exp_avg());
  fit(p, state.exp_avg_sq());
  Tensor none, *largest = &none;
  if (o.amsgrad()) fit(p, *(largest = &state.max_exp_avg_sq()));
  state.step(state.step() + 1);
  bias.update(std::get<0>(o.betas()), std::get<1>(o.betas()), state.step());
  updates.add(numbers_for(o, bias, decoupled), p, g, state.exp_avg(), state.exp_avg_sq(), *largest);
}

}  // namespace

#define TAPER_ADAM_OPTIONS(X) X(lr) X(betas) X(eps) X(weight_decay) X(amsgrad)
#define TAPER_ADAM_STATE(X) X(step) X(exp_avg) X(exp_avg_sq) X(max_exp_avg_sq)
#define TAPER_DEFINE_ADAM_KIND(Name, decoupled)                                                   \
  TAPER_DEFINE_OPTIMIZER(Name, TAPER_ADAM_OPTIONS, TAPER_ADAM_STATE)                              \
  Tensor Name::step(LossClosure closure) {                                                        \
    Tensor loss = evaluate(closure);                                                              \
    BiasCorrection bias;                                                                          \
    const auto fit = [](const Tensor& p, Tensor& state) { fit_state(#Name, p, state); };          \
    AdamUpdates().run([&](AdamUpdates& updates) {                                                 \
      for_each_gradient<Name##Options>(                                                           \
          #Name, [&](const Tensor& p, const Tensor& g, const Name##Options& o, size_t index) {    \
            update(updates, p, g, o, state_of<Name##ParamState>(index, p), decoupled, bias, fit); \
          });                                                                                     \
    });                                                                                           \
    return loss;                                                                                  \
  }
TAPER_DEFINE_ADAM_KIND(Adam, false)
TAPER_DEFINE_ADAM_KIND(AdamW, true)

}  // namespace taper::optim
