// The launch that the calling thread is making. Not installed.
#pragma once

#include <cuda_runtime_api.h>

#include <mutex>

#include <taper/framework/core/device.h>

namespace torch::taper::cuda {

class GpuRecording;

/// Until the end of the scope, the calling thread launches kernels on `stream` of `device`. If
/// `recording` is not null, the stream's work is captured into it.
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

/// Returns whether the device has a CUDA context. A device with a context can be made current at no
/// cost. Making a context takes seconds and several hundred MiB.
bool has_context(int device);
/// Makes a device CUDA's current one. If the device has no context, use_deferred() makes it current
/// later.
void make_current(int device) noexcept;
/// Returns whether make_current(device) was deferred, and if so ends this. Call it when `device`
/// has just been used. If it returns true, leave the device current.
bool was_deferred(int device);
/// If a call of make_current() was deferred, makes its device CUDA's current one, and creates the
/// device's context.
void use_deferred();
/// Makes `device` current again if it has a context. Does nothing otherwise, because CUDA would
/// make a context.
void restore_device(int device) noexcept;
/// Returns a mutex. A thread locks it while it launches NCCL's kernels on several devices. A thread
/// also locks it while it takes or frees memory, because CUDA then waits for kernels. Otherwise a
/// kernel on one device could wait for a kernel on another device that cannot start.
std::mutex& launches_of_several_devices();
/// Returns the device of the launch that is being made.
DeviceIndex kernel_device();
/// Returns the recording of the launch that is being made, or null.
GpuRecording* kernel_recording();

}  // namespace torch::taper::cuda
