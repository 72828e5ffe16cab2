#include <taper/optim/adadelta.h>
#include <taper/optim/serialize.h>
#include <taper/optim/tensor_update.h>

namespace torch::taper::optim {
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
  const StepScope recorded("Adadelta.step");
  Tensor loss = evaluate(closure);
  const NoGradGuard no_grad;
  for_each_update<AdadeltaOptions, AdadeltaParamState>(
      "Adadelta",
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
  return loss;
}

}  // namespace torch::taper::optim
