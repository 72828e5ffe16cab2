// What the optimizers share. Not installed.
#pragma once

#include <cmath>

#include <taper/framework/grad_mode.h>
#include <taper/framework/tensor.h>
#include <taper/ops/binary.h>
#include <taper/ops/complex.h>

namespace taper::optim {

/// The numbers that are updated: those of a real tensor, the parts of a complex one (without
/// history, in a last dimension of 2).
inline Tensor numbers_of(const Tensor& t) {
  return t.defined() && t.is_complex() ? view_as_real(t.detach()) : t;
}

/// The gradient with the part of L2 regularisation.
inline Tensor with_decay(const Tensor& grad, const Tensor& parameter, double weight_decay) {
  return weight_decay != 0 ? grad.add(parameter, weight_decay) : grad;
}

inline double power(double base, int64_t exponent) {
  return std::pow(base, static_cast<double>(exponent));
}

}  // namespace taper::optim
