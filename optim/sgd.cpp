// SGD, and ASGD, which averages its steps.
#include <taper/optim/sgd.h>

#include <algorithm>
#include <cmath>

#include <taper/optim/asgd.h>
#include <taper/optim/serialize.h>
#include <taper/optim/tensor_update.h>
#include <taper/optim/updates.h>

namespace torch::taper::optim {

// ---------------------------------------------------------------------- sgd
namespace {

void check_options(const char* name, const SGDOptions& o) {
  TAPER_CHECK(o.lr() >= 0, name, ": Invalid learning rate: ", o.lr());
  TAPER_CHECK(o.momentum() >= 0, name, ": Invalid momentum value: ", o.momentum());
  TAPER_CHECK(o.weight_decay() >= 0, name, ": Invalid weight_decay value: ", o.weight_decay());
  TAPER_CHECK(!o.nesterov() || (o.momentum() > 0 && o.dampening() == 0), name,
              ": Nesterov momentum requires a momentum and zero dampening");
}

TAPER_UPDATES(Sgd, sgd)

}  // namespace

#define TAPER_SGD_OPTIONS(X) X(lr) X(momentum) X(dampening) X(weight_decay) X(nesterov)
#define TAPER_SGD_STATE(X) X(momentum_buffer)
TAPER_DEFINE_OPTIMIZER(SGD, TAPER_SGD_OPTIONS, TAPER_SGD_STATE)

// A new buffer starts without dampening, so a step with dampening must know whether it is skipped.
bool SGD::takes_found_inf() const {
  for (const OptimizerParamGroup& group : param_groups_) {
    const auto* o = dynamic_cast<const SGDOptions*>(&group.options());
    if (!o || (o->momentum() != 0 && o->dampening() != 0)) return false;
  }
  return true;
}

Tensor SGD::step(LossClosure closure) {
  const StepScope recorded("SGD.step");
  Tensor loss = evaluate(closure);
  SgdUpdates().run([&](SgdUpdates& updates) {
    for_each_gradient<SGDOptions>(
        "SGD", [&](const Tensor& p, const Tensor& g, const SGDOptions& o, size_t index) {
          SgdNumbers n{o.lr(), o.momentum(), 1 - o.dampening(), o.weight_decay(), o.nesterov()};
          n.found_inf = found_inf_on(p.device());
          Tensor none, *buffer = &none;
          if (o.momentum() != 0) {
            buffer = &state_of<SGDParamState>(index, p).momentum_buffer();
            // A new buffer holds zeros. With an undamped gradient, it becomes the gradient.
            if (fit_state("SGD", p, *buffer)) n.gradient_scale = 1;
          }
          updates.add(n, p, g, *buffer);
        });
  });
  return loss;
}

// ---------------------------------------------------------------------- asgd
namespace {

void check_options(const char* name, const ASGDOptions& o) {
  TAPER_CHECK(o.lr() >= 0, name, ": Invalid learning rate: ", o.lr());
  TAPER_CHECK(o.weight_decay() >= 0, name, ": Invalid weight_decay value: ", o.weight_decay());
}

}  // namespace

#define TAPER_ASGD_OPTIONS(X) X(lr) X(lambd) X(alpha) X(t0) X(weight_decay)
#define TAPER_ASGD_STATE(X) X(step) X(eta) X(mu) X(ax)
TAPER_DEFINE_OPTIMIZER(ASGD, TAPER_ASGD_OPTIONS, TAPER_ASGD_STATE)

Tensor ASGD::step(LossClosure closure) {
  return step_each<ASGDOptions, ASGDParamState>(
      "ASGD", closure,
      [](const Tensor& p, const Tensor& grad, ASGDParamState& s, const ASGDOptions& o) {
        if (fit_state("ASGD", p, s.ax())) s.eta(o.lr());
        detail::check_steps_alike("ASGD", p.device());
        s.step(s.step() + 1);
        const auto t = static_cast<double>(s.step());
        const Tensor g = with_decay(grad, p, o.weight_decay());
        p.mul_(1 - o.lambd() * s.eta()).add_(g, -s.eta());
        if (s.mu() == 1)
          s.ax().copy_(p);
        else
          s.ax().add_(p.sub(s.ax()), s.mu());
        s.eta(o.lr() / std::pow(1 + o.lambd() * o.lr() * t, o.alpha()));
        s.mu(1 / std::max(1.0, t - o.t0()));
      });
}

}  // namespace torch::taper::optim
