#include <taper/optim/rprop.h>
#include <taper/optim/serialize.h>
#include <taper/optim/tensor_update.h>

namespace torch::taper::optim {
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
  const StepScope recorded("Rprop.step");
  Tensor loss = evaluate(closure);
  const NoGradGuard no_grad;
  for_each_update<RpropOptions, RpropParamState>(
      "Rprop", [](const Tensor& p, const Tensor& grad, RpropParamState& s, const RpropOptions& o) {
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
  return loss;
}

}  // namespace torch::taper::optim
