// What the fake of cuSOLVER (solver.cpp) checks and computes, for each type of numbers; the sums
// are LAPACK's. With it what cuBLAS has of factors and solutions.
#pragma once

#include <cublas_v2.h>
#include <cusolverDn.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include <taper/framework/cpu/lapack.h>

#include "cuda_fake/state.h"

namespace fake_cuda::solver {

namespace numbers = taper::numbers;

constexpr const char *kHandle = "handle of cuSOLVER", *kSvd = "parameters of gesvdj",
                     *kEig = "parameters of syevj", *kParams = "parameters of cuSOLVER";

// ---------------------------------------------------------------------- LAPACK
/// The framework's type for the libraries' complex numbers; real ones are themselves.
template <class T>
using own_t = std::conditional_t<
    std::is_same_v<T, cuComplex>, numbers::complex<float>,
    std::conditional_t<std::is_same_v<T, cuDoubleComplex>, numbers::complex<double>, T>>;
template <class T>
using part_of = numbers::part_t<own_t<T>>;
template <class T>
constexpr bool is_complex = numbers::is_complex_v<own_t<T>>;

/// Arguments go by address, and as LAPACK's own types.
template <class T>
auto address(T& v) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<own_t<std::remove_const_t<std::remove_pointer_t<T>>>*>(
        const_cast<std::remove_const_t<std::remove_pointer_t<T>>*>(v));
  else
    return const_cast<std::remove_const_t<T>*>(&v);
}
template <class T, taper::cpu::LapackName name, taper::cpu::LapackName complex_name = name,
          class... A>
void lapack(A... arguments) {
  taper::cpu::fortran<own_t<T>>(taper::cpu::lapack<own_t<T>, name, complex_name>(),
                                address(arguments)...);
}
inline char letter(cublasFillMode_t uplo) { return uplo == CUBLAS_FILL_MODE_LOWER ? 'L' : 'U'; }
inline char letter(cublasOperation_t trans) {
  return trans == CUBLAS_OP_N ? 'N' : trans == CUBLAS_OP_T ? 'T' : 'C';
}
template <class T>
std::vector<own_t<T>> lapack_room(int m, int n) {
  return std::vector<own_t<T>>(static_cast<size_t>(8 * (m + n) * (m + n) + 64 * (m + n) + 64));
}

// ---------------------------------------------------------------------- checks
/// A matrix by columns: its bytes.
template <class T>
size_t bytes_of(int64_t rows, int64_t cols, int64_t leading) {
  return rows && cols ? static_cast<size_t>((cols - 1) * leading + rows) * sizeof(T) : 0;
}
inline void check_sizes(LibraryCall& call, int64_t rows, int64_t cols, int64_t leading,
                        int64_t count = 1) {
  call.demand(rows >= 0 && cols >= 0 && count >= 0, "negative sizes");
  call.demand(leading >= std::max<int64_t>(1, rows), "a leading dimension below the rows");
}
template <class T>
void check_matrix(LibraryCall& call, const char* name, const T* a, int64_t rows, int64_t cols,
                  int64_t leading) {
  check_sizes(call, rows, cols, leading);
  if (call) call.memory(name, a, bytes_of<T>(rows, cols, leading), sizeof(T));
}
template <class T>
void check_array(LibraryCall& call, const char* name, const T* p, int64_t n) {
  if (call) call.memory(name, p, static_cast<size_t>(n) * sizeof(T), sizeof(T));
}

struct Settings {
  cudaStream_t stream = nullptr;
  std::set<std::string> asked;  // how much memory which calls need
};
inline Settings& settings(const void* handle) {
  static std::map<const void*, Settings> all;
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  return all[handle];
}
inline void check_handle(LibraryCall& call, const void* handle) {
  call.object(handle, kHandle);
  if (call) call.stream(settings(handle).stream);
}

/// A call by its name and the arguments that its working memory depends on.
template <class... N>
std::string key(const char* function, N... n) {
  std::string text = function;
  ((text += ' ' + std::to_string(n)), ...);
  return text;
}
/// How much it needs: any number that differs from call to call.
inline int64_t room_of(const std::string& call) {
  return 50 + static_cast<int64_t>(std::hash<std::string>()(call) % 500);
}
template <class N>
void tell_room(LibraryCall& call, cusolverDnHandle_t h, const std::string& key, N* room) {
  call.demand(room, "no place for the size");
  if (!call) return;
  settings(h).asked.insert(key);
  *room = static_cast<N>(room_of(key));
}
/// The memory has been asked for with the same arguments, and is there.
template <class T>
void check_room(LibraryCall& call, cusolverDnHandle_t h, const std::string& key, T* room,
                int64_t n) {
  if (!call) return;
  call.demand(settings(h).asked.count(key) > 0, "working memory that was not asked for");
  call.demand(n >= room_of(key), "less working memory than is needed");
  if (!call) return;
  call.memory("the workspace", room, static_cast<size_t>(n) * sizeof(T), sizeof(T));
  call.run([=] { spoil(room, static_cast<size_t>(n) * sizeof(T)); });
}

