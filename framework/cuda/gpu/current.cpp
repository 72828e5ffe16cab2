#include <taper/framework/cuda/gpu/current.h>

#include <taper/framework/cuda/scratch.h>
#include <taper/framework/cuda/stream.h>
#include <taper/framework/runtime/caching_allocator.h>

namespace taper::cuda {
namespace {

thread_local DeviceIndex current_device_index = 0;
thread_local cudaStream_t current_handle = nullptr;
thread_local GpuRecording* current_recording = nullptr;

}  // namespace

LaunchScope::LaunchScope(DeviceIndex device, cudaStream_t stream, GpuRecording* recording)
    : device_before_(current_device_index),
      stream_before_(current_handle),
      recording_before_(current_recording) {
  current_device_index = device;
  current_handle = stream;
  current_recording = recording;
}
LaunchScope::~LaunchScope() {
  current_device_index = device_before_;
  current_handle = stream_before_;
  current_recording = recording_before_;
}

DeviceIndex kernel_device() { return current_device_index; }
cudaStream_t kernel_stream() { return current_handle; }
GpuRecording* kernel_recording() { return current_recording; }

void check_status(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();
  throw Error(detail::concat("CUDA error: ", cudaGetErrorString(status), " (", call, ", ", file,
                             ":", line,
                             "). Kernels run after the call that queued them: set "
                             "CUDA_LAUNCH_BLOCKING=1 to get the error from the call itself."));
}
void launch_kernel(const void* kernel, int blocks, int threads, void** arguments) {
  (void)cudaLaunchKernel(kernel, dim3(static_cast<unsigned>(blocks)),
                         dim3(static_cast<unsigned>(threads)), arguments, 0, kernel_stream());
  TAPER_CUDA_CHECK(cudaGetLastError());
}

void* allocate_scratch(size_t nbytes) {
  return detail::caching_allocator(kernel_device()).allocate(nbytes);
}
void release_scratch(void* p) noexcept { detail::caching_allocator(kernel_device()).release(p); }

}  // namespace taper::cuda
