// Numbers of elements, and divisions by them. Not installed.
#pragma once

#include <taper/framework/core/tensor.h>

namespace torch::taper::detail {

/// Returns the dtype to compute with the number of elements of a tensor of dtype `t`. 16-bit floats
/// are exact only up to 2048 (kHalf) or 256 (kBFloat16). Small integers overflow.
constexpr ScalarType dtype_of_count(ScalarType t) {
  return isReducedFloatingType(t)     ? kFloat
         : isFloatingOrComplexType(t) ? toRealValueType(t)
                                      : kLong;
}

/// Returns x / count in the dtype of x. The division uses dtype_of_count(x's dtype).
inline Tensor divided_by_count(const Tensor& x, const Tensor& count) {
  const ScalarType t = x.scalar_type();
  if (!isReducedFloatingType(t)) return x.div(count);
  return x.to(kFloat).div(count).to(t);
}

}  // namespace torch::taper::detail
