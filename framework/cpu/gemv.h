// Products of a matrix and a vector for blas.h. Not installed.
#pragma once

#include <cstdint>

#include <taper/framework/core/dtype.h>

namespace torch::taper::cpu {

/// A product y = alpha A x, or y += alpha A x with `add`. Result i < n is y[i * y_step], a sum of k
/// terms. x is contiguous. A's elements may be 16-bit floats.
template <class T, class A = T>
struct Gemv {
  int64_t n, k;
  const A* a;
  int64_t ld;
  const T* x;
  T* y;
  int64_t y_step = 1;
  T alpha = 1;
  bool add = false;
};

/// Compute the product if A's rows are contiguous: element (i, p) of A is a[i * ld + p].
void gemv_rows(const Gemv<float>& g);
void gemv_rows(const Gemv<double>& g);
void gemv_rows(const Gemv<float, Half>& g);
void gemv_rows(const Gemv<float, BFloat16>& g);
/// Compute the product if A's columns are contiguous: element (i, p) of A is a[p * ld + i]. y_step
/// must be 1.
void gemv_columns(const Gemv<float>& g);
void gemv_columns(const Gemv<double>& g);

/// Return the sum of x[i] * y[i] for i < n.
float dot_contiguous(int64_t n, const float* x, const float* y);
double dot_contiguous(int64_t n, const double* x, const double* y);

}  // namespace torch::taper::cpu
