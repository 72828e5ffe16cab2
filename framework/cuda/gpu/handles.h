// cuBLAS, cuSOLVER, cuDNN, cuFFT and cuSPARSE. They are hundreds of megabytes, so each library is
// loaded when it is first needed. Each device and thread has a handle, bound to the stream of the
// launch. Not installed.
#pragma once

#include <cublas_v2.h>
#include <cudnn.h>
#include <cusolverDn.h>
#include <cusparse.h>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::cuda {

/// Workspace of a product: cuBLAS's default on recent GPUs.
constexpr size_t kCublasRoom = size_t{32} << 20;

// Return the calling thread's handle, set to the stream of the launch. A handle that was returned
// for the program is set in each call, because the program may change it. Others are set only if
// the stream has changed.
cublasHandle_t cublas_handle(bool for_program = false);
cusolverDnHandle_t cusolver_handle(bool for_program = false);
cudnnHandle_t cudnn_handle();
cusparseHandle_t cusparse_handle(bool for_program = false);
/// Returns cuBLAS's handle, also set to a workspace of kCublasRoom bytes and to a math mode.
cublasHandle_t cublas_handle(void* workspace, cublasMath_t mode);
/// Returns whether cuDNN can be loaded, for ops with other kernels.
bool has_cudnn();

// Return a function of the library by name, or of a library that it needs (cuBLASLt). If the
// library is missing, throw Error, which says what to install.
void* cublas_function(const char* name);
void* cusolver_function(const char* name);
void* cudnn_function(const char* name);
void* cufft_function(const char* name);
void* cusparse_function(const char* name);
// Throw Error with the call, the library's words, file and line unless the status is success.
void check_cublas(cublasStatus_t status, const char* call, const char* file, int line);
void check_cusolver(cusolverStatus_t status, const char* call, const char* file, int line);
void check_cusparse(cusparseStatus_t status, const char* call, const char* file, int line);
void check_cudnn(cudnnStatus_t status, const char* call, const char* file, int line);

}  // namespace torch::taper::cuda

/// Returns the function. Each place of use looks it up once. `library` is cublas, cusolver, cudnn,
/// cufft or cusparse.
#define TAPER_LIBRARY_FUNCTION(library, name)                                          \
  ([] {                                                                                \
    static const auto f =                                                              \
        reinterpret_cast<decltype(&::name)>(::taper::cuda::library##_function(#name)); \
    return f;                                                                          \
  }())
/// Calls the function and checks its status.
#define TAPER_LIBRARY_CALL(library, name, ...)                                              \
  ::taper::cuda::check_##library(TAPER_LIBRARY_FUNCTION(library, name)(__VA_ARGS__), #name, \
                                 __FILE__, __LINE__)
