// The launch that the calling thread is making. Not installed.
#pragma once

#include <cuda_runtime_api.h>

#include <mutex>

#include <taper/framework/core/device.h>

namespace torch::taper::cuda {

class GpuRecording;

/// Directs kernels to this stream until the end of the scope. If `recording` is not null, it
/// records the kernels.
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

/// Returns whether the device has its CUDA context. If so, it can be made current at no cost.
/// Making a context takes seconds and several hundred MiB.
bool has_context(int device);
/// Makes a device CUDA's current one. A device without a context becomes current when it gets one.
void make_current(int device) noexcept;
/// Returns whether make_current() had been deferred for a device that was just used. If so, the
/// device stays current.
bool was_deferred(int device);
/// Makes the deferred device of make_current() CUDA's current one, and creates its context.
void use_deferred();
/// Makes `device` current again if it has a context. Does nothing otherwise, because CUDA would
/// make a context.
void restore_device(int device) noexcept;
/// Is locked while a thread launches NCCL's kernels on several devices, and while one takes or
/// frees memory, which waits for kernels. Else a kernel of one device could wait for one that
/// cannot start.
std::mutex& launches_of_several_devices();
/// Returns the device of the launch that is being made.
DeviceIndex kernel_device();
/// Returns the recording of that launch, or null.
GpuRecording* kernel_recording();

}  // namespace torch::taper::cuda
