// c10::Half and its arithmetic. In CUDA code, it converts to CUDA's type.
#pragma once

#include <c10/util/BFloat16-math.h>
#include <taper/extension/arithmetic16.h>
#include <taper/framework/core/dtype.h>
#include <torch/names.h>

#if defined(__CUDACC__)
#include <cuda_fp16.h>
template <>
struct taper::detail::DeviceType16<__half, taper::Half> {
  using type = __half;
};
#endif
