// at::acc_type: the type in which a kernel sums elements of another type. The type of the sum is
// usually wider, for example double for float elements on the CPU.
#pragma once

#include <type_traits>

#include <taper/framework/core/dtype.h>
#include <torch/names.h>

namespace at {

template <class T, bool is_cuda>
struct AccumulateType {
  using type = std::conditional_t<
      std::is_same<T, bool>::value, bool,
      std::conditional_t<std::is_integral<T>::value, int64_t, taper::opmath_t<T>>>;
};
template <>
struct AccumulateType<float, false> {
  using type = double;
};
template <>
struct AccumulateType<c10::complex<float>, false> {
  using type = c10::complex<double>;
};
template <class T, bool is_cuda>
using acc_type = typename AccumulateType<T, is_cuda>::type;
template <class T>
using acc_type_cpu = acc_type<T, false>;

/// Returns the dtype in which elements of dtype `t` are summed.
constexpr ScalarType toAccumulateType(ScalarType t, bool is_cuda) {
  if (isIntegralType(t, false)) return kLong;
  if (!is_cuda && (t == kFloat || t == kComplexFloat))
    return t == kFloat ? kDouble : kComplexDouble;
  return t == kHalf || t == kBFloat16 ? kFloat : t == kComplexHalf ? kComplexFloat : t;
}

}  // namespace at
