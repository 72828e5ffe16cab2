// What Adam and AdamW share. Not installed.
#pragma once

#include <taper/framework/autograd/record.h>
#include <taper/optim/update_kernels.h>

#include <cmath>

namespace taper::optim {

template <class Options>
void check_adam_options(const Options& o) {
  TAPER_CHECK(o.lr() >= 0, "Invalid learning rate: ", o.lr());
  TAPER_CHECK(o.eps() >= 0, "Invalid epsilon value: ", o.eps());
  const auto [beta1, beta2] = o.betas();
  TAPER_CHECK(0 <= beta1 && beta1 < 1.0, "Invalid beta parameter at index 0: ", beta1);
  TAPER_CHECK(0 <= beta2 && beta2 < 1.0, "Invalid beta parameter at index 1: ", beta2);
  TAPER_CHECK(o.weight_decay() >= 0, "Invalid weight_decay value: ", o.weight_decay());
}

/// The corrections 1 - beta^t for the step that most parameters are in: all of a model's usually
/// are in the same.
class BiasCorrection {
 public:
  void update(double beta1, double beta2, int64_t step) {
    if (step == step_ && beta1 == beta1_ && beta2 == beta2_) return;
    step_ = step, beta1_ = beta1, beta2_ = beta2;
    first = 1 - std::pow(beta1, static_cast<double>(step));
    inverse_root_second = 1 / std::sqrt(1 - std::pow(beta2, static_cast<double>(step)));
  }
  double first = 1, inverse_root_second = 1;

 private:
  int64_t step_ = 0;
  double beta1_ = 0, beta2_ = 0;
};

/// One parameter's step; `decoupled` says where the weight decay goes.
template <class Options, class State, class Fit>
void adam_step(const Tensor& p, const Tensor& g, const Options& o, State& state, bool decoupled,
               BiasCorrection& bias, const Fit& fit) {
  fit(p, state.exp_avg());
  fit(p, state.exp_avg_sq());
  Tensor none, *largest = &none;
  if (o.amsgrad()) fit(p, *(largest = &state.max_exp_avg_sq()));
  state.step(state.step() + 1);
  const auto [beta1, beta2] = o.betas();
  bias.update(beta1, beta2, state.step());
  const AdamNumbers n{beta1,
                      beta2,
                      o.lr() / bias.first,
                      bias.inverse_root_second,
                      o.eps(),
                      decoupled ? 0 : o.weight_decay(),
                      decoupled ? 1 - o.lr() * o.weight_decay() : 1};
  TAPER_ON_DEVICE(p, adam_update, p, g, state.exp_avg(), state.exp_avg_sq(), *largest, n);
  autograd::mark_changed(p);
}

}  // namespace taper::optim
