#include <taper/optim/adam_options.h>
#include <taper/optim/radam.h>
#include <taper/optim/serialize.h>
#include <taper/optim/tensor_update.h>
#include <taper/optim/updates.h>

#include <cmath>

namespace torch::taper::optim {
namespace {

void check_options(const char* name, const RAdamOptions& o) { check_adam_options(name, o); }

}  // namespace

#define TAPER_RADAM_OPTIONS(X) X(lr) X(betas) X(eps) X(weight_decay)
#define TAPER_RADAM_STATE(X) X(step) X(exp_avg) X(exp_avg_sq)
TAPER_DEFINE_OPTIMIZER(RAdam, TAPER_RADAM_OPTIONS, TAPER_RADAM_STATE)

Tensor RAdam::step(LossClosure closure) {
  const StepScope recorded("RAdam.step");
  Tensor loss = evaluate(closure);
  const NoGradGuard no_grad;
  for_each_update<RAdamOptions, RAdamParamState>(
      "RAdam", [](const Tensor& p, const Tensor& grad, RAdamParamState& s, const RAdamOptions& o) {
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
  return loss;
}

}  // namespace torch::taper::optim
