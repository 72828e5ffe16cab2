// c10::cuda's streams: taper::cuda::Stream with CUDA's handle. If the CUDA toolkit's headers are
// missing, this header declares cudaStream_t.
#pragma once

#include <taper/extension/device_guard.h>
#include <taper/framework/runtime/stream.h>
#include <torch/names.h>

#if defined(__has_include)
#if __has_include(<cuda_runtime_api.h>)
#include <cuda_runtime_api.h>
#define TORCH_PRIVATE_CUDA_TOOLKIT 1
#endif
#endif
#ifndef TORCH_PRIVATE_CUDA_TOOLKIT
using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;
#endif

namespace c10 {
using StreamId = int64_t;

namespace cuda {
using namespace taper::cuda;

/// A taper::cuda::Stream that converts to CUDA's cudaStream_t. On simulated devices, this handle is
/// null.
class CUDAStream : public taper::cuda::Stream {
 public:
  CUDAStream(const taper::cuda::Stream& stream) : Stream(stream) {}
  cudaStream_t stream() const { return static_cast<cudaStream_t>(native_handle()); }
  operator cudaStream_t() const { return stream(); }
  CUDAStream unwrap() const { return *this; }
  DeviceType device_type() const { return kCUDA; }
};

inline CUDAStream getStreamFromPool(bool isHighPriority = false, DeviceIndex device = -1) {
  return taper::cuda::Stream(Device(kCUDA, device), isHighPriority ? -1 : 0);
}
inline CUDAStream getStreamFromPool(int priority, DeviceIndex device = -1) {
  return taper::cuda::Stream(Device(kCUDA, device), priority);
}
inline CUDAStream getStreamFromExternal(cudaStream_t stream, DeviceIndex device) {
  return taper::cuda::external_stream(stream, device);
}
inline CUDAStream getDefaultCUDAStream(DeviceIndex device = -1) { return default_stream(device); }
inline CUDAStream getCurrentCUDAStream(DeviceIndex device = -1) { return current_stream(device); }
/// Sets the device's current stream, without changing the current device.
inline void setCurrentCUDAStream(CUDAStream stream) {
  taper::detail::exchange_current_stream(stream.device_index(), stream.impl());
}
}  // namespace cuda
}  // namespace c10

namespace at::cuda {
using namespace c10::cuda;
}
