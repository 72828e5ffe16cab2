// c10::BFloat16 and its arithmetic. In CUDA code, it converts to CUDA's type.
#pragma once

#include <c10/util/BFloat16-math.h>
#include <taper/extension/arithmetic16.h>
#include <taper/framework/core/dtype.h>
#include <torch/names.h>

#if defined(__CUDACC__)
#include <cuda_bf16.h>
template <>
struct taper::detail::DeviceType16<__nv_bfloat16, taper::BFloat16> {
  using type = __nv_bfloat16;
};
#endif
