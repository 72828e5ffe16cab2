// The loops of normalisations over contiguous elements. Not installed.
#pragma once

#include <cstdint>

#include <taper/framework/dtype.h>

namespace taper::cpu {

/// Sum and sum of squared deviations from the mean.
struct Moments {
  double count = 0, mean = 0, m2 = 0;
  /// Those of both parts together (Chan, Golub, LeVeque 1983).
  void merge(const Moments& o) {
    if (o.count == 0) return;
    const double total = count + o.count, delta = o.mean - mean;
    mean += delta * (o.count / total);
    m2 += o.m2 + delta * delta * (count * o.count / total);
    count = total;
  }
};

/// Sums of gy and of gy (x - mean).
struct Dots {
  double sum = 0, dot = 0;
};

// What each is called with: T is the element type, opmath_t<T> that of the numbers.
#define TAPER_NORM_LOOPS(T)                                                                      \
  Moments moments(const T* x, int64_t n);                                                        \
  /* y = a (x - mean) + b */                                                                     \
  void scale_shift(T* y, const T* x, int64_t n, opmath_t<T> mean, opmath_t<T> a, opmath_t<T> b); \
  Dots dots(const T* gy, const T* x, int64_t n, opmath_t<T> mean);                               \
  /* gx = a gy + b (x - mean) + c */                                                             \
  void combine(T* gx, const T* gy, const T* x, int64_t n, opmath_t<T> a, opmath_t<T> b,          \
               opmath_t<T> mean, opmath_t<T> c);                                                 \
  /* y[i] = (x[i] - mean) scale w[i] + b[i]; w and b may be null */                              \
  void row_forward(T* y, const T* x, int64_t n, opmath_t<T> mean, opmath_t<T> scale,             \
                   const opmath_t<T>* w, const opmath_t<T>* b);                                  \
  /* The sums of gy[i] w[i] and of gy[i] w[i] (x[i] - mean); w may be null */                    \
  Dots row_dots(const T* gy, const T* x, int64_t n, opmath_t<T> mean, const opmath_t<T>* w);     \
  /* gx[i] = scale (gy[i] w[i] - c1 - (x[i] - mean) c2); adds to gw[i] and gb[i] unless null */  \
  void row_gradient(T* gx, const T* gy, const T* x, int64_t n, opmath_t<T> mean,                 \
                    opmath_t<T> scale, opmath_t<T> c1, opmath_t<T> c2, const opmath_t<T>* w,     \
                    opmath_t<T>* gw, opmath_t<T>* gb);
TAPER_NORM_LOOPS(float)
TAPER_NORM_LOOPS(double)
TAPER_NORM_LOOPS(Half)
TAPER_NORM_LOOPS(BFloat16)
#undef TAPER_NORM_LOOPS

}  // namespace taper::cpu
