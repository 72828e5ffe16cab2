// c10::cuda's streams: cuda::Stream under LibTorch's names.
#pragma once

#include <taper/framework/runtime/stream.h>
#include <torch/names.h>

namespace c10::cuda {
using namespace taper::cuda;
using CUDAStream = taper::cuda::Stream;
inline CUDAStream getStreamFromPool(bool isHighPriority = false, DeviceIndex device = -1) {
  return CUDAStream(Device(kCUDA, device), isHighPriority ? -1 : 0);
}
inline CUDAStream getDefaultCUDAStream(DeviceIndex device = -1) { return default_stream(device); }
inline CUDAStream getCurrentCUDAStream(DeviceIndex device = -1) { return current_stream(device); }
inline void setCurrentCUDAStream(CUDAStream stream) { set_stream(stream); }
}  // namespace c10::cuda

namespace at::cuda {
using namespace c10::cuda;
}
