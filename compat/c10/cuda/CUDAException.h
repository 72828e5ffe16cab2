// C10_CUDA_CHECK and similar macros, which throw Error if a call of CUDA fails.
#pragma once

#include <c10/cuda/CUDAStream.h>
#include <c10/util/Exception.h>
#include <taper/extension/cuda_interop.h>

namespace c10 {
using CUDAError = taper::Error;
using AcceleratorError = taper::Error;
}  // namespace c10

#ifdef TORCH_PRIVATE_CUDA_TOOLKIT
#define C10_CUDA_CHECK(call)                                                                  \
  do {                                                                                        \
    const cudaError_t torch_cuda_status = (call);                                             \
    if (C10_UNLIKELY(torch_cuda_status != cudaSuccess)) {                                     \
      (void)cudaGetLastError();                                                               \
      ::taper::cuda::throw_cuda_error(cudaGetErrorString(torch_cuda_status), #call, __FILE__, \
                                      __LINE__);                                              \
    }                                                                                         \
  } while (false)
#define C10_CUDA_CHECK_WARN(call)                                                               \
  do {                                                                                          \
    const cudaError_t torch_cuda_status = (call);                                               \
    if (C10_UNLIKELY(torch_cuda_status != cudaSuccess)) {                                       \
      (void)cudaGetLastError();                                                                 \
      ::taper::cuda::warn_of_cuda_error(cudaGetErrorString(torch_cuda_status), #call, __FILE__, \
                                        __LINE__);                                              \
    }                                                                                           \
  } while (false)
#define C10_CUDA_ERROR_HANDLED(call) (call)
#define C10_CUDA_IGNORE_ERROR(call)                      \
  do {                                                   \
    if ((call) != cudaSuccess) (void)cudaGetLastError(); \
  } while (false)
#define C10_CUDA_CLEAR_ERROR() (void)cudaGetLastError()
/// Throws Error if the last launch of a kernel failed.
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#endif
#define AT_CUDA_CHECK(call) C10_CUDA_CHECK(call)
