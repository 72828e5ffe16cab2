// at::CUDAGeneratorImpl and at::PhiloxCudaState, for kernels that draw random numbers.
#pragma once

#include <tuple>

#include <ATen/cuda/PhiloxCudaState.h>
#include <taper/extension/cuda_interop.h>

namespace at {
using taper::cuda::CUDAGeneratorImpl;
/// Returns the implementation of `given`, or of the generator `otherwise` if `given` is empty.
template <class T>
CUDAGeneratorImpl* get_generator_or_default(const optional<Generator>& given,
                                            const Generator& otherwise) {
  static_assert(std::is_same<T, CUDAGeneratorImpl>::value, "expected CUDAGeneratorImpl");
  return taper::cuda::cuda_generator(given && given->defined() ? given
                                                               : optional<Generator>(otherwise));
}
template <class T>
CUDAGeneratorImpl* check_generator(const optional<Generator>& given) {
  static_assert(std::is_same<T, CUDAGeneratorImpl>::value, "expected CUDAGeneratorImpl");
  TAPER_CHECK(given && given->defined(), "Expected Generator but received nullopt");
  return taper::cuda::cuda_generator(given);
}
namespace cuda::detail {
inline const Generator& getDefaultCUDAGenerator(DeviceIndex device = -1) {
  return taper::cuda::default_generator(device);
}
}  // namespace cuda::detail
}  // namespace at
