// Kernels of the activation functions: operands of one shape, of any floating dtype,
// whose elements lie side by side.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// Which function; a, b and c are its parameters in the order of activation_functors.h.
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

// y = f(x); y may be x.
TAPER_KERNEL(activation, Out y, In x, ActivationForm form)
// gx = gy f'(x)
TAPER_KERNEL(activation_backward, Out gx, In gy, In x, ActivationForm form)

}  // namespace torch::taper
