// The launch that the calling thread is making. Not installed.
#pragma once

#include <cuda_runtime_api.h>

#include <taper/framework/core/device.h>

namespace torch::taper::cuda {

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
/// Makes a device CUDA's current one. One without a context becomes it when it gets that.
void make_current(int device) noexcept;
/// For a device that has just been used: whether make_current() has waited for that, and it is to
/// stay current.
bool was_deferred(int device);
/// Makes CUDA's current device the one that make_current() waits with: its context is made now.
void use_deferred();
/// Makes `device` current again, unless nobody has used it yet: that would initialise it.
void restore_device(int device) noexcept;
/// The device of the launch that is being made.
DeviceIndex kernel_device();
/// What records it, or null.
GpuRecording* kernel_recording();

}  // namespace torch::taper::cuda
