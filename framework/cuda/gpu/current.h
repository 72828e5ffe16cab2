// The launch that the calling thread is making. Not installed.
#pragma once

#include <cuda_runtime_api.h>

#include <taper/framework/core/device.h>

namespace torch::taper::cuda {

class GpuRecording;

/// Directs kernels to this stream until the end of the scope. Its work goes to `recording` unless
/// that is null.
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

/// Returns whether the device has its context, which takes seconds and some hundred MiB to make. It
/// can then be made current at no cost.
bool has_context(int device);
/// Makes a device CUDA's current one. A device without a context becomes current when it gets one.
void make_current(int device) noexcept;
/// Returns, for a device that was just used, whether make_current() had been deferred for it. It
/// then stays current.
bool was_deferred(int device);
/// Makes the deferred device of make_current() CUDA's current one, and creates its context.
void use_deferred();
/// Makes `device` current again, unless it is unused: that would initialise it.
void restore_device(int device) noexcept;
/// Returns the device of the launch that is being made.
DeviceIndex kernel_device();
/// Returns the recording of that launch, or null.
GpuRecording* kernel_recording();

}  // namespace torch::taper::cuda
