#include <taper/optim/adam_options.h>
#include <taper/optim/adamax.h>
#include <taper/optim/serialize.h>
#include <taper/optim/tensor_update.h>
#include <taper/optim/updates.h>

namespace torch::taper::optim {
namespace {

void check_options(const char* name, const AdamaxOptions& o) { check_adam_options(name, o); }

}  // namespace

#define TAPER_ADAMAX_OPTIONS(X) X(lr) X(betas) X(eps) X(weight_decay)
#define TAPER_ADAMAX_STATE(X) X(step) X(exp_avg) X(exp_inf)
TAPER_DEFINE_OPTIMIZER(Adamax, TAPER_ADAMAX_OPTIONS, TAPER_ADAMAX_STATE)

Tensor Adamax::step(LossClosure closure) {
  const StepScope recorded("Adamax.step");
  Tensor loss = evaluate(closure);
  const NoGradGuard no_grad;
  for_each_update<AdamaxOptions, AdamaxParamState>(
      "Adamax",
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
  return loss;
}

}  // namespace torch::taper::optim
