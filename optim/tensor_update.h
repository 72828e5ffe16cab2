// What the optimizers that are written in tensor ops share. Not installed.
#pragma once

#include <cmath>

#include <taper/framework/grad_mode.h>
#include <taper/framework/tensor.h>
#include <taper/ops/binary.h>

namespace taper::optim {

/// The gradient with the part of L2 regularisation.
inline Tensor with_decay(const Tensor& grad, const Tensor& parameter, double weight_decay) {
  return weight_decay != 0 ? grad.add(parameter, weight_decay) : grad;
}

inline double power(double base, int64_t exponent) {
  return std::pow(base, static_cast<double>(exponent));
}

}  // namespace taper::optim
