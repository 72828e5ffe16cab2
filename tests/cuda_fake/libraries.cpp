// Fakes of the libraries that are loaded by name: handles that are counted, and products that are
// described and chosen but not computed.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cudnn.h>
#include <cusolverDn.h>
#include <dlfcn.h>

#include <cstring>

#include "cuda_fake/state.h"

using namespace fake_cuda;

namespace {

template <class Handle, class Status>
Status make_handle(const char* function, Handle* handle, Status success, Status failure) {
  const auto make = [&] {
    ++state().handles;
    *handle = reinterpret_cast<Handle>(new int(here().device));
    return use(here().device);
  };
  return entry(function, make) == cudaSuccess ? success : failure;
}
template <class Status>
Status counted(const char* function, Status success, Status failure) {
  return entry(function, [] { return cudaSuccess; }) == cudaSuccess ? success : failure;
}

}  // namespace

extern "C" {

// The test program is linked with --wrap=dlopen: these libraries are the program itself.
void* __real_dlopen(const char* file, int flags);
void* __wrap_dlopen(const char* file, int flags) {
  for (const char* ours : {"libcublas.so", "libcusolver.so", "libcudnn.so"})
    if (file && !std::strncmp(file, ours, std::strlen(ours))) file = nullptr;
  return __real_dlopen(file, flags);
}

// ---------------------------------------------------------------------- cuBLAS
cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  return make_handle("cublasCreate", handle, CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_NOT_INITIALIZED);
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  const CUstream_st* const s = stream_of(stream);
  if (!s || *reinterpret_cast<const int*>(handle) != s->device)
    violation("a handle of cuBLAS on another device's stream", cudaErrorInvalidResourceHandle);
  return counted("cublasSetStream", CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_INTERNAL_ERROR);
}
const char* cublasGetStatusString(cublasStatus_t) { return "a status of cuBLAS"; }

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* d, cublasComputeType_t,
                                        cudaDataType_t) {
  *d = reinterpret_cast<cublasLtMatmulDesc_t>(new char);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t, cublasLtMatmulDescAttributes_t,
                                              const void*, size_t) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* d, cudaDataType_t, uint64_t,
                                          uint64_t, int64_t) {
  *d = reinterpret_cast<cublasLtMatrixLayout_t>(new char);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* p) {
  *p = reinterpret_cast<cublasLtMatmulPreference_t>(new char);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t,
                                                    cublasLtMatmulPreferenceAttributes_t,
                                                    const void*, size_t) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t p) {
  delete reinterpret_cast<char*>(p);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatmulPreference_t, int,
                                              cublasLtMatmulHeuristicResult_t* found, int* count) {
  *count = 1;
  found->state = CUBLAS_STATUS_SUCCESS;
  found->workspaceSize = 1024;
  return counted("cublasLtMatmulAlgoGetHeuristic", CUBLAS_STATUS_SUCCESS,
                 CUBLAS_STATUS_NOT_SUPPORTED);
}
cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t, const void*, const void*,
                              cublasLtMatrixLayout_t, const void*, cublasLtMatrixLayout_t,
                              const void*, const void*, cublasLtMatrixLayout_t, void*,
                              cublasLtMatrixLayout_t, const cublasLtMatmulAlgo_t*, void*, size_t,
                              cudaStream_t) {
  return counted("cublasLtMatmul", CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_EXECUTION_FAILED);
}

// ---------------------------------------------------------------------- cuSOLVER, cuDNN
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
  return make_handle("cusolverDnCreate", handle, CUSOLVER_STATUS_SUCCESS,
                     CUSOLVER_STATUS_NOT_INITIALIZED);
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t, cudaStream_t) {
  return counted("cusolverDnSetStream", CUSOLVER_STATUS_SUCCESS, CUSOLVER_STATUS_INTERNAL_ERROR);
}
cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  return make_handle("cudnnCreate", handle, CUDNN_STATUS_SUCCESS, CUDNN_STATUS_NOT_INITIALIZED);
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t, cudaStream_t) {
  return counted("cudnnSetStream", CUDNN_STATUS_SUCCESS, CUDNN_STATUS_INTERNAL_ERROR);
}

}  // extern "C"
