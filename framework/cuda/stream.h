// Functions of the runtime for the host code of CUDA kernels. For files that nvcc compiles.
#pragma once

#include <cuda_runtime_api.h>

#include <taper/framework/core/check.h>

namespace torch::taper::cuda {

/// Returns the stream of the launch that is being made.
cudaStream_t kernel_stream();
/// Unless `status` is success, throws Error with the call, CUDA's message, file and line.
void check_status(cudaError_t status, const char* call, const char* file, int line);
/// Launches a __global__ function on kernel_stream(). Throws the launch's error.
void launch_kernel(const void* kernel, int blocks, int threads, void** arguments);
/// Returns how many threads the launch's device runs at once. With fewer threads, parts of the
/// device are idle.
int64_t resident_threads();
/// Returns whether work of this stream is being recorded. If so, the host must not wait for the
/// stream.
inline bool is_capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(stream, &status) != cudaSuccess) {
    (void)cudaGetLastError();  // otherwise the next launch would report it
    return false;
  }
  return status != cudaStreamCaptureStatusNone;
}

}  // namespace torch::taper::cuda

#define TAPER_CUDA_CHECK(call) ::taper::cuda::check_status((call), #call, __FILE__, __LINE__)
