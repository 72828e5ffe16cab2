// Kernels of the activation functions. Operands have one shape and one floating dtype. The elements
// of each operand are adjacent.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// An activation function. Its parameters are the fields a, b and c of ActivationForm. They have
/// the order of the fields of the functor in activation_functors.h.
enum class Activation : int8_t {
  kLeakyRelu,
  kElu,
  kGelu,
  kGeluTanh,
  kSilu,
  kMish,
  kSoftplus,
  kHardtanh,
  kHardsigmoid,
  kHardswish,
  kHardshrink,
  kSoftshrink,
  kThreshold,
  kLogSigmoid,
  kLogit,
};
struct ActivationForm {
  Activation kind;
  double a = 0, b = 0, c = 0;
};

// Computes y = f(x). y may be x.
TAPER_KERNEL(activation, Out y, In x, ActivationForm form)
// Computes gx = gy f'(x), the gradient of x.
TAPER_KERNEL(activation_backward, Out gx, In gy, In x, ActivationForm form)

}  // namespace torch::taper
