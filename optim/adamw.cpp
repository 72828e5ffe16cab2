#include <taper/optim/adam_kernels.h>
#include <taper/optim/adamw.h>
#include <taper/optim/serialize.h>

namespace taper::optim {

#define TAPER_ADAMW_OPTIONS(X) X(lr) X(betas) X(eps) X(weight_decay) X(amsgrad)
#define TAPER_ADAMW_STATE(X) X(step) X(exp_avg) X(exp_avg_sq) X(max_exp_avg_sq)
TAPER_OPTIM_FIELDS(AdamWOptions, TAPER_ADAMW_OPTIONS)
TAPER_OPTIM_FIELDS(AdamWParamState, TAPER_ADAMW_STATE)

AdamW::AdamW(std::vector<OptimizerParamGroup> param_groups, AdamWOptions defaults)
    : Optimizer(std::move(param_groups), std::make_unique<AdamWOptions>(defaults)) {
  check_adam_options(defaults);
}
AdamW::AdamW(std::vector<Tensor> params, AdamWOptions defaults)
    : Optimizer(std::move(params), std::make_unique<AdamWOptions>(defaults)) {
  check_adam_options(defaults);
}

Tensor AdamW::step(LossClosure closure) {
  Tensor loss = evaluate(closure);
  BiasCorrection bias;
  const auto fit = [](const Tensor& p, Tensor& state) { fit_state("AdamW", p, state); };
  for_each_gradient<AdamWOptions>(
      "AdamW", [&](const Tensor& p, const Tensor& g, const AdamWOptions& o, size_t index) {
        adam_step(p, g, o, state_of<AdamWParamState>(index, p), true, bias, fit);
      });
  return loss;
}

void AdamW::save(serialize::OutputArchive& archive) const {
  optim::serialize<AdamWParamState, AdamWOptions>(archive, *this);
}
void AdamW::load(serialize::InputArchive& archive) {
  optim::serialize<AdamWParamState, AdamWOptions>(archive, *this);
}

}  // namespace taper::optim
