// Matrix products on the CPU. blas.cpp has the tables of ways (framework/kernel/ways.h): Taper's
// loops for small sizes, oneDNN (f32) and OpenBLAS (f64) for large ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <taper/framework/core/dtype.h>
#include <taper/framework/kernel/ways.h>

namespace torch::taper::cpu {

/// A matrix in memory: element (i, j) is data[i * row + j * col]. Any strides are allowed. Products
/// are fast if `row` or `col` is 1.
template <class T>
struct MatrixIn {
  const T* data;
  int64_t row, col;
  MatrixIn transposed() const { return {data, col, row}; }
};

/// Computes C = alpha A B, or C += alpha A B with `add`. A is m x k, B is k x n, C (m x n) is
/// row-major with row stride ldc. Without `add`, C is not read. Uses several threads if the product
/// is large enough. T is float, double, int64_t, int32_t, int16_t, int8_t, uint8_t, Half or
/// BFloat16. Products of Half and BFloat16 accumulate in float.
template <class T>
void gemm(int64_t m, int64_t n, int64_t k, opmath_t<T> alpha, MatrixIn<T> a, MatrixIn<T> b,
          bool add, T* c, int64_t ldc);

/// Computes `batch` products like gemm. The matrices of neighbouring products are a_step, b_step
/// and c_step elements apart. If there are enough products, each thread computes several.
template <class T>
void batched_gemm(int64_t batch, int64_t m, int64_t n, int64_t k, opmath_t<T> alpha, MatrixIn<T> a,
                  int64_t a_step, MatrixIn<T> b, int64_t b_step, bool add, T* c, int64_t c_step,
                  int64_t ldc);

/// Returns the sum of x[i * incx] * y[i * incy] for i < n.
template <class T>
T dot(int64_t n, const T* x, int64_t incx, const T* y, int64_t incy);

/// The way of computing products that TAPER_GEMM or a test forces, if any.
extern taper::detail::ForcedWay forced_gemm;

// ---------------------------------------------------------------------- for the tests
#pragma GCC visibility push(default)

/// Returns the names of the ways to compute a product, then of the ways to compute a block of a
/// product.
std::vector<std::string> gemm_ways(ScalarType dtype);
/// Calls gemm with an alpha of 2 for elements of `dtype`: f32, f64, f16, bf16 or int64.
void gemm_of(ScalarType dtype, int64_t m, int64_t n, int64_t k, MatrixIn<void> a, MatrixIn<void> b,
             bool add, void* c, int64_t ldc);
/// Forces the way `name`, like TAPER_GEMM=name: it computes all products or blocks that it can. If
/// `name` is null, each product gets the fastest way. The text must stay valid until the next call.
void force_gemm_way(const char* name);
/// Returns how many products and blocks the forced ways have computed.
int64_t forced_gemm_runs();

#pragma GCC visibility pop

}  // namespace torch::taper::cpu
