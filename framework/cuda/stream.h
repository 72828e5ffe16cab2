// Functions of the runtime for a CUDA kernel's host side. For files that nvcc compiles.
#pragma once

#include <cuda_runtime_api.h>

#include <taper/framework/core/check.h>

namespace torch::taper::cuda {

/// Returns the stream of the launch that is being made.
cudaStream_t kernel_stream();
/// Throws Error with the call, CUDA's words, file and line unless `status` is success.
void check_status(cudaError_t status, const char* call, const char* file, int line);
/// Launches a __global__ function on kernel_stream(). Throws the launch's error.
void launch_kernel(const void* kernel, int blocks, int threads, void** arguments);
/// Returns how many threads the launch's device runs at once. With fewer threads, parts of it are
/// idle.
int64_t resident_threads();
/// Returns whether work of this stream is being recorded. If so, nothing may wait for it.
inline bool is_capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(stream, &status) != cudaSuccess) {
    (void)cudaGetLastError();  // or the next launch would report it
    return false;
  }
  return status != cudaStreamCaptureStatusNone;
}

}  // namespace torch::taper::cuda

#define TAPER_CUDA_CHECK(call) ::taper::cuda::check_status((call), #call, __FILE__, __LINE__)