inline cublasStatus_t blas_status(const LibraryCall& call) {
  return call.status(CUBLAS_STATUS_INVALID_VALUE, CUBLAS_STATUS_EXECUTION_FAILED);
}
inline cusolverStatus_t status(const LibraryCall& call) {
  return call.status(CUSOLVER_STATUS_INVALID_VALUE, CUSOLVER_STATUS_EXECUTION_FAILED);
}

/// run(matrix, its number) for pointers that lie on the device, and are read when the work runs.
template <class T, class Run>
void each_matrix(const char* function, T* const* all, int count, size_t nbytes, int device,
                 const Run& run) {
  for (int i = 0; i < count; ++i) {
    const std::string fault = fault_of(all[i], nbytes, device);
    if (fault.empty()) {
      run(all[i], i);
      continue;
    }
    violation(std::string(function) + ": matrix " + std::to_string(i) + " is " + fault,
              cudaErrorInvalidValue);
    return;
  }
}

// ---------------------------------------------------------------------- cuBLAS
template <class T>
cublasStatus_t getrf_batched(cublasHandle_t h, int n, T* const* a, int lda, int* pivots, int* info,
                             int count) {
  constexpr const char* kName = "cublasGetrfBatched";
  LibraryCall call(kName);
  check_cublas_handle(call, h);
  check_sizes(call, n, n, lda, count);
  check_array(call, "A", a, count);
  check_array(call, "the pivots", pivots, int64_t{n} * count);
  check_array(call, "info", info, count);
  call.run([=, device = call.device()] {
    each_matrix(kName, a, count, bytes_of<T>(n, n, lda), device,
                [&](T* p, int i) { lapack<T, "getrf">(n, n, p, lda, pivots + i * n, info + i); });
  });
  return blas_status(call);
}
template <class T>
cublasStatus_t getrs_batched(cublasHandle_t h, cublasOperation_t trans, int n, int k,
                             const T* const* a, int lda, const int* pivots, T* const* b, int ldb,
                             int* info, int count) {
  constexpr const char* kName = "cublasGetrsBatched";
  LibraryCall call(kName);
  check_cublas_handle(call, h);
  check_sizes(call, n, n, lda, count);
  check_sizes(call, n, k, ldb, count);
  call.demand(info && fault_of(info, 4, call.device()) == "no memory of a device",
              "info that is not of the host");
  check_array(call, "A", a, count);
  check_array(call, "B", b, count);
  check_array(call, "the pivots", pivots, int64_t{n} * count);
  if (call) *info = 0;
  call.run([=, device = call.device()] {
    each_matrix(kName, b, count, bytes_of<T>(n, k, ldb), device, [&](T* to, int i) {
      each_matrix(kName, a + i, 1, bytes_of<T>(n, n, lda), device, [&](const T* lu, int) {
        int wrong = 0;
        lapack<T, "getrs">(letter(trans), n, k, lu, lda, pivots + i * n, to, ldb, &wrong);
      });
    });
  });
  return blas_status(call);
}

/// b becomes the solution of op(a) x = alpha b or x op(a) = alpha b.
template <class T>
struct Triangular {
  cublasSideMode_t side;
  cublasFillMode_t uplo;
  cublasOperation_t trans;
  cublasDiagType_t diag;
  int m, n, lda, ldb;
  T alpha;

