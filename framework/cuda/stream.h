// What a CUDA kernel's host side asks of the runtime. For files that nvcc compiles.
#pragma once

#include <cuda_runtime_api.h>

#include <taper/framework/core/check.h>

namespace torch::taper::cuda {

/// The stream of the launch that is being made.
cudaStream_t kernel_stream();
/// Throws Error unless `status` is success: the call, CUDA's words, file and line.
void check_status(cudaError_t status, const char* call, const char* file, int line);
/// Launches a __global__ function on that stream. Throws what the launch has to complain of.
void launch_kernel(const void* kernel, int blocks, int threads, void** arguments);
/// Threads that the device of that launch runs at once: work for fewer leaves parts of it idle.
int64_t resident_threads();
/// Whether work of this stream is being recorded: then nothing may wait for it.
inline bool is_capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(stream, &status) != cudaSuccess) {
    (void)cudaGetLastError();  // or the next launch would be blamed for it
    return false;
  }
  return status != cudaStreamCaptureStatusNone;
}

}  // namespace torch::taper::cuda

#define TAPER_CUDA_CHECK(call) ::taper::cuda::check_status((call), #call, __FILE__, __LINE__)
