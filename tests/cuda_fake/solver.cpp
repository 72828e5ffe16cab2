// A fake of cuSOLVER, and of what cuBLAS has of factors and solutions: its entry points.
#include "cuda_fake/solver.h"

using namespace fake_cuda;
using namespace fake_cuda::solver;

struct gesvdjInfo {
  double tolerance = 0;
};
struct syevjInfo {};
struct cusolverDnParams {};

namespace {

template <class Made>
cusolverStatus_t make_params(const char* function, Made** made, const char* kind) {
  LibraryCall call(function);
  if (call) call.make_object(*made = new Made, kind);
  return call.status(CUSOLVER_STATUS_ALLOC_FAILED, CUSOLVER_STATUS_ALLOC_FAILED);
}
template <class Made>
cusolverStatus_t end_params(const char* function, Made* params, const char* kind) {
  LibraryCall call(function);
  if (call.end_object(params, kind)) delete params;
  return status(call);
}

}  // namespace

extern "C" {

// ---------------------------------------------------------------------- objects
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
  LibraryCall call("cusolverDnCreate");
  make_handle(call, handle, kHandle);
  return call.status(CUSOLVER_STATUS_NOT_INITIALIZED, CUSOLVER_STATUS_NOT_INITIALIZED);
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  LibraryCall call("cusolverDnDestroy");
  if (call.end_object(handle, kHandle)) delete reinterpret_cast<char*>(handle);
  return status(call);
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  LibraryCall call("cusolverDnSetStream");
  call.object(handle, kHandle);
  call.stream(stream);
  if (call) settings(handle).stream = stream;
  return call.status(CUSOLVER_STATUS_INVALID_VALUE, CUSOLVER_STATUS_INTERNAL_ERROR);
}
cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo_t* params) {
  return make_params("cusolverDnCreateGesvdjInfo", params, kSvd);
}
cusolverStatus_t cusolverDnDestroyGesvdjInfo(gesvdjInfo_t params) {
  return end_params("cusolverDnDestroyGesvdjInfo", params, kSvd);
}
cusolverStatus_t cusolverDnXgesvdjSetTolerance(gesvdjInfo_t params, double tolerance) {
  LibraryCall call("cusolverDnXgesvdjSetTolerance");
  call.object(params, kSvd);
  call.demand(tolerance > 0, "a tolerance that is none");
  if (call) params->tolerance = tolerance;
  return status(call);
}
cusolverStatus_t cusolverDnXgesvdjSetMaxSweeps(gesvdjInfo_t params, int most) {
  LibraryCall call("cusolverDnXgesvdjSetMaxSweeps");
  call.object(params, kSvd);
  call.demand(most > 0, "no sweeps");
  return status(call);
}
cusolverStatus_t cusolverDnCreateSyevjInfo(syevjInfo_t* params) {
  return make_params("cusolverDnCreateSyevjInfo", params, kEig);
}
cusolverStatus_t cusolverDnDestroySyevjInfo(syevjInfo_t params) {
  return end_params("cusolverDnDestroySyevjInfo", params, kEig);
}
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* params) {
  return make_params("cusolverDnCreateParams", params, kParams);
}
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params) {
  return end_params("cusolverDnDestroyParams", params, kParams);
}

