#include <taper/optim/adam.h>
#include <taper/optim/adam_kernels.h>
#include <taper/optim/serialize.h>

namespace taper::optim {

#define TAPER_ADAM_OPTIONS(X) X(lr) X(betas) X(eps) X(weight_decay) X(amsgrad)
#define TAPER_ADAM_STATE(X) X(step) X(exp_avg) X(exp_avg_sq) X(max_exp_avg_sq)
TAPER_OPTIM_FIELDS(AdamOptions, TAPER_ADAM_OPTIONS)
TAPER_OPTIM_FIELDS(AdamParamState, TAPER_ADAM_STATE)

Adam::Adam(std::vector<OptimizerParamGroup> param_groups, AdamOptions defaults)
    : Optimizer(std::move(param_groups), std::make_unique<AdamOptions>(defaults)) {
  check_adam_options(defaults);
}
Adam::Adam(std::vector<Tensor> params, AdamOptions defaults)
    : Optimizer(std::move(params), std::make_unique<AdamOptions>(defaults)) {
  check_adam_options(defaults);
}

Tensor Adam::step(LossClosure closure) {
  Tensor loss = evaluate(closure);
  BiasCorrection bias;
  const auto fit = [](const Tensor& p, Tensor& state) { fit_state("Adam", p, state); };
  for_each_gradient<AdamOptions>(
      "Adam", [&](const Tensor& p, const Tensor& g, const AdamOptions& o, size_t index) {
        adam_step(p, g, o, state_of<AdamParamState>(index, p), false, bias, fit);
      });
  return loss;
}

void Adam::save(serialize::OutputArchive& archive) const {
  optim::serialize<AdamParamState, AdamOptions>(archive, *this);
}
void Adam::load(serialize::InputArchive& archive) {
  optim::serialize<AdamParamState, AdamOptions>(archive, *this);
}

}  // namespace taper::optim
