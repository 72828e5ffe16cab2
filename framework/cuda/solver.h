// Factors of matrices by cuSOLVER and cuBLAS, and on the host by LAPACK. For *_cuda.cu files only;
// not installed.
//
// Matrices are column-major, without gaps. All pointers, including `info` (one for each matrix),
// are to device memory. Names and computations are LAPACK's for real numbers. T is float, double or
// a complex number of these. For complex numbers, "symmetric" means Hermitian except in sytrf, and
// "transposed" means transposed and conjugated. Batched functions take a pointer for each of
// `count` matrices, or consecutive matrices.
#pragma once

#include <cstdint>

#include <taper/framework/kernel/element_parts.h>

#if TAPER_CUDA_KERNELS != 1
#include <algorithm>
#include <vector>

#include <taper/framework/cpu/lapack.h>
#endif

namespace torch::taper::cuda::solver {

using numbers::is_complex_v;
using numbers::part_t;

/// Selects a triangle of a matrix, in column-major order.
enum class Triangle { lower, upper };

#if TAPER_CUDA_KERNELS == 1

// clang-format off
template <class T> void getrf(int m, int n, T* a, int* pivots, int* info);
template <class T> void getrf_batched(int n, T* const* a, int* pivots, int* info, int count);
/// Solves a x = b for x, given the factors lu and pivots of a. x replaces b (n x k).
template <class T> void getrs(int n, int k, const T* lu, const int* pivots, T* b);
template <class T> void getrs_batched(int n, int k, const T* const* lu, const int* pivots, T* const* b, int count);
template <class T> void potrf(Triangle, int n, T* a, int* info);
template <class T> void potrf_batched(Triangle, int n, T* const* a, int* info, int count);
/// Solves x a = b for x with a triangular a. x replaces b (m x n). If `unit`, the diagonal of a
/// counts as ones.
template <class T> void trsm(Triangle, bool unit, int m, int n, const T* a, T* b);
template <class T> void trsm_batched(Triangle, bool unit, int m, int n, const T* const* a, T* const* b, int count);
template <class T> void geqrf(int m, int n, T* a, T* tau);
/// Computes q (m x n) from the k reflectors that geqrf has stored in q and tau.
template <class T> void orgqr(int m, int n, int k, T* q, const T* tau);
/// Factors a = u diag(s) v^T. Returns v, not its transpose. u is m x m and v is n x n. With `thin`,
/// u is m x k and v is n x k, and k is the lesser of m and n. Both u and v must be valid pointers
/// even if `vectors` is false.
template <class T> void gesvdj(bool vectors, bool thin, int m, int n, T* a, part_t<T>* s, T* u, T* v, int* info);
/// Works like gesvdj, for matrices up to kSmall x kSmall. u and v are square.
template <class T> void gesvdj_batched(bool vectors, int m, int n, T* a, part_t<T>* s, T* u, T* v, int* info, int count);
/// Computes the eigenvalues w of a symmetric a. If `vectors`, a becomes the eigenvectors, as
/// columns.
template <class T> void syevd(bool vectors, Triangle, int n, T* a, part_t<T>* w, int* info);
/// Works like syevd, for matrices up to kSmall x kSmall.
template <class T> void syevj_batched(bool vectors, Triangle, int n, T* a, part_t<T>* w, int* info, int count);
/// Factors a = L D L^T. Reads only the lower triangle of a.
template <class T> void sytrf(int n, T* a, int* pivots, int* info);
template <class T> void sytrs(int n, int k, const T* ld, const int64_t* pivots, T* b);
/// Computes the eigenvalues w of any square matrix a. Unless v is null, v becomes the eigenvectors,
/// as columns. T is float or double.
template <class T> void geev(int n, numbers::complex<T>* a, numbers::complex<T>* w, numbers::complex<T>* v, int* info);
// clang-format on

#else

template <class T>
void getrf(int m, int n, T* a, int* pivots, int* info) {
  cpu::fortran<T>(cpu::lapack<T, "getrf">(), &m, &n, a, &m, pivots, info);
}
template <class T>
void getrf_batched(int n, T* const* a, int* pivots, int* info, int count) {
  for (int i = 0; i < count; ++i) getrf(n, n, a[i], pivots + i * n, info + i);
}
template <class T>
void getrs(int n, int k, const T* lu, const int* pivots, T* b) {
  char plain = 'N';
  int info = 0;
  cpu::fortran<T>(cpu::lapack<T, "getrs">(), &plain, &n, &k, const_cast<T*>(lu), &n,
                  const_cast<int*>(pivots), b, &n, &info);
}
template <class T>
void getrs_batched(int n, int k, const T* const* lu, const int* pivots, T* const* b, int count) {
  for (int i = 0; i < count; ++i) getrs(n, k, lu[i], pivots + i * n, b[i]);
}

inline char letter(Triangle t) { return t == Triangle::lower ? 'L' : 'U'; }

template <class T>
void potrf(Triangle triangle, int n, T* a, int* info) {
  char t = letter(triangle);
  cpu::fortran<T>(cpu::lapack<T, "potrf">(), &t, &n, a, &n, info);
}
template <class T>
void potrf_batched(Triangle triangle, int n, T* const* a, int* info, int count) {
  for (int i = 0; i < count; ++i) potrf(triangle, n, a[i], info + i);
}
template <class T>
void trsm(Triangle triangle, bool unit, int m, int n, const T* a, T* b) {
  char side = 'R', t = letter(triangle), plain = 'N', diagonal = unit ? 'U' : 'N';
  T one = 1;
  cpu::fortran<T>(cpu::lapack<T, "trsm">(), &side, &t, &plain, &diagonal, &m, &n, &one,
                  const_cast<T*>(a), &n, b, &m);
}
template <class T>
void trsm_batched(Triangle triangle, bool unit, int m, int n, const T* const* a, T* const* b,
                  int count) {
  for (int i = 0; i < count; ++i) trsm(triangle, unit, m, n, a[i], b[i]);
}
template <class T>
void geqrf(int m, int n, T* a, T* tau) {
  std::vector<T> work(static_cast<size_t>(n) * 32 + 1);
  int info = 0, length = static_cast<int>(work.size());
  cpu::fortran<T>(cpu::lapack<T, "geqrf">(), &m, &n, a, &m, tau, work.data(), &length, &info);
}
template <class T>
void orgqr(int m, int n, int k, T* q, const T* tau) {
  std::vector<T> work(static_cast<size_t>(n) * 32 + 1);
  int info = 0, length = static_cast<int>(work.size());
  cpu::fortran<T>(cpu::lapack<T, "orgqr", "ungqr">(), &m, &n, &k, q, &m, const_cast<T*>(tau),
                  work.data(), &length, &info);
}
template <class T>
void gesvdj(bool vectors, bool thin, int m, int n, T* a, part_t<T>* s, T* u, T* v, int* info) {
  char job = !vectors ? 'N' : thin ? 'S' : 'A';
  int vt_rows = thin ? std::min(m, n) : n, length = 8 * (m + n) * (m + n) + 64;
  std::vector<T> work(static_cast<size_t>(length)), vt(static_cast<size_t>(vt_rows * n));
  std::vector<part_t<T> > reals(static_cast<size_t>(is_complex_v<T> ? length : 1));
  std::vector<int> integers(static_cast<size_t>(std::min(m, n)) * 8 + 1);
  if constexpr (is_complex_v<T>)
    cpu::fortran<T>(cpu::lapack<T, "gesdd">(), &job, &m, &n, a, &m, s, u, &m, vt.data(), &vt_rows,
                    work.data(), &length, reals.data(), integers.data(), info);
  else
    cpu::fortran<T>(cpu::lapack<T, "gesdd">(), &job, &m, &n, a, &m, s, u, &m, vt.data(), &vt_rows,
                    work.data(), &length, integers.data(), info);
  for (int i = 0; vectors && i < vt_rows; ++i)
    for (int j = 0; j < n; ++j)
      v[i * n + j] = numbers::conjugate(vt[static_cast<size_t>(j * vt_rows + i)]);
}
template <class T>
void gesvdj_batched(bool vectors, int m, int n, T* a, part_t<T>* s, T* u, T* v, int* info,
                    int count) {
  for (int i = 0; i < count; ++i)
    gesvdj(vectors, false, m, n, a + i * m * n, s + i * std::min(m, n), u + i * m * m,
           v + i * n * n, info + i);
}
template <class T>
void syevd(bool vectors, Triangle triangle, int n, T* a, part_t<T>* w, int* info) {
  char job = vectors ? 'V' : 'N', t = letter(triangle);
  int length = 1 + 6 * n + 2 * n * n, integer_length = 3 + 5 * n;
  std::vector<T> work(static_cast<size_t>(length));
  std::vector<int> integers(static_cast<size_t>(integer_length));
  if constexpr (is_complex_v<T>) {
    std::vector<part_t<T> > reals(work.size());
    cpu::fortran<T>(cpu::lapack<T, "heevd">(), &job, &t, &n, a, &n, w, work.data(), &length,
                    reals.data(), &length, integers.data(), &integer_length, info);
  } else {
    cpu::fortran<T>(cpu::lapack<T, "syevd">(), &job, &t, &n, a, &n, w, work.data(), &length,
                    integers.data(), &integer_length, info);
  }
}
template <class T>
void syevj_batched(bool vectors, Triangle triangle, int n, T* a, part_t<T>* w, int* info,
                   int count) {
  for (int i = 0; i < count; ++i) syevd(vectors, triangle, n, a + i * n * n, w + i * n, info + i);
}
template <class T>
void sytrf(int n, T* a, int* pivots, int* info) {
  char lower = 'L';
  std::vector<T> work(static_cast<size_t>(n) * 64 + 1);
  int length = static_cast<int>(work.size());
  cpu::fortran<T>(cpu::lapack<T, "sytrf">(), &lower, &n, a, &n, pivots, work.data(), &length, info);
}
template <class T>
void sytrs(int n, int k, const T* ld, const int64_t* pivots, T* b) {
  char lower = 'L';
  int info = 0;
  std::vector<int> narrow(pivots, pivots + n);
  cpu::fortran<T>(cpu::lapack<T, "sytrs">(), &lower, &n, &k, const_cast<T*>(ld), &n, narrow.data(),
                  b, &n, &info);
}
template <class T>
void geev(int n, numbers::complex<T>* a, numbers::complex<T>* w, numbers::complex<T>* v,
          int* info) {
  static void* const f = cpu::openblas_function(sizeof(T) == 4 ? "cgeev_" : "zgeev_");
  char left = 'N', right = v ? 'V' : 'N';
  std::vector<numbers::complex<T> > work(static_cast<size_t>(n) * 4 + 1);
  std::vector<T> real_work(static_cast<size_t>(n) * 2);
  int length = static_cast<int>(work.size());
  cpu::fortran<T>(f, &left, &right, &n, a, &n, w, v, &n, v, &n, work.data(), &length,
                  real_work.data(), info);
}

#endif

/// Largest number of rows or columns for gesvdj_batched and syevj_batched.
constexpr int kSmall = 32;

}  // namespace torch::taper::cuda::solver
