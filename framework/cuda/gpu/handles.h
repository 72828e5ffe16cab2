// Handles and functions of cuBLAS, cuSOLVER, cuDNN, cuFFT and cuSPARSE. The libraries have hundreds
// of megabytes, so each one is loaded when it is first needed. Each thread has a separate handle of
// a library for each device. Not installed.
#pragma once

#include <cublas_v2.h>
#include <cudnn.h>
#include <cusolverDn.h>
#include <cusparse.h>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::cuda {

/// Bytes of the workspace of a product: cuBLAS's default on recent GPUs.
constexpr size_t kCublasRoom = size_t{32} << 20;

// Return the calling thread's handle, set to the stream of the launch. With `for_program`, the
// program gets the handle and may change its stream. So each later call sets the stream again. The
// stream of other handles is set only if the launch has another stream.
cublasHandle_t cublas_handle(bool for_program = false);
cusolverDnHandle_t cusolver_handle(bool for_program = false);
cudnnHandle_t cudnn_handle();
cusparseHandle_t cusparse_handle(bool for_program = false);
/// Returns cuBLAS's handle like cublas_handle(), and sets its workspace (kCublasRoom bytes) and its
/// math mode.
cublasHandle_t cublas_handle(void* workspace, cublasMath_t mode);
/// Returns whether cuDNN can be loaded. If not, ops use their other kernels.
bool has_cudnn();

// Return a function by its name in the library, or in a library that this one depends on
// (cuBLASLt). If the library is missing, throw Error with advice on what to install.
void* cublas_function(const char* name);
void* cusolver_function(const char* name);
void* cudnn_function(const char* name);
void* cufft_function(const char* name);
void* cusparse_function(const char* name);
// Unless the status is success, throw Error with the call, the library's message, file and line.
void check_cublas(cublasStatus_t status, const char* call, const char* file, int line);
void check_cusolver(cusolverStatus_t status, const char* call, const char* file, int line);
void check_cusparse(cusparseStatus_t status, const char* call, const char* file, int line);
void check_cudnn(cudnnStatus_t status, const char* call, const char* file, int line);

}  // namespace torch::taper::cuda

/// Returns the function `name` of `library`: cublas, cusolver, cudnn, cufft or cusparse. Each use
/// of this macro in the code looks the function up once.
#define TAPER_LIBRARY_FUNCTION(library, name)                                          \
  ([] {                                                                                \
    static const auto f =                                                              \
        reinterpret_cast<decltype(&::name)>(::taper::cuda::library##_function(#name)); \
    return f;                                                                          \
  }())
/// Calls the function `name` of `library`. Throws Error unless it returns success.
#define TAPER_LIBRARY_CALL(library, name, ...)                                              \
  ::taper::cuda::check_##library(TAPER_LIBRARY_FUNCTION(library, name)(__VA_ARGS__), #name, \
                                 __FILE__, __LINE__)
