// Optimizers that scale each step by its own gradients: Adadelta, Adamax, NAdam, RAdam, RMSprop and
// Rprop.
#include <cmath>

#include <taper/optim/adadelta.h>
#include <taper/optim/adam_options.h>
#include <taper/optim/adamax.h>
#include <taper/optim/nadam.h>
#include <taper/optim/radam.h>
#include <taper/optim/rmsprop.h>
#include <taper/optim/rprop.h>
#include <taper/optim/serialize.h>
#include <taper/optim/tensor_update.h>
#include <taper/optim/updates.h>

namespace torch::taper::optim {

// ---------------------------------------------------------------------- adadelta
namespace {

void check_options(const char* name, const AdadeltaOptions& o) {
  TAPER_CHECK(o.lr() >= 0, name, ": Invalid learning rate: ", o.lr());
  TAPER_CHECK(0 <= o.rho() && o.rho() <= 1, name, ": Invalid rho value: ", o.rho());
  TAPER_CHECK(o.eps() >= 0, name, ": Invalid epsilon value: ", o.eps());
  TAPER_CHECK(o.weight_decay() >= 0, name, ": Invalid weight_decay value: ", o.weight_decay());
}

}  // namespace

#define TAPER_ADADELTA_OPTIONS(X) X(lr) X(rho) X(eps) X(weight_decay)
#define TAPER_ADADELTA_STATE(X) X(step) X(square_avg) X(acc_delta)
TAPER_DEFINE_OPTIMIZER(Adadelta, TAPER_ADADELTA_OPTIONS, TAPER_ADADELTA_STATE)

Tensor Adadelta::step(LossClosure closure) {
  return step_each<AdadeltaOptions, AdadeltaParamState>(
      "Adadelta", closure,
      [](const Tensor& p, const Tensor& grad, AdadeltaParamState& s, const AdadeltaOptions& o) {
        fit_state("Adadelta", p, s.square_avg());
        fit_state("Adadelta", p, s.acc_delta());
        s.step(s.step() + 1);
        const Tensor g = with_decay(grad, p, o.weight_decay());
        s.square_avg().mul_(o.rho()).addcmul_(g, g, 1 - o.rho());
        const Tensor root = s.square_avg().add(o.eps()).sqrt_();
        const Tensor delta = s.acc_delta().add(o.eps()).sqrt_().div_(root).mul_(g);
        s.acc_delta().mul_(o.rho()).addcmul_(delta, delta, 1 - o.rho());
        p.add_(delta, -o.lr());
      });
}

// ---------------------------------------------------------------------- adamax
namespace {

void check_options(const char* name, const AdamaxOptions& o) { check_adam_options(name, o); }

}  // namespace

#define TAPER_ADAMAX_OPTIONS(X) X(lr) X(betas) X(eps) X(weight_decay)
#define TAPER_ADAMAX_STATE(X) X(step) X(exp_avg) X(exp_inf)
TAPER_DEFINE_OPTIMIZER(Adamax, TAPER_ADAMAX_OPTIONS, TAPER_ADAMAX_STATE)

Tensor Adamax::step(LossClosure closure) {
  return step_each<AdamaxOptions, AdamaxParamState>(
      "Adamax", closure,
      [](const Tensor& p, const Tensor& grad, AdamaxParamState& s, const AdamaxOptions& o) {
        fit_state("Adamax", p, s.exp_avg());
        fit_state("Adamax", p, s.exp_inf());
        detail::check_steps_alike("Adamax", p.device());
        s.step(s.step() + 1);
        const auto [beta1, beta2] = o.betas();
        const Tensor g = with_decay(grad, p, o.weight_decay());
        s.exp_avg().mul_(beta1).add_(g, 1 - beta1);
        s.exp_inf().copy_(maximum(s.exp_inf().mul(beta2), g.abs().add_(o.eps())));
        p.addcdiv_(s.exp_avg(), s.exp_inf(), -o.lr() / (1 - power(beta1, s.step())));
      });
}

// ---------------------------------------------------------------------- nadam
namespace {

void check_options(const char* name, const NAdamOptions& o) {
  check_adam_options(name, o);
  TAPER_CHECK(o.momentum_decay() >= 0, name,
              ": Invalid momentum_decay value: ", o.momentum_decay());
}

}  // namespace

#define TAPER_NADAM_OPTIONS(X) X(lr) X(betas) X(eps) X(weight_decay) X(momentum_decay)
#define TAPER_NADAM_STATE(X) X(step) X(mu_product) X(exp_avg) X(exp_avg_sq)
TAPER_DEFINE_OPTIMIZER(NAdam, TAPER_NADAM_OPTIONS, TAPER_NADAM_STATE)

Tensor NAdam::step(LossClosure closure) {
  return step_each<NAdamOptions, NAdamParamState>(
      "NAdam", closure,
      [](const Tensor& p, const Tensor& grad, NAdamParamState& s, const NAdamOptions& o) {
        fit_state("NAdam", p, s.exp_avg());
        fit_state("NAdam", p, s.exp_avg_sq());
        detail::check_steps_alike("NAdam", p.device());
        s.step(s.step() + 1);
        const auto [beta1, beta2] = o.betas();
        const auto mu_at = [&o, b = beta1](int64_t t) {
          return b * (1 - 0.5 * std::pow(0.96, static_cast<double>(t) * o.momentum_decay()));
        };
        const double mu = mu_at(s.step()), next = mu_at(s.step() + 1);
        s.mu_product(s.mu_product() * mu);
        const Tensor g = with_decay(grad, p, o.weight_decay());
        s.exp_avg().mul_(beta1).add_(g, 1 - beta1);
        s.exp_avg_sq().mul_(beta2).addcmul_(g, g, 1 - beta2);
        const Tensor d = s.exp_avg_sq().div(1 - power(beta2, s.step())).sqrt_().add_(o.eps());
        p.addcdiv_(g, d, -o.lr() * (1 - mu) / (1 - s.mu_product()));
        p.addcdiv_(s.exp_avg(), d, -o.lr() * next / (1 - s.mu_product() * next));
      });
}

// ---------------------------------------------------------------------- radam
namespace {

void check_options(const char* name, const RAdamOptions& o) { check_adam_options(name, o); }

}  // namespace

#define TAPER_RADAM_OPTIONS(X) X(lr) X(betas) X(eps) X(weight_decay)
#define TAPER_RADAM_STATE(X) X(step) X(exp_avg) X(exp_avg_sq)
TAPER_DEFINE_OPTIMIZER(RAdam, TAPER_RADAM_OPTIONS, TAPER_RADAM_STATE)

Tensor RAdam::step(LossClosure closure) {
  return step_each<RAdamOptions, RAdamParamState>(
      "RAdam", closure,
      [](const Tensor& p, const Tensor& grad, RAdamParamState& s, const RAdamOptions& o) {
        fit_state("RAdam", p, s.exp_avg());
        fit_state("RAdam", p, s.exp_avg_sq());
        detail::check_steps_alike("RAdam", p.device());
        s.step(s.step() + 1);
        const auto [beta1, beta2] = o.betas();
        const auto t = static_cast<double>(s.step());
        const Tensor g = with_decay(grad, p, o.weight_decay());
        s.exp_avg().mul_(beta1).add_(g, 1 - beta1);
        s.exp_avg_sq().mul_(beta2).addcmul_(g, g, 1 - beta2);
        const double bias1 = 1 - power(beta1, s.step()), bias2 = 1 - power(beta2, s.step());
        const double most = 2 / (1 - beta2) - 1, known = most - 2 * t * (1 - bias2) / bias2;
        if (known <= 5) {
          p.add_(s.exp_avg(), -o.lr() / bias1);
          return;
        }
        const double rectified =
            std::sqrt((known - 4) * (known - 2) * most / ((most - 4) * (most - 2) * known));
        p.addcdiv_(s.exp_avg(), s.exp_avg_sq().sqrt().add_(o.eps()),
                   -o.lr() * rectified * std::sqrt(bias2) / bias1);
      });
}

// ---------------------------------------------------------------------- rmsprop
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

// ---------------------------------------------------------------------- rprop
namespace {

void check_options(const char* name, const RpropOptions& o) {
  TAPER_CHECK(o.lr() >= 0, name, ": Invalid learning rate: ", o.lr());
  const auto [less, more] = o.etas();
  TAPER_CHECK(0 < less && less < 1 && 1 < more, name, ": Invalid eta values: ", less, ", ", more);
}

}  // namespace

#define TAPER_RPROP_OPTIONS(X) X(lr) X(etas) X(step_sizes)
#define TAPER_RPROP_STATE(X) X(step) X(prev) X(step_size)
TAPER_DEFINE_OPTIMIZER(Rprop, TAPER_RPROP_OPTIONS, TAPER_RPROP_STATE)

Tensor Rprop::step(LossClosure closure) {
  return step_each<RpropOptions, RpropParamState>(
      "Rprop", closure,
      [](const Tensor& p, const Tensor& grad, RpropParamState& s, const RpropOptions& o) {
        fit_state("Rprop", p, s.prev());
        if (fit_state("Rprop", p, s.step_size())) s.step_size().fill_(o.lr());
        s.step(s.step() + 1);
        const auto [less, more] = o.etas();
        const auto [least, most] = o.step_sizes();
        const Tensor agreement = grad.mul(s.prev());
        const Tensor turned = agreement.lt(0);
        const Tensor factor =
            agreement.sign().masked_fill_(agreement.gt(0), more).masked_fill_(turned, less);
        s.step_size().mul_(factor.masked_fill_(agreement.eq(0), 1)).clamp_(least, most);
        s.prev().copy_(grad.masked_fill(turned, 0));
        p.addcmul_(s.prev().sign(), s.step_size(), -1);
      });
}

}  // namespace torch::taper::optim