  int order() const { return side == CUBLAS_SIDE_LEFT ? m : n; }
  size_t bytes_of_a() const { return bytes_of<T>(order(), order(), lda); }
  size_t bytes_of_b() const { return bytes_of<T>(m, n, ldb); }
  void check(LibraryCall& call, int count) const {
    check_sizes(call, order(), order(), lda, count);
    check_sizes(call, m, n, ldb, count);
  }
  void run(const T* a, T* b) const {
    lapack<T, "trsm">(side == CUBLAS_SIDE_LEFT ? 'L' : 'R', letter(uplo), letter(trans),
                      diag == CUBLAS_DIAG_UNIT ? 'U' : 'N', m, n, &alpha, a, lda, b, ldb);
  }
};
template <class T>
cublasStatus_t trsm(cublasHandle_t h, const Triangular<T>& t, const T* a, T* b) {
  LibraryCall call("cublasTrsm");
  check_cublas_handle(call, h);
  t.check(call, 1);
  if (call) call.memory("A", a, t.bytes_of_a(), sizeof(T));
  if (call) call.memory("B", b, t.bytes_of_b(), sizeof(T));
  call.run([=] { t.run(a, b); });
  return blas_status(call);
}
template <class T>
cublasStatus_t trsm_batched(cublasHandle_t h, const Triangular<T>& t, const T* const* a,
                            T* const* b, int count) {
  constexpr const char* kName = "cublasTrsmBatched";
  LibraryCall call(kName);
  check_cublas_handle(call, h);
  t.check(call, count);
  check_array(call, "A", a, count);
  check_array(call, "B", b, count);
  call.run([=, device = call.device()] {
    each_matrix(kName, b, count, t.bytes_of_b(), device, [&](T* to, int i) {
      each_matrix(kName, a + i, 1, t.bytes_of_a(), device,
                  [&](const T* from, int) { t.run(from, to); });
    });
  });
  return blas_status(call);
}

// ---------------------------------------------------------------------- LU, Cholesky, QR, LDL
/// The amount of memory for a call without matrices of other types.
template <class... N>
cusolverStatus_t buffer_size(const char* function, cusolverDnHandle_t h, int* room, N... sizes) {
  LibraryCall call((std::string(function) + "_bufferSize").c_str());
  check_handle(call, h);
  tell_room(call, h, key(function, sizes...), room);
  return status(call);
}

// It is told no length of the memory, which is taken for what was asked for.
template <class T>
cusolverStatus_t getrf(cusolverDnHandle_t h, int m, int n, T* a, int lda, T* room, int* pivots,
                       int* info) {
  LibraryCall call("cusolverDnGetrf");
  check_handle(call, h);
  check_matrix(call, "A", a, m, n, lda);
  check_array(call, "the pivots", pivots, std::min(m, n));
  check_array(call, "info", info, 1);
  const std::string asked = key("cusolverDnGetrf", m, n, lda);
  check_room(call, h, asked, room, room_of(asked));
  call.run([=] { lapack<T, "getrf">(m, n, a, lda, pivots, info); });
  return status(call);
}
template <class T>
cusolverStatus_t getrs(cusolverDnHandle_t h, cublasOperation_t trans, int n, int k, const T* a,
                       int lda, const int* pivots, T* b, int ldb, int* info) {
  LibraryCall call("cusolverDnGetrs");
  check_handle(call, h);
  check_matrix(call, "A", a, n, n, lda);
  check_matrix(call, "B", b, n, k, ldb);
  check_array(call, "the pivots", pivots, n);
  check_array(call, "info", info, 1);
  call.run([=] { lapack<T, "getrs">(letter(trans), n, k, a, lda, pivots, b, ldb, info); });
  return status(call);
}
template <class T>
cusolverStatus_t potrf(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T* a, int lda, T* room,
                       int length, int* info) {
  LibraryCall call("cusolverDnPotrf");
  check_handle(call, h);
  check_matrix(call, "A", a, n, n, lda);
  check_array(call, "info", info, 1);
  check_room(call, h, key("cusolverDnPotrf", uplo, n, lda), room, length);
  call.run([=] { lapack<T, "potrf">(letter(uplo), n, a, lda, info); });
  return status(call);
}
// The other triangles are working memory.
template <class T>
cusolverStatus_t potrf_batched(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T* const* a,
                               int lda, int* info, int count) {
  constexpr const char* kName = "cusolverDnPotrfBatched";
  LibraryCall call(kName);
  check_handle(call, h);
  check_sizes(call, n, n, lda, count);
  check_array(call, "A", a, count);
  check_array(call, "info", info, count);
  call.run([=, device = call.device()] {
    each_matrix(kName, a, count, bytes_of<T>(n, n, lda), device, [&](T* p, int i) {
      lapack<T, "potrf">(letter(uplo), n, p, lda, info + i);
      for (int row = 0; row < n; ++row)
        for (int col = 0; col < n; ++col)
          if (uplo == CUBLAS_FILL_MODE_LOWER ? row < col : row > col)
            spoil(p + col * lda + row, sizeof(T));
    });
  });
  return status(call);
}
template <class T>
cusolverStatus_t geqrf(cusolverDnHandle_t h, int m, int n, T* a, int lda, T* tau, T* room,
                       int length, int* info) {
  LibraryCall call("cusolverDnGeqrf");
  check_handle(call, h);
  check_matrix(call, "A", a, m, n, lda);
  check_array(call, "tau", tau, std::min(m, n));
  check_array(call, "info", info, 1);
  check_room(call, h, key("cusolverDnGeqrf", m, n, lda), room, length);
  call.run([=] {
    auto work = lapack_room<T>(m, n);
    lapack<T, "geqrf">(m, n, a, lda, tau, work.data(), static_cast<int>(work.size()), info);
  });
  return status(call);
}
template <class T>
cusolverStatus_t orgqr(cusolverDnHandle_t h, int m, int n, int k, T* a, int lda, const T* tau,
                       T* room, int length, int* info) {
  LibraryCall call("cusolverDnOrgqr");
  check_handle(call, h);
  call.demand(m >= n && n >= k && k >= 0, "sizes that are not m >= n >= k");
  check_matrix(call, "A", a, m, n, lda);
  check_array(call, "tau", tau, k);
  check_array(call, "info", info, 1);
  check_room(call, h, key("cusolverDnOrgqr", m, n, k, lda), room, length);
  call.run([=] {
    auto work = lapack_room<T>(m, n);
    lapack<T, "orgqr", "ungqr">(m, n, k, a, lda, tau, work.data(), static_cast<int>(work.size()),
                                info);
  });
  return status(call);
}
template <class T>
cusolverStatus_t sytrf(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T* a, int lda,
                       int* pivots, T* room, int length, int* info) {
  LibraryCall call("cusolverDnSytrf");
  check_handle(call, h);
  check_matrix(call, "A", a, n, n, lda);
  check_array(call, "the pivots", pivots, n);
  check_array(call, "info", info, 1);
  check_room(call, h, key("cusolverDnSytrf", n, lda), room, length);
  call.run([=] {
    auto work = lapack_room<T>(n, n);
    lapack<T, "sytrf">(letter(uplo), n, a, lda, pivots, work.data(), static_cast<int>(work.size()),
                       info);
  });
  return status(call);
}

