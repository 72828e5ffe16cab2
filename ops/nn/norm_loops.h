// The loops of normalisations over contiguous elements. Not installed.
#pragma once

#include <cstdint>

#include <taper/framework/core/dtype.h>

namespace torch::taper::cpu {

/// Count, mean and sum of squared deviations from the mean.
struct Moments {
  double count = 0, mean = 0, m2 = 0;
  /// Adds the moments o of other elements (Chan, Golub, LeVeque 1983).
  void merge(const Moments& o) {
    if (o.count == 0) return;
    const double total = count + o.count, delta = o.mean - mean;
    mean += delta * (o.count / total);
    m2 += o.m2 + delta * delta * (count * o.count / total);
    count = total;
  }
};

/// `sum` is the sum of gy, `dot` the sum of gy (x - mean).
struct Dots {
  double sum = 0, dot = 0;
};

/// The operands of normalize_rows(). Rows of n elements are adjacent. Each row has one mean and one
/// scale. weight and bias have n elements or are null. If `centers` is false, the means are zeros.
template <class T>
struct RowNorm {
  T* y;
  const T* x;
  int64_t n;
  opmath_t<T>*mean, *scale;
  const opmath_t<T>*weight, *bias;
  double eps;
  bool centers;
};
template <class T>
struct RowGradient {
  T* gx;
  const T *gy, *x;
  int64_t n;
  const opmath_t<T>*mean, *scale, *weight;
  opmath_t<T>*gw, *gb;
  bool centers;
};

// T is any floating type. opmath_t<T> is the type of the computation.

template <class T>
Moments moments(const T* x, int64_t n);
/// Computes y = a (x - mean) + b.
template <class T>
void scale_shift(T* y, const T* x, int64_t n, opmath_t<T> mean, opmath_t<T> a, opmath_t<T> b);
template <class T>
Dots dots(const T* gy, const T* x, int64_t n, opmath_t<T> mean);
/// Computes gx = a gy + b (x - mean) + c.
template <class T>
void combine(T* gx, const T* gy, const T* x, int64_t n, opmath_t<T> a, opmath_t<T> b,
             opmath_t<T> mean, opmath_t<T> c);
/// Computes mean, scale and y = (x - mean) * scale * weight + bias for rows [begin, end).
template <class T>
void normalize_rows(const RowNorm<T>& a, int64_t begin, int64_t end);
/// Computes gx = scale (v - c), unless gx is null. v is gy * weight. c is the projection of v onto
/// the row x - mean. If `centers` is true, c also includes the projection of v onto a row of ones,
/// which is the mean of v. Adds to gw and gb, unless they are null.
template <class T>
void gradient_of_rows(const RowGradient<T>& a, int64_t begin, int64_t end);

}  // namespace torch::taper::cpu