// ---------------------------------------------------------------------- for each type
#define FAKE_SOLVER(S, T, gqr, sy, R)                                                              \
  cublasStatus_t cublas##S##getrfBatched(cublasHandle_t h, int n, T* const a[], int lda, int* p,   \
                                         int* info, int count) {                                   \
    return getrf_batched(h, n, a, lda, p, info, count);                                            \
  }                                                                                                \
  cublasStatus_t cublas##S##getrsBatched(cublasHandle_t h, cublasOperation_t trans, int n, int k,  \
                                         const T* const a[], int lda, const int* p, T* const b[],  \
                                         int ldb, int* info, int count) {                          \
    return getrs_batched(h, trans, n, k, a, lda, p, b, ldb, info, count);                          \
  }                                                                                                \
  cublasStatus_t cublas##S##trsm_v2(                                                               \
      cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,     \
      cublasDiagType_t diag, int m, int n, const T* alpha, const T* a, int lda, T* b, int ldb) {   \
    return trsm(h, Triangular<T>{side, uplo, trans, diag, m, n, lda, ldb, *alpha}, a, b);          \
  }                                                                                                \
  cublasStatus_t cublas##S##trsmBatched(                                                           \
      cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,     \
      cublasDiagType_t diag, int m, int n, const T* alpha, const T* const a[], int lda,            \
      T* const b[], int ldb, int count) {                                                          \
    return trsm_batched(h, Triangular<T>{side, uplo, trans, diag, m, n, lda, ldb, *alpha}, a, b,   \
                        count);                                                                    \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##getrf_bufferSize(cusolverDnHandle_t h, int m, int n, T*,         \
                                                   int lda, int* room) {                           \
    return buffer_size("cusolverDnGetrf", h, room, m, n, lda);                                     \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##getrf(cusolverDnHandle_t h, int m, int n, T* a, int lda,         \
                                        T* room, int* pivots, int* info) {                         \
    return getrf(h, m, n, a, lda, room, pivots, info);                                             \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##getrs(cusolverDnHandle_t h, cublasOperation_t trans, int n,      \
                                        int k, const T* a, int lda, const int* pivots, T* b,       \
                                        int ldb, int* info) {                                      \
    return getrs(h, trans, n, k, a, lda, pivots, b, ldb, info);                                    \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##potrf_bufferSize(cusolverDnHandle_t h, cublasFillMode_t uplo,    \
                                                   int n, T*, int lda, int* room) {                \
    return buffer_size("cusolverDnPotrf", h, room, uplo, n, lda);                                  \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##potrf(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T* a,  \
                                        int lda, T* room, int length, int* info) {                 \
    return potrf(h, uplo, n, a, lda, room, length, info);                                          \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##potrfBatched(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, \
                                               T* a[], int lda, int* info, int count) {            \
    return potrf_batched(h, uplo, n, a, lda, info, count);                                         \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##geqrf_bufferSize(cusolverDnHandle_t h, int m, int n, T*,         \
                                                   int lda, int* room) {                           \
    return buffer_size("cusolverDnGeqrf", h, room, m, n, lda);                                     \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##geqrf(cusolverDnHandle_t h, int m, int n, T* a, int lda, T* tau, \
                                        T* room, int length, int* info) {                          \
    return geqrf(h, m, n, a, lda, tau, room, length, info);                                        \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##gqr##_bufferSize(cusolverDnHandle_t h, int m, int n, int k,      \
                                                   const T*, int lda, const T*, int* room) {       \
    return buffer_size("cusolverDnOrgqr", h, room, m, n, k, lda);                                  \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##gqr(cusolverDnHandle_t h, int m, int n, int k, T* a, int lda,    \
                                      const T* tau, T* room, int length, int* info) {              \
    return orgqr(h, m, n, k, a, lda, tau, room, length, info);                                     \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##sytrf_bufferSize(cusolverDnHandle_t h, int n, T*, int lda,       \
                                                   int* room) {                                    \
    return buffer_size("cusolverDnSytrf", h, room, n, lda);                                        \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##sytrf(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T* a,  \
                                        int lda, int* pivots, T* room, int length, int* info) {    \
    return sytrf(h, uplo, n, a, lda, pivots, room, length, info);                                  \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##gesvdj_bufferSize(                                               \
      cusolverDnHandle_t h, cusolverEigMode_t mode, int econ, int m, int n, const T*, int lda,     \
      const R*, const T*, int ldu, const T*, int ldv, int* room, gesvdjInfo_t) {                   \
    return buffer_size("cusolverDnGesvdj", h, room, mode, econ != 0, m, n, lda, ldu, ldv, -1);     \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##gesvdj(                                                          \
      cusolverDnHandle_t h, cusolverEigMode_t mode, int econ, int m, int n, T* a, int lda, R* s,   \
      T* u, int ldu, T* v, int ldv, T* room, int length, int* info, gesvdjInfo_t params) {         \
    return gesvdj("cusolverDnGesvdj", h, mode, econ != 0, m, n, a, lda, s, u, ldu, v, ldv, room,   \
                  length, info, params, -1);                                                       \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##gesvdjBatched_bufferSize(                                        \
      cusolverDnHandle_t h, cusolverEigMode_t mode, int m, int n, const T*, int lda, const R*,     \
      const T*, int ldu, const T*, int ldv, int* room, gesvdjInfo_t, int count) {                  \
    return buffer_size("cusolverDnGesvdjBatched", h, room, mode, false, m, n, lda, ldu, ldv,       \
                       count);                                                                     \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##gesvdjBatched(                                                   \
      cusolverDnHandle_t h, cusolverEigMode_t mode, int m, int n, T* a, int lda, R* s, T* u,       \
      int ldu, T* v, int ldv, T* room, int length, int* info, gesvdjInfo_t params, int count) {    \
    return gesvdj("cusolverDnGesvdjBatched", h, mode, false, m, n, a, lda, s, u, ldu, v, ldv,      \
                  room, length, info, params, count);                                              \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##sy##evd_bufferSize(cusolverDnHandle_t h, cusolverEigMode_t mode, \
                                                     cublasFillMode_t uplo, int n, const T*,       \
                                                     int lda, const R*, int* room) {               \
    return buffer_size("cusolverDnSyevd", h, room, mode, uplo, n, lda, -1);                        \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##sy##evd(cusolverDnHandle_t h, cusolverEigMode_t mode,            \
                                          cublasFillMode_t uplo, int n, T* a, int lda, R* w,       \
                                          T* room, int length, int* info) {                        \
    return syev("cusolverDnSyevd", h, mode, uplo, n, a, lda, w, room, length, info, -1);           \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##sy##evjBatched_bufferSize(                                       \
      cusolverDnHandle_t h, cusolverEigMode_t mode, cublasFillMode_t uplo, int n, const T*,        \
      int lda, const R*, int* room, syevjInfo_t, int count) {                                      \
    return buffer_size("cusolverDnSyevjBatched", h, room, mode, uplo, n, lda, count);              \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##sy##evjBatched(                                                  \
      cusolverDnHandle_t h, cusolverEigMode_t mode, cublasFillMode_t uplo, int n, T* a, int lda,   \
      R* w, T* room, int length, int* info, syevjInfo_t params, int count) {                       \
    LibraryCall call("parameters");                                                                \
    call.object(params, kEig);                                                                     \
    if (!call) return status(call);                                                                \
    return syev("cusolverDnSyevjBatched", h, mode, uplo, n, a, lda, w, room, length, info, count); \
  }
