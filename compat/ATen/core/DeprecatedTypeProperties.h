// LibTorch's at::CPU(dtype) and at::CUDA(dtype). Programs compare the results with Tensor::type().
#pragma once

#include <taper/framework/core/type_properties.h>
#include <torch/names.h>

namespace c10 {

inline taper::DeprecatedTypeProperties& getDeprecatedTypeProperties(taper::Backend backend,
                                                                    taper::ScalarType dtype) {
  return taper::type_properties(backend, dtype);
}
inline taper::DeprecatedTypeProperties& CPU(taper::ScalarType dtype) {
  return taper::type_properties(taper::Backend::CPU, dtype);
}
inline taper::DeprecatedTypeProperties& CUDA(taper::ScalarType dtype) {
  return taper::type_properties(taper::Backend::CUDA, dtype);
}

}  // namespace c10
