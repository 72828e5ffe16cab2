// The loops of batch norm for x (N, C), whose columns are channels. Not installed.
#pragma once

#include <taper/framework/core/dtype.h>

namespace torch::taper::cpu {

/// The number of columns that are computed together. Threads divide the columns in units of this
/// number.
constexpr int64_t kNormColumns = 64;

/// Some columns of x and gy. Their rows are `step` elements apart.
template <class T>
struct NormColumns {
  int64_t rows, step, columns;
  const T* x;
  const T* gy = nullptr;
};

/// Computes the mean of every column, and m2, the sum of squared deviations from this mean.
template <class T>
void column_moments(const NormColumns<T>& s, double* mean, double* m2);
/// Computes y = a (x - mean) + b. y has x's layout. mean, a and b have one element per column.
template <class T>
void column_scale_shift(const NormColumns<T>& s, T* y, const opmath_t<T>* mean,
                        const opmath_t<T>* a, const opmath_t<T>* b);
/// Computes for every column `sum`, the sum of gy, and `dot`, the sum of gy (x - mean). Also
/// computes gx = a gy, unless gx is null.
template <class T>
void column_dots(const NormColumns<T>& s, const opmath_t<T>* mean, T* gx, const opmath_t<T>* a,
                 double* sum, double* dot);
/// Computes gx = a gy + b (x - mean) + c.
template <class T>
void column_combine(const NormColumns<T>& s, T* gx, const opmath_t<T>* mean, const opmath_t<T>* a,
                    const opmath_t<T>* b, const opmath_t<T>* c);

}  // namespace torch::taper::cpu