FAKE_SOLVER(S, float, orgqr, sy, float)
FAKE_SOLVER(D, double, orgqr, sy, double)
FAKE_SOLVER(C, cuComplex, ungqr, he, float)
FAKE_SOLVER(Z, cuDoubleComplex, ungqr, he, double)

// ---------------------------------------------------------------------- with 64-bit sizes
cusolverStatus_t cusolverDnXsytrs_bufferSize(cusolverDnHandle_t h, cublasFillMode_t uplo, int64_t n,
                                             int64_t k, cudaDataType type, const void*, int64_t lda,
                                             const int64_t*, cudaDataType, void*, int64_t ldb,
                                             size_t* on_device, size_t* on_host) {
  LibraryCall call("cusolverDnXsytrs_bufferSize");
  check_handle(call, h);
  tell_rooms(call, h, key("cusolverDnXsytrs", uplo, n, k, type, lda, ldb), on_device, on_host);
  return status(call);
}
cusolverStatus_t cusolverDnXsytrs(cusolverDnHandle_t h, cublasFillMode_t uplo, int64_t n, int64_t k,
                                  cudaDataType type, const void* a, int64_t lda,
                                  const int64_t* pivots, cudaDataType type_b, void* b, int64_t ldb,
                                  void* room, size_t nbytes, void* host, size_t host_nbytes,
                                  int* info) {
  LibraryCall call("cusolverDnXsytrs");
  check_handle(call, h);
  call.demand(type == type_b, "other types of matrices");
  check_array(call, "the pivots", pivots, n);
  check_array(call, "info", info, 1);
  check_rooms(call, h, key("cusolverDnXsytrs", uplo, n, k, type, lda, ldb), room, nbytes, host,
              host_nbytes);
  for_type(call, type, [&]<class T>(T) {
    const auto* const from = static_cast<const T*>(a);
    auto* const to = static_cast<T*>(b);
    check_matrix(call, "A", from, n, n, lda);
    check_matrix(call, "B", to, n, k, ldb);
    call.run([=] {
      solve_ldl(uplo, static_cast<int>(n), static_cast<int>(k), from, static_cast<int>(lda), pivots,
                to, static_cast<int>(ldb), info);
    });
  });
  return status(call);
}
cusolverStatus_t cusolverDnXgeev_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t params,
                                            cusolverEigMode_t, cusolverEigMode_t right, int64_t n,
                                            cudaDataType type, const void*, int64_t lda,
                                            cudaDataType, const void*, cudaDataType, const void*,
                                            int64_t, cudaDataType, const void*, int64_t ldv,
                                            cudaDataType, size_t* on_device, size_t* on_host) {
  LibraryCall call("cusolverDnXgeev_bufferSize");
  check_handle(call, h);
  call.object(params, kParams);
  tell_rooms(call, h, key("cusolverDnXgeev", right, n, type, lda, ldv), on_device, on_host);
  return status(call);
}
// A part of it runs on the host.
cusolverStatus_t cusolverDnXgeev(cusolverDnHandle_t h, cusolverDnParams_t params,
                                 cusolverEigMode_t left, cusolverEigMode_t right, int64_t n,
                                 cudaDataType type, void* a, int64_t lda, cudaDataType type_w,
                                 void* w, cudaDataType type_l, void*, int64_t, cudaDataType type_v,
                                 void* v, int64_t ldv, cudaDataType compute, void* room,
                                 size_t nbytes, void* host, size_t host_nbytes, int* info) {
  LibraryCall call("cusolverDnXgeev");
  check_handle(call, h);
  call.object(params, kParams);
  call.waits();
  call.demand(left == CUSOLVER_EIG_MODE_NOVECTOR, "left eigenvectors");
  call.demand(type == type_w && type == type_l && type == type_v && type == compute,
              "other types of matrices");
  check_array(call, "info", info, 1);
  check_rooms(call, h, key("cusolverDnXgeev", right, n, type, lda, ldv), room, nbytes, host,
              host_nbytes);
  const bool vectors = right == CUSOLVER_EIG_MODE_VECTOR;
  for_type(call, type, [&]<class T>(T) {
    if constexpr (is_complex<T>) {
      check_matrix(call, "A", static_cast<T*>(a), n, n, lda);
      check_array(call, "W", static_cast<T*>(w), n);
      if (vectors) check_matrix(call, "VR", static_cast<T*>(v), n, n, ldv);
      call.run([=] {
        eigen_general(static_cast<int>(n), static_cast<T*>(a), static_cast<int>(lda),
                      static_cast<T*>(w), vectors ? static_cast<T*>(v) : nullptr,
                      static_cast<int>(ldv), info);
      });
    } else {
      call.demand(false, "a real matrix, which the fake library does not take");
    }
  });
  return status(call);
}

}  // extern "C"
