#include <taper/optim/adam_options.h>
#include <taper/optim/nadam.h>
#include <taper/optim/serialize.h>
#include <taper/optim/tensor_update.h>
#include <taper/optim/updates.h>

#include <cmath>

namespace torch::taper::optim {
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
  const StepScope recorded("NAdam.step");
  Tensor loss = evaluate(closure);
  const NoGradGuard no_grad;
  for_each_update<NAdamOptions, NAdamParamState>(
      "NAdam", [](const Tensor& p, const Tensor& grad, NAdamParamState& s, const NAdamOptions& o) {
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
  return loss;
}

}  // namespace torch::taper::optim
