// Helpers shared by the optimizers. Not installed.
#pragma once

#include <cmath>
#include <string>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/core/tensor.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/complex_parts.h>
#include <taper/optim/optimizer.h>

namespace torch::taper::optim {

using taper::detail::numbers_of;

template <class Options, class State, class Update>
Tensor Optimizer::step_each(const char* name, const LossClosure& closure, const Update& update) {
  const StepScope recorded((std::string(name) + ".step").c_str());
  Tensor loss = evaluate(closure);
  const NoGradGuard no_grad;
  for_each_gradient<Options>(name, [&](const Tensor& parameter, const Tensor& gradient,
                                       const Options& options, size_t index) {
    State& state = state_of<State>(index, parameter);
    update(numbers_of(parameter), numbers_of(gradient), state, options);
  });
  return loss;
}

/// Returns grad + weight_decay * parameter.
inline Tensor with_decay(const Tensor& grad, const Tensor& parameter, double weight_decay) {
  return weight_decay != 0 ? grad.add(parameter, weight_decay) : grad;
}

inline double power(double base, int64_t exponent) {
  return std::pow(base, static_cast<double>(exponent));
}

}  // namespace torch::taper::optim
