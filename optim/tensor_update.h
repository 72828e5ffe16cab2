// Helpers shared by the optimizers. Not installed.
#pragma once

#include <cmath>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/core/tensor.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/complex_parts.h>
#include <taper/optim/optimizer.h>

namespace torch::taper::optim {

using taper::detail::numbers_of;

template <class Options, class State, class Update>
void Optimizer::for_each_update(const char* name, const Update& update) {
  for_each_gradient<Options>(name, [&](const Tensor& parameter, const Tensor& gradient,
                                       const Options& options, size_t index) {
    State& state = state_of<State>(index, parameter);
    update(numbers_of(parameter), numbers_of(gradient), state, options);
  });
}

/// Returns the gradient with the term of L2 regularization.
inline Tensor with_decay(const Tensor& grad, const Tensor& parameter, double weight_decay) {
  return weight_decay != 0 ? grad.add(parameter, weight_decay) : grad;
}

inline double power(double base, int64_t exponent) {
  return std::pow(base, static_cast<double>(exponent));
}

}  // namespace torch::taper::optim