// ---------------------------------------------------------------------- SVD, eigenvalues
/// One of LAPACK's; v is conjugated and transposed by cuSOLVER's convention.
template <class T>
void decompose(bool vectors, bool thin, int m, int n, T* a, int lda, part_of<T>* s, T* u, int ldu,
               T* v, int ldv, int* info) {
  using Own = own_t<T>;
  const int rows = thin ? std::min(m, n) : n;
  const char job = !vectors ? 'N' : thin ? 'S' : 'A';
  auto work = lapack_room<T>(m, n);
  const int length = static_cast<int>(work.size());
  std::vector<Own> vt(static_cast<size_t>(rows * n));
  std::vector<part_of<T>> reals(static_cast<size_t>(length));
  std::vector<int> integers(static_cast<size_t>(8 * std::min(m, n)));
  if constexpr (is_complex<T>)
    lapack<T, "gesdd">(job, m, n, a, lda, s, u, ldu, vt.data(), rows, work.data(), length,
                       reals.data(), integers.data(), info);
  else
    lapack<T, "gesdd">(job, m, n, a, lda, s, u, ldu, vt.data(), rows, work.data(), length,
                       integers.data(), info);
  for (int i = 0; vectors && i < rows; ++i)
    for (int j = 0; j < n; ++j)
      reinterpret_cast<Own*>(v)[i * ldv + j] =
          numbers::conjugate(vt[static_cast<size_t>(j * rows + i)]);
}
template <class T>
void eigen(bool vectors, cublasFillMode_t uplo, int n, T* a, int lda, part_of<T>* w, int* info) {
  const char job = vectors ? 'V' : 'N';
  auto work = lapack_room<T>(n, n);
  const int length = static_cast<int>(work.size());
  std::vector<part_of<T>> reals(work.size());
  std::vector<int> integers(static_cast<size_t>(3 + 5 * n));
  const int most = static_cast<int>(integers.size());
  if constexpr (is_complex<T>)
    lapack<T, "heevd">(job, letter(uplo), n, a, lda, w, work.data(), length, reals.data(), length,
                       integers.data(), most, info);
  else
    lapack<T, "syevd">(job, letter(uplo), n, a, lda, w, work.data(), length, integers.data(), most,
                       info);
}

