// Matrix products on the CPU. One place chooses who computes: own loops for small sizes, oneDNN
// (f32) and OpenBLAS (f64) for large ones.
#pragma once

#include <cstdint>

#include <taper/framework/core/dtype.h>
#include <taper/framework/core/storage.h>

namespace torch::taper::cpu {

/// Memory for the length of a scope, from the pool.
template <class T>
class Scratch {
 public:
  explicit Scratch(int64_t count)
      : nbytes_(static_cast<size_t>(count) * sizeof(T)),
        data_(static_cast<T*>(taper::detail::pool_allocate(nbytes_))) {}
  ~Scratch() { taper::detail::pool_release(data_, nbytes_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  T* get() const { return data_; }
  T& operator[](int64_t i) const { return data_[i]; }

 private:
  size_t nbytes_;
  T* data_;
};

/// A matrix in memory: element (i, j) is data[i * row + j * col]. Any strides are right; a unit
/// stride in either direction is fast.
template <class T>
struct MatrixIn {
  const T* data;
  int64_t row, col;
  MatrixIn transposed() const { return {data, col, row}; }
};

/// C = alpha A B, or C += alpha A B when `add`; A is m x k, B is k x n, C is row-major with row
/// stride ldc. With `add` false C is not read. Splits over threads when the product is large
/// enough. T is float, double, int64_t, int32_t, int16_t, int8_t, uint8_t, Half or BFloat16; the
/// last two accumulate in float.
template <class T>
void gemm(int64_t m, int64_t n, int64_t k, opmath_t<T> alpha, MatrixIn<T> a, MatrixIn<T> b,
          bool add, T* c, int64_t ldc);

/// `batch` products at fixed distances; split over threads by product when there are enough.
template <class T>
void batched_gemm(int64_t batch, int64_t m, int64_t n, int64_t k, opmath_t<T> alpha, MatrixIn<T> a,
                  int64_t a_step, MatrixIn<T> b, int64_t b_step, bool add, T* c, int64_t c_step,
                  int64_t ldc);

/// Sum of x[i * incx] * y[i * incy].
template <class T>
T dot(int64_t n, const T* x, int64_t incx, const T* y, int64_t incy);

}  // namespace torch::taper::cpu
