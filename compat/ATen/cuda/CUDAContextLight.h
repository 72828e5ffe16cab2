// Properties of devices, and the handles of cuBLAS, cuSOLVER and cuSPARSE. Each thread has separate
// handles, which use the thread's current stream. If the toolkit has no headers of a library, the
// functions for this library are omitted.
#pragma once

#include <array>
#include <cstring>
#include <mutex>

#include <ATen/cuda/Exceptions.h>
#include <c10/cuda/CUDAFunctions.h>
#include <taper/framework/debug/simulated.h>

namespace at::cuda {
inline int64_t getNumGPUs() { return taper::cuda::device_count(); }
inline int warp_size() { return 32; }

#ifdef TORCH_PRIVATE_CUDA_TOOLKIT
/// Returns a device's properties. For a simulated device, only the name, the memory size and the
/// compute capability are set.
inline cudaDeviceProp* getDeviceProperties(DeviceIndex device = -1) {
  static std::array<std::once_flag, C10_COMPILE_TIME_MAX_GPUS> once;
  static std::array<cudaDeviceProp, C10_COMPILE_TIME_MAX_GPUS> all{};
  const DeviceIndex index = device < 0 ? taper::cuda::current_device() : device;
  const taper::DeviceProperties known = taper::cuda::get_device_properties(index);
  const auto place = static_cast<size_t>(index);
  std::call_once(once[place], [&] {
    cudaDeviceProp& p = all[place];
    if (!taper::cuda::is_simulated()) {
      C10_CUDA_CHECK(cudaGetDeviceProperties(&p, index));
      return;
    }
    std::strncpy(p.name, known.name.c_str(), sizeof p.name - 1);
    p.totalGlobalMem = known.total_memory;
    p.major = known.major;
    p.minor = known.minor;
    p.multiProcessorCount = known.multi_processor_count;
    p.warpSize = warp_size();
    p.maxThreadsPerBlock = 1024;
  });
  return &all[place];
}
inline cudaDeviceProp* getCurrentDeviceProperties() { return getDeviceProperties(-1); }
#endif
}  // namespace at::cuda

namespace torch_compat {
inline void* library_handle(taper::Runtime::Library library) {
  return taper::detail::require_cuda().library_handle(library,
                                                      taper::cuda::current_stream().impl());
}
}  // namespace torch_compat

#ifdef TORCH_PRIVATE_CUDA_TOOLKIT
#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
namespace at::cuda {
inline cublasHandle_t getCurrentCUDABlasHandle() {
  return static_cast<cublasHandle_t>(torch_compat::library_handle(taper::Runtime::Library::kBlas));
}
}  // namespace at::cuda
#endif
#if __has_include(<cublasLt.h>)
#include <cublasLt.h>
namespace at::cuda {
inline cublasLtHandle_t getCurrentCUDABlasLtHandle() {
  return static_cast<cublasLtHandle_t>(
      torch_compat::library_handle(taper::Runtime::Library::kBlasLt));
}
}  // namespace at::cuda
#endif
#if __has_include(<cusolverDn.h>)
#include <cusolverDn.h>
namespace at::cuda {
inline cusolverDnHandle_t getCurrentCUDASolverDnHandle() {
  return static_cast<cusolverDnHandle_t>(
      torch_compat::library_handle(taper::Runtime::Library::kSolver));
}
}  // namespace at::cuda
#endif
#if __has_include(<cusparse.h>)
#include <cusparse.h>
namespace at::cuda {
inline cusparseHandle_t getCurrentCUDASparseHandle() {
  return static_cast<cusparseHandle_t>(
      torch_compat::library_handle(taper::Runtime::Library::kSparse));
}
}  // namespace at::cuda
#endif
#endif
