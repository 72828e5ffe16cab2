#include <taper/optim/adagrad.h>

#include <memory>

#include <taper/ops/tensor/factory.h>
#include <taper/optim/serialize.h>
#include <taper/optim/updates.h>

namespace torch::taper::optim {
namespace {

void check_options(const char* name, const AdagradOptions& o) {
  TAPER_CHECK(o.lr() >= 0, name, ": Invalid learning rate: ", o.lr());
  TAPER_CHECK(o.lr_decay() >= 0, name, ": Invalid lr_decay value: ", o.lr_decay());
  TAPER_CHECK(o.weight_decay() >= 0, name, ": Invalid weight_decay value: ", o.weight_decay());
  TAPER_CHECK(o.initial_accumulator_value() >= 0, name,
              ": Invalid initial_accumulator_value value: ", o.initial_accumulator_value());
  TAPER_CHECK(o.eps() >= 0, name, ": Invalid epsilon value: ", o.eps());
}

// As in LibTorch, the sums exist from the start. Programs read them before the first step.
void begin_state(Adagrad& optimizer) {
  const double start =
      static_cast<AdagradOptions&>(optimizer.defaults()).initial_accumulator_value();
  const NoGradGuard no_grad;
  for (const OptimizerParamGroup& group : optimizer.param_groups()) {
    for (const Tensor& p : group.params()) {
      auto state = std::make_unique<AdagradParamState>();
      state->sum(full_like(p, start));
      optimizer.state()[p.unsafeGetTensorImpl()] = std::move(state);
    }
  }
}

TAPER_UPDATES(Adagrad, adagrad)

}  // namespace

#define TAPER_ADAGRAD_OPTIONS(X) \
  X(lr) X(lr_decay) X(weight_decay) X(initial_accumulator_value) X(eps)
#define TAPER_ADAGRAD_STATE(X) X(sum) X(step)
TAPER_DEFINE_OPTIMIZER(Adagrad, TAPER_ADAGRAD_OPTIONS, TAPER_ADAGRAD_STATE)

Tensor Adagrad::step(LossClosure closure) {
  const StepScope recorded("Adagrad.step");
  Tensor loss = evaluate(closure);
  const double start = static_cast<AdagradOptions&>(defaults()).initial_accumulator_value();
  AdagradUpdates().run([&](AdagradUpdates& updates) {
    for_each_gradient<AdagradOptions>(
        "Adagrad", [&](const Tensor& p, const Tensor& g, const AdagradOptions& o, size_t index) {
          AdagradParamState& state = state_of<AdagradParamState>(index, p);
          if (fit_state("Adagrad", p, state.sum()) && start != 0) state.sum().fill_(start);
          if (o.lr_decay() != 0) detail::check_steps_alike("Adagrad", p.device());
          detail::count_step(state);
          const double lr = o.lr() / (1 + static_cast<double>(state.step() - 1) * o.lr_decay());
          updates.add({lr, o.eps(), o.weight_decay()}, p, g, state.sum());
        });
  });
  return loss;
}

}  // namespace torch::taper::optim
