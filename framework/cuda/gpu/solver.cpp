#include <taper/framework/cuda/solver.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include <taper/framework/cuda/gpu/handles.h>
#include <taper/framework/cuda/scratch.h>

namespace torch::taper::cuda::solver {
namespace {

cublasFillMode_t fill(Triangle t) {
  return t == Triangle::lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
}
cublasDiagType_t diagonal(bool unit) { return unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT; }
cusolverEigMode_t mode(bool vectors) {
  return vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
}
/// Is the library's own type for T, which has the same bytes.
template <class T>
struct Native {
  using type = T;
};
template <>
struct Native<numbers::complex<float>> {
  using type = cuComplex;
};
template <>
struct Native<numbers::complex<double>> {
  using type = cuDoubleComplex;
};
template <class T>
using native_t = typename Native<T>::type;
template <class T>
native_t<T>* native(T* p) {
  return reinterpret_cast<native_t<T>*>(p);
}
template <class T>
const native_t<T>* native(const T* p) {
  return reinterpret_cast<const native_t<T>*>(p);
}
template <class T>
native_t<T>* const* native(T* const* p) {
  return reinterpret_cast<native_t<T>* const*>(p);
}
template <class T>
const native_t<T>* const* native(const T* const* p) {
  return reinterpret_cast<const native_t<T>* const*>(p);
}
template <class T>
constexpr cudaDataType kType = std::is_same_v<T, float>                     ? CUDA_R_32F
                               : std::is_same_v<T, double>                  ? CUDA_R_64F
                               : std::is_same_v<T, numbers::complex<float>> ? CUDA_C_32F
                                                                            : CUDA_C_64F;

/// Calls the library's function for T: `name` with the prefix S or D, or `complex_name` with C or
/// Z.
#define TAPER_CALL_FOR(T, library, prefix, name, complex_name, ...)      \
  do {                                                                   \
    if constexpr (std::is_same_v<T, float>)                              \
      TAPER_LIBRARY_CALL(library, prefix##S##name, __VA_ARGS__);         \
    else if constexpr (std::is_same_v<T, double>)                        \
      TAPER_LIBRARY_CALL(library, prefix##D##name, __VA_ARGS__);         \
    else if constexpr (std::is_same_v<T, numbers::complex<float>>)       \
      TAPER_LIBRARY_CALL(library, prefix##C##complex_name, __VA_ARGS__); \
    else                                                                 \
      TAPER_LIBRARY_CALL(library, prefix##Z##complex_name, __VA_ARGS__); \
  } while (false)
#define TAPER_SOLVER_OF(T, name, complex_name, ...) \
  TAPER_CALL_FOR(T, cusolver, cusolverDn, name, complex_name, __VA_ARGS__)
#define TAPER_SOLVER(T, name, ...) TAPER_SOLVER_OF(T, name, name, __VA_ARGS__)
#define TAPER_BATCH_SOLVER(T, name, ...) TAPER_CALL_FOR(T, cublas, cublas, name, name, __VA_ARGS__)

/// Holds cuBLAS's handle with a workspace of this scope, as products use it (gemm.h).
class Cublas {
 public:
  Cublas() : room_(kCublasRoom), handle_(cublas_handle(room_.get(), CUBLAS_DEFAULT_MATH)) {}
  cublasHandle_t handle() const { return handle_; }

 private:
  Scratch<char> room_;
  cublasHandle_t handle_;
};

// Returns a workspace. A library may ask for none.
template <class T>
Scratch<T> room(int length) {
  return Scratch<T>(std::max(length, 1));
}

struct EndGesvdj {
  void operator()(gesvdjInfo_t p) const {
    (void)TAPER_LIBRARY_FUNCTION(cusolver, cusolverDnDestroyGesvdjInfo)(p);
  }
};
struct EndSyevj {
  void operator()(syevjInfo_t p) const {
    (void)TAPER_LIBRARY_FUNCTION(cusolver, cusolverDnDestroySyevjInfo)(p);
  }
};

struct EndParameters {
  void operator()(cusolverDnParams_t p) const {
    (void)TAPER_LIBRARY_FUNCTION(cusolver, cusolverDnDestroyParams)(p);
  }
};

/// Sets Jacobi's method to the precision of the dtype.
template <class T>
std::unique_ptr<gesvdjInfo, EndGesvdj> svd_parameters() {
  gesvdjInfo_t made = nullptr;
  TAPER_LIBRARY_CALL(cusolver, cusolverDnCreateGesvdjInfo, &made);
  std::unique_ptr<gesvdjInfo, EndGesvdj> p(made);
  TAPER_LIBRARY_CALL(cusolver, cusolverDnXgesvdjSetTolerance, made,
                     static_cast<double>(std::numeric_limits<part_t<T>>::epsilon()));
  TAPER_LIBRARY_CALL(cusolver, cusolverDnXgesvdjSetMaxSweeps, made, 400);
  return p;
}

}  // namespace

template <class T>
void getrf(int m, int n, T* a, int* pivots, int* info) {
  const cusolverDnHandle_t h = cusolver_handle();
  int length = 0;
  TAPER_SOLVER(T, getrf_bufferSize, h, m, n, native(a), m, &length);
  const Scratch<T> work = room<T>(length);
  TAPER_SOLVER(T, getrf, h, m, n, native(a), m, native(work.get()), pivots, info);
}

template <class T>
void getrf_batched(int n, T* const* a, int* pivots, int* info, int count) {
  const Cublas c;
  TAPER_BATCH_SOLVER(T, getrfBatched, c.handle(), n, native(a), n, pivots, info, count);
}

template <class T>
void getrs(int n, int k, const T* lu, const int* pivots, T* b) {
  const Scratch<int> info(1);
  TAPER_SOLVER(T, getrs, cusolver_handle(), CUBLAS_OP_N, n, k, native(lu), n, pivots, native(b), n,
               info.get());
}

template <class T>
void getrs_batched(int n, int k, const T* const* lu, const int* pivots, T* const* b, int count) {
  const Cublas c;
  int wrong_argument = 0;  // an index on the host
  TAPER_BATCH_SOLVER(T, getrsBatched, c.handle(), CUBLAS_OP_N, n, k, native(lu), n, pivots,
                     native(b), n, &wrong_argument, count);
}

template <class T>
void potrf(Triangle triangle, int n, T* a, int* info) {
  const cusolverDnHandle_t h = cusolver_handle();
  int length = 0;
  TAPER_SOLVER(T, potrf_bufferSize, h, fill(triangle), n, native(a), n, &length);
  const Scratch<T> work = room<T>(length);
  TAPER_SOLVER(T, potrf, h, fill(triangle), n, native(a), n, native(work.get()), length, info);
}

template <class T>
void potrf_batched(Triangle triangle, int n, T* const* a, int* info, int count) {
  TAPER_SOLVER(T, potrfBatched, cusolver_handle(), fill(triangle), n,
               const_cast<native_t<T>**>(native(a)), n, info, count);
}

template <class T>
void trsm(Triangle triangle, bool unit, int m, int n, const T* a, T* b) {
  const Cublas c;
  alignas(native_t<T>) const T one = 1;
  TAPER_BATCH_SOLVER(T, trsm_v2, c.handle(), CUBLAS_SIDE_RIGHT, fill(triangle), CUBLAS_OP_N,
                     diagonal(unit), m, n, native(&one), native(a), n, native(b), m);
}

template <class T>
void trsm_batched(Triangle triangle, bool unit, int m, int n, const T* const* a, T* const* b,
                  int count) {
  const Cublas c;
  alignas(native_t<T>) const T one = 1;
  TAPER_BATCH_SOLVER(T, trsmBatched, c.handle(), CUBLAS_SIDE_RIGHT, fill(triangle), CUBLAS_OP_N,
                     diagonal(unit), m, n, native(&one), native(a), n, native(b), m, count);
}

template <class T>
void geqrf(int m, int n, T* a, T* tau) {
  const cusolverDnHandle_t h = cusolver_handle();
  int length = 0;
  TAPER_SOLVER(T, geqrf_bufferSize, h, m, n, native(a), m, &length);
  const Scratch<T> work = room<T>(length);
  const Scratch<int> info(1);
  TAPER_SOLVER(T, geqrf, h, m, n, native(a), m, native(tau), native(work.get()), length,
               info.get());
}

template <class T>
void orgqr(int m, int n, int k, T* q, const T* tau) {
  const cusolverDnHandle_t h = cusolver_handle();
  int length = 0;
  TAPER_SOLVER_OF(T, orgqr_bufferSize, ungqr_bufferSize, h, m, n, k, native(q), m, native(tau),
                  &length);
  const Scratch<T> work = room<T>(length);
  const Scratch<int> info(1);
  TAPER_SOLVER_OF(T, orgqr, ungqr, h, m, n, k, native(q), m, native(tau), native(work.get()),
                  length, info.get());
}

template <class T>
void gesvdj(bool vectors, bool thin, int m, int n, T* a, part_t<T>* s, T* u, T* v, int* info) {
  const cusolverDnHandle_t h = cusolver_handle();
  const auto p = svd_parameters<T>();
  int length = 0;
  TAPER_SOLVER(T, gesvdj_bufferSize, h, mode(vectors), thin, m, n, native(a), m, s, native(u), m,
               native(v), n, &length, p.get());
  const Scratch<T> work = room<T>(length);
  TAPER_SOLVER(T, gesvdj, h, mode(vectors), thin, m, n, native(a), m, s, native(u), m, native(v), n,
               native(work.get()), length, info, p.get());
}

template <class T>
void gesvdj_batched(bool vectors, int m, int n, T* a, part_t<T>* s, T* u, T* v, int* info,
                    int count) {
  const cusolverDnHandle_t h = cusolver_handle();
  const auto p = svd_parameters<T>();
  int length = 0;
  TAPER_SOLVER(T, gesvdjBatched_bufferSize, h, mode(vectors), m, n, native(a), m, s, native(u), m,
               native(v), n, &length, p.get(), count);
  const Scratch<T> work = room<T>(length);
  TAPER_SOLVER(T, gesvdjBatched, h, mode(vectors), m, n, native(a), m, s, native(u), m, native(v),
               n, native(work.get()), length, info, p.get(), count);
}

template <class T>
void syevd(bool vectors, Triangle triangle, int n, T* a, part_t<T>* w, int* info) {
  const cusolverDnHandle_t h = cusolver_handle();
  int length = 0;
  TAPER_SOLVER_OF(T, syevd_bufferSize, heevd_bufferSize, h, mode(vectors), fill(triangle), n,
                  native(a), n, w, &length);
  const Scratch<T> work = room<T>(length);
  TAPER_SOLVER_OF(T, syevd, heevd, h, mode(vectors), fill(triangle), n, native(a), n, w,
                  native(work.get()), length, info);
}

template <class T>
void syevj_batched(bool vectors, Triangle triangle, int n, T* a, part_t<T>* w, int* info,
                   int count) {
  const cusolverDnHandle_t h = cusolver_handle();
  syevjInfo_t made = nullptr;
  TAPER_LIBRARY_CALL(cusolver, cusolverDnCreateSyevjInfo, &made);
  const std::unique_ptr<syevjInfo, EndSyevj> p(made);
  int length = 0;
  TAPER_SOLVER_OF(T, syevjBatched_bufferSize, heevjBatched_bufferSize, h, mode(vectors),
                  fill(triangle), n, native(a), n, w, &length, made, count);
  const Scratch<T> work = room<T>(length);
  TAPER_SOLVER_OF(T, syevjBatched, heevjBatched, h, mode(vectors), fill(triangle), n, native(a), n,
                  w, native(work.get()), length, info, made, count);
}

template <class T>
void sytrf(int n, T* a, int* pivots, int* info) {
  const cusolverDnHandle_t h = cusolver_handle();
  int length = 0;
  TAPER_SOLVER(T, sytrf_bufferSize, h, n, native(a), n, &length);
  const Scratch<T> work = room<T>(length);
  TAPER_SOLVER(T, sytrf, h, CUBLAS_FILL_MODE_LOWER, n, native(a), n, pivots, native(work.get()),
               length, info);
}

template <class T>
void sytrs(int n, int k, const T* ld, const int64_t* pivots, T* b) {
  const cusolverDnHandle_t h = cusolver_handle();
  const cudaDataType type = kType<T>;
  size_t on_device = 0, on_host = 0;
  TAPER_LIBRARY_CALL(cusolver, cusolverDnXsytrs_bufferSize, h, CUBLAS_FILL_MODE_LOWER, n, k, type,
                     ld, n, pivots, type, b, n, &on_device, &on_host);
  const Scratch<char> work(static_cast<int64_t>(std::max<size_t>(on_device, 1)));
  std::vector<char> host(on_host);
  const Scratch<int> info(1);
  TAPER_LIBRARY_CALL(cusolver, cusolverDnXsytrs, h, CUBLAS_FILL_MODE_LOWER, n, k, type, ld, n,
                     pivots, type, b, n, work.get(), on_device, host.data(), on_host, info.get());
}

template <class T>
void geev(int n, numbers::complex<T>* a, numbers::complex<T>* w, numbers::complex<T>* v,
          int* info) {
  const cusolverDnHandle_t h = cusolver_handle();
  cusolverDnParams_t made = nullptr;
  TAPER_LIBRARY_CALL(cusolver, cusolverDnCreateParams, &made);
  const std::unique_ptr<cusolverDnParams, EndParameters> p(made);
  const cudaDataType type = kType<numbers::complex<T>>;
  size_t on_device = 0, on_host = 0;
  TAPER_LIBRARY_CALL(cusolver, cusolverDnXgeev_bufferSize, h, made, CUSOLVER_EIG_MODE_NOVECTOR,
                     mode(v), n, type, a, n, type, w, type, nullptr, n, type, v, n, type,
                     &on_device, &on_host);
  const Scratch<char> work(static_cast<int64_t>(std::max<size_t>(on_device, 1)));
  std::vector<char> host(on_host);
  TAPER_LIBRARY_CALL(cusolver, cusolverDnXgeev, h, made, CUSOLVER_EIG_MODE_NOVECTOR, mode(v), n,
                     type, a, n, type, w, type, nullptr, n, type, v, n, type, work.get(), on_device,
                     host.data(), on_host, info);
}

#define TAPER_INSTANTIATE(T)                                                             \
  template void getrf(int, int, T*, int*, int*);                                         \
  template void getrf_batched(int, T* const*, int*, int*, int);                          \
  template void getrs(int, int, const T*, const int*, T*);                               \
  template void getrs_batched(int, int, const T* const*, const int*, T* const*, int);    \
  template void potrf(Triangle, int, T*, int*);                                          \
  template void potrf_batched(Triangle, int, T* const*, int*, int);                      \
  template void trsm(Triangle, bool, int, int, const T*, T*);                            \
  template void trsm_batched(Triangle, bool, int, int, const T* const*, T* const*, int); \
  template void geqrf(int, int, T*, T*);                                                 \
  template void orgqr(int, int, int, T*, const T*);                                      \
  template void gesvdj(bool, bool, int, int, T*, part_t<T>*, T*, T*, int*);              \
  template void gesvdj_batched(bool, int, int, T*, part_t<T>*, T*, T*, int*, int);       \
  template void syevd(bool, Triangle, int, T*, part_t<T>*, int*);                        \
  template void syevj_batched(bool, Triangle, int, T*, part_t<T>*, int*, int);           \
  template void sytrf(int, T*, int*, int*);                                              \
  template void sytrs(int, int, const T*, const int64_t*, T*);
TAPER_INSTANTIATE(float)
TAPER_INSTANTIATE(double)
TAPER_INSTANTIATE(numbers::complex<float>)
TAPER_INSTANTIATE(numbers::complex<double>)
#define TAPER_INSTANTIATE_REAL(T) \
  template void geev(int, numbers::complex<T>*, numbers::complex<T>*, numbers::complex<T>*, int*);
TAPER_INSTANTIATE_REAL(float)
TAPER_INSTANTIATE_REAL(double)

}  // namespace torch::taper::cuda::solver
