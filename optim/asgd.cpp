#include <taper/optim/asgd.h>
#include <taper/optim/serialize.h>
#include <taper/optim/tensor_update.h>
#include <taper/optim/updates.h>

#include <algorithm>
#include <cmath>

namespace torch::taper::optim {
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
  const StepScope recorded("ASGD.step");
  Tensor loss = evaluate(closure);
  const NoGradGuard no_grad;
  for_each_update<ASGDOptions, ASGDParamState>(
      "ASGD", [](const Tensor& p, const Tensor& grad, ASGDParamState& s, const ASGDOptions& o) {
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
  return loss;
}

}  // namespace torch::taper::optim
