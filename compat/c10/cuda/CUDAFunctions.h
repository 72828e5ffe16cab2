// Functions of c10::cuda that count, select and synchronize devices.
#pragma once

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAMacros.h>
#include <c10/cuda/CUDAStream.h>

namespace c10::cuda {
inline void device_synchronize() { synchronize(); }
inline DeviceIndex device_count_ensure_non_zero() {
  TORCH_CHECK(taper::cuda::is_available(), "No CUDA GPUs are available");
  return taper::cuda::device_count();
}
/// Makes device `index` the current one. Returns the index of the previous current device.
inline DeviceIndex ExchangeDevice(DeviceIndex index) {
  const DeviceIndex before = taper::cuda::current_device();
  taper::cuda::set_device(index);
  return before;
}
inline DeviceIndex MaybeExchangeDevice(DeviceIndex index) { return ExchangeDevice(index); }
inline int warp_size() { return 32; }
inline void stream_synchronize(cudaStream_t stream) {
  taper::cuda::external_stream(stream, -1).synchronize();
}
}  // namespace c10::cuda