template <class T>
cusolverStatus_t gesvdj(const char* name, cusolverDnHandle_t h, cusolverEigMode_t mode, bool thin,
                        int m, int n, T* a, int lda, part_of<T>* s, T* u, int ldu, T* v, int ldv,
                        T* room, int length, int* info, gesvdjInfo_t params, int count) {
  LibraryCall call(name);
  check_handle(call, h);
  call.object(params, kSvd);
  const int k = std::min(m, n);
  const bool vectors = mode == CUSOLVER_EIG_MODE_VECTOR, batched = count >= 0;
  const int matrices = batched ? count : 1, left = thin ? k : m, right = thin ? k : n;
  call.demand(!batched || (m <= 32 && n <= 32), "matrices of a batch that are larger than 32");
  check_sizes(call, m, n, lda);
  check_sizes(call, m, left, ldu);
  check_sizes(call, n, right, ldv);
  check_matrix(call, "A", a, lda, int64_t{n} * matrices, lda);
  if (vectors) check_matrix(call, "U", u, ldu, int64_t{left} * matrices, ldu);
  if (vectors) check_matrix(call, "V", v, ldv, int64_t{right} * matrices, ldv);
  check_array(call, "S", s, int64_t{k} * matrices);
  check_array(call, "info", info, matrices);
  check_room(call, h, key(name, mode, thin, m, n, lda, ldu, ldv, count), room, length);
  call.run([=] {
    for (int i = 0; i < matrices; ++i)
      decompose(vectors, thin, m, n, a + i * lda * n, lda, s + i * k, u + i * ldu * left, ldu,
                v + i * ldv * right, ldv, info + i);
  });
  return status(call);
}
template <class T>
cusolverStatus_t syev(const char* name, cusolverDnHandle_t h, cusolverEigMode_t mode,
                      cublasFillMode_t uplo, int n, T* a, int lda, part_of<T>* w, T* room,
                      int length, int* info, int count) {
  LibraryCall call(name);
  check_handle(call, h);
  const int matrices = count >= 0 ? count : 1;
  check_sizes(call, n, n, lda);
  check_matrix(call, "A", a, lda, int64_t{n} * matrices, lda);
  check_array(call, "W", w, int64_t{n} * matrices);
  check_array(call, "info", info, matrices);
  check_room(call, h, key(name, mode, uplo, n, lda, count), room, length);
  call.run([=] {
    for (int i = 0; i < matrices; ++i)
      eigen(mode == CUSOLVER_EIG_MODE_VECTOR, uplo, n, a + i * lda * n, lda, w + i * n, info + i);
  });
  return status(call);
}

// ---------------------------------------------------------------------- functions for all types
/// run(T()) with the T of a type of cuSOLVER's that functions with 64-bit sizes take.
template <class Run>
void for_type(LibraryCall& call, cudaDataType type, const Run& run) {
  if (type == CUDA_R_32F) return run(float());
  if (type == CUDA_R_64F) return run(double());
  if (type == CUDA_C_32F) return run(cuComplex());
  if (type == CUDA_C_64F) return run(cuDoubleComplex());
  call.demand(false, "a type that cuSOLVER does not have");
}
inline void tell_rooms(LibraryCall& call, cusolverDnHandle_t h, const std::string& key,
                       size_t* on_device, size_t* on_host) {
  tell_room(call, h, key, on_device);
  tell_room(call, h, key + " host", on_host);
}
inline void check_rooms(LibraryCall& call, cusolverDnHandle_t h, const std::string& key,
                        void* on_device, size_t device_nbytes, void* on_host, size_t host_nbytes) {
  check_room(call, h, key, static_cast<char*>(on_device), static_cast<int64_t>(device_nbytes));
  call.demand(static_cast<int64_t>(host_nbytes) >= room_of(key + " host"),
              "less working memory of the host than is needed");
  if (call) spoil(on_host, host_nbytes);
}

// LAPACK's pivots are narrow.
template <class T>
void solve_ldl(cublasFillMode_t uplo, int n, int k, const T* a, int lda, const int64_t* pivots,
               T* b, int ldb, int* info) {
  const std::vector<int> narrow(pivots, pivots + n);
  lapack<T, "sytrs">(letter(uplo), n, k, a, lda, narrow.data(), b, ldb, info);
}
template <class T>
void eigen_general(int n, T* a, int lda, T* w, T* v, int ldv, int* info) {
  const char none = 'N', right = v ? 'V' : 'N';
  auto work = lapack_room<T>(n, n);
  std::vector<part_of<T>> reals(static_cast<size_t>(2 * n));
  lapack<T, "geev">(none, right, n, a, lda, w, v, ldv, v, ldv, work.data(),
                    static_cast<int>(work.size()), reals.data(), info);
}

}  // namespace fake_cuda::solver
