#include <taper/optim/rmsprop.h>
#include <taper/optim/serialize.h>
#include <taper/optim/updates.h>

namespace torch::taper::optim {
namespace {

void check_options(const char* name, const RMSpropOptions& o) {
  TAPER_CHECK(o.lr() >= 0, name, ": Invalid learning rate: ", o.lr());
  TAPER_CHECK(o.eps() >= 0, name, ": Invalid epsilon value: ", o.eps());
  TAPER_CHECK(o.momentum() >= 0, name, ": Invalid momentum value: ", o.momentum());
  TAPER_CHECK(o.weight_decay() >= 0, name, ": Invalid weight_decay value: ", o.weight_decay());
  TAPER_CHECK(o.alpha() >= 0, name, ": Invalid alpha value: ", o.alpha());
}

TAPER_UPDATES(Rmsprop, rmsprop)

}  // namespace

#define TAPER_RMSPROP_OPTIONS(X) X(lr) X(alpha) X(eps) X(weight_decay) X(momentum) X(centered)
#define TAPER_RMSPROP_STATE(X) X(step) X(square_avg) X(momentum_buffer) X(grad_avg)
TAPER_DEFINE_OPTIMIZER(RMSprop, TAPER_RMSPROP_OPTIONS, TAPER_RMSPROP_STATE)

Tensor RMSprop::step(LossClosure closure) {
  const StepScope recorded("RMSprop.step");
  Tensor loss = evaluate(closure);
  RmspropUpdates().run([&](RmspropUpdates& updates) {
    for_each_gradient<RMSpropOptions>(
        "RMSprop", [&](const Tensor& p, const Tensor& g, const RMSpropOptions& o, size_t index) {
          RMSpropParamState& state = state_of<RMSpropParamState>(index, p);
          Tensor none, *mean = &none, *buffer = &none;
          fit_state("RMSprop", p, state.square_avg());
          if (o.centered()) fit_state("RMSprop", p, *(mean = &state.grad_avg()));
          if (o.momentum() > 0) fit_state("RMSprop", p, *(buffer = &state.momentum_buffer()));
          detail::count_step(state);
          updates.add({o.lr(), o.alpha(), o.eps(), o.momentum(), o.weight_decay()}, p, g,
                      state.square_avg(), *mean, *buffer);
        });
  });
  return loss;
}

}  // namespace torch::taper::optim
