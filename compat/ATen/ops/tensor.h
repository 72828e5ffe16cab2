// at::tensor: makes tensors from values. Unlike torch::tensor, it keeps the dtype of the C++ type
// (int is int32, double is float64). A single number becomes a vector with one element.
#pragma once

#include <initializer_list>
#include <vector>

#include <c10/util/Exception.h>
#include <taper/ops/tensor/factory.h>
#include <torch/names.h>

namespace at {

/// Returns the values as a vector with T's dtype.
template <class T>
Tensor tensor(ArrayRef<T> values) {
  return taper::tensor(values, dtype(taper::CppTypeToScalarType<T>::value));
}
/// Returns the values with the dtype and on the device of `options`. If `options` has no dtype, the
/// default dtype is used. Throws NotImplementedError for complex values in a real dtype.
template <class T>
Tensor tensor(ArrayRef<T> values, const TensorOptions& options) {
  TORCH_CHECK_NOT_IMPLEMENTED(!taper::isComplexType(taper::CppTypeToScalarType<T>::value) ||
                                  taper::isComplexType(options.scalar_type()),
                              "at::tensor: \"tensor_cpu\" not implemented for '",
                              options.scalar_type(),
                              "': expected a complex dtype for complex values");
  return taper::tensor(values, options.dtype(options.scalar_type()));
}

template <class T, class... Options>
Tensor tensor(std::initializer_list<T> values, const Options&... options) {
  return at::tensor(ArrayRef<T>(values), options...);
}
template <class T, class... Options>
Tensor tensor(const std::vector<T>& values, const Options&... options) {
  return at::tensor(ArrayRef<T>(values), options...);
}
template <class T, class... Options,
          class = decltype(taper::CppTypeToScalarType<std::decay_t<T>>::value)>
Tensor tensor(T value, const Options&... options) {
  return at::tensor(ArrayRef<T>(&value, 1), options...);
}

}  // namespace at
