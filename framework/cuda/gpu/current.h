// The launch that the calling thread is making. Not installed.
#pragma once

#include <cuda_runtime_api.h>

#include <taper/framework/device.h>

namespace taper::cuda {

class GpuRecording;

/// Until the end of the scope kernels go to this stream, whose work goes to `recording` where that
/// is not null.
class LaunchScope {
 public:
  LaunchScope(DeviceIndex device, cudaStream_t stream, GpuRecording* recording);
  ~LaunchScope();
  LaunchScope(const LaunchScope&) = delete;
  LaunchScope& operator=(const LaunchScope&) = delete;

 private:
  DeviceIndex device_before_;
  cudaStream_t stream_before_;
  GpuRecording* recording_before_;
};

/// Whether the device has its context, which takes seconds and some hundred MiB to make: then it
/// can be made the current one at no cost.
bool has_context(int device);
/// Makes the device that was current before some work current again, unless it is, or has no
/// context. For destructors: what goes wrong is left to the next call.
void restore_device(int device) noexcept;
/// The device of the launch that is being made.
DeviceIndex kernel_device();
/// What records it, or null.
GpuRecording* kernel_recording();

}  // namespace taper::cuda
