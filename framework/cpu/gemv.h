// Products of a matrix and a vector for blas.h. Not installed.
#pragma once

#include <cstdint>

#include <taper/framework/core/dtype.h>

namespace torch::taper::cpu {

/// y (+)= alpha A x with n results y[i * y_step] and k terms each. x has unit stride. A's elements
/// may be 16-bit floats.
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

/// Compute each result from a row in memory: element (i, p) is a[i * ld + p].
void gemv_rows(const Gemv<float>& g);
void gemv_rows(const Gemv<double>& g);
void gemv_rows(const Gemv<float, Half>& g);
void gemv_rows(const Gemv<float, BFloat16>& g);
/// Compute the results as sums of rows in memory: element (i, p) is a[p * ld + i]. y_step is 1.
void gemv_columns(const Gemv<float>& g);
void gemv_columns(const Gemv<double>& g);

/// Return the sum of x[i] * y[i].
float dot_contiguous(int64_t n, const float* x, const float* y);
double dot_contiguous(int64_t n, const double* x, const double* y);

}  // namespace torch::taper::cpu
