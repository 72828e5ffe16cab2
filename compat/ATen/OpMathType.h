// at::opmath_type<T>: the type in which a kernel computes with elements of type T.
#pragma once

#include <taper/framework/core/dtype.h>
#include <torch/names.h>

namespace at {

template <class T>
struct OpMathType {
  using type = taper::opmath_t<T>;
};
template <class T>
using opmath_type = typename OpMathType<T>::type;
constexpr ScalarType toOpMathType(ScalarType t) {
  return t == kHalf || t == kBFloat16 ? kFloat : t == kComplexHalf ? kComplexFloat : t;
}

}  // namespace at
