// The launch that the calling thread is making. Not installed.
#pragma once

#include <cuda_runtime_api.h>

#include <taper/framework/device.h>

namespace taper::cuda {

/// Until the end of the scope kernels go to this stream.
class LaunchScope {
 public:
  LaunchScope(DeviceIndex device, cudaStream_t stream);
  ~LaunchScope();
  LaunchScope(const LaunchScope&) = delete;
  LaunchScope& operator=(const LaunchScope&) = delete;

 private:
  DeviceIndex device_before_;
  cudaStream_t stream_before_;
};

/// The device of the launch that is being made.
DeviceIndex kernel_device();

}  // namespace taper::cuda
