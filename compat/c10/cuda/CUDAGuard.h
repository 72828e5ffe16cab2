// c10::cuda's guards under LibTorch's names.
#pragma once

#include <c10/cuda/CUDAStream.h>

namespace c10::cuda {
using CUDAGuard = taper::cuda::DeviceGuard;
using OptionalCUDAGuard = taper::cuda::OptionalDeviceGuard;
using CUDAStreamGuard = taper::cuda::StreamGuard;
}  // namespace c10::cuda
