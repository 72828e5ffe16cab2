// Access to the real and imaginary parts of complex operands (for kernels) and complex tensors (for
// public functions). Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>
#include <taper/ops/elementwise/complex.h>

namespace torch::taper::detail {

/// Returns the real (`part` 0) or imaginary (`part` 1) numbers of a kernel's operand.
template <class View>
View part_of(View z, int part) {
  const ScalarType t = toRealValueType(z.dtype);
  z.dtype = t;
  z.data = static_cast<std::conditional_t<std::is_base_of<Out, View>::value, char, const char>*>(
               z.data) +
           part * static_cast<int64_t>(elementSize(t));
  for (int64_t d = 0; d < z.strides.size(); ++d) z.strides[d] *= 2;
  z.contiguous = z.numel <= 1;
  return z;
}

/// Copies x to y if x, y or both are complex. A real y gets the real part of x. A complex y gets
/// the imaginary part 0 from a real x. copy(to, from) and fill(to, value) work on real operands.
template <class Copy, class Fill>
void copy_parts(const Out& y, const In& x, const Copy& copy, const Fill& fill) {
  const bool from_complex = isComplexType(x.dtype);
  const In re = from_complex ? part_of(x, 0) : x;
  if (!isComplexType(y.dtype)) return copy(y, re);
  const Out to = part_of(y, 1);
  copy(part_of(y, 0), re);
  from_complex ? copy(to, part_of(x, 1)) : fill(to, In::number(0, to.dtype));
}

/// Returns the real numbers of x, without history. If x is complex, the last dimension has size 2
/// and holds the parts of each number.
inline Tensor numbers_of(const Tensor& x) {
  return x.defined() && x.is_complex() ? view_as_real(x.detach()) : x;
}

/// Returns view_as_complex(x) of a row-major x that has no other owner. Autograd does not treat the
/// result as a view.
Tensor fresh_as_complex(const Tensor& x);

/// Applies f, which treats both parts equally, to a complex tensor. f gets view_as_real(x). It must
/// keep the last dimension and return a new row-major tensor.
template <class F>
Tensor through_parts(const Tensor& x, const F& f) {
  return fresh_as_complex(f(view_as_real(x)));
}

/// Applies f to each part of a complex tensor separately.
template <class F>
Tensor of_parts(const Tensor& x, const F& f) {
  return complex(f(real(x)), f(imag(x)));
}

}  // namespace torch::taper::detail
