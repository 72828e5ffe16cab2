#include <taper/framework/cpu/gemm_narrow.h>

#include <algorithm>

#include <taper/framework/cpu/gemm_pairs.h>
#include <taper/framework/cpu/gemv.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/narrow_rows.h>
#include <taper/framework/memory/scratch.h>

namespace torch::taper::cpu {
namespace {

// Converts n numbers that lie `step` apart, and back.
template <class T>
void widen_steps(float* to, const T* from, int64_t step, int64_t n) {
  if (step == 1) return widen(to, from, n);
  for (int64_t i = 0; i < n; ++i) to[i] = static_cast<float>(from[i * step]);
}
template <class T>
void narrow_steps(T* to, int64_t step, const float* from, int64_t n) {
  if (step == 1) return narrow(to, from, n);
  for (int64_t i = 0; i < n; ++i) to[i * step] = static_cast<T>(from[i]);
}

// ---------------------------------------------------------------- with a vector
// Each element of the matrix is used once. Rows are widened as they are loaded, and blocks of
// columns become floats that stay in L1. The blocks depend on the shape only.
constexpr int64_t kBlockRows = 16, kBlockColumns = 512;

/// Holds y[i * y_step] (+)= alpha A x for a block of A's rows (i from 0 to n).
template <class T>
struct NarrowGemv {
  int64_t n, k;
  MatrixIn<T> a;  // one of its strides is 1
  const float* x;
  T* y;
  int64_t y_step;
  float alpha;
  bool add;
};

// Handles an A whose rows in memory are terms of the product.
template <class T>
void multiply_columns(const NarrowGemv<T>& g, float* y) {
  alignas(64) float block[kBlockRows * kBlockColumns];
  for (int64_t p = 0; p < g.k; p += kBlockRows) {
    const int64_t depth = std::min(kBlockRows, g.k - p);
    for (int64_t i = 0; i < depth; ++i) widen(block + i * g.n, g.a.data + (p + i) * g.a.col, g.n);
    gemv_columns(Gemv<float>{g.n, depth, block, g.n, g.x + p, y, 1, g.alpha, g.add || p > 0});
  }
}

template <class T>
void multiply_block(const NarrowGemv<T>& g) {
  alignas(64) float y[kBlockColumns];
  if (g.add)
    for (int64_t i = 0; i < g.n; ++i) y[i] = static_cast<float>(g.y[i * g.y_step]);
  if (g.a.col == 1)
    gemv_rows(Gemv<float, T>{g.n, g.k, g.a.data, g.a.row, g.x, y, 1, g.alpha, g.add});
  else
    multiply_columns(g, y);
  narrow_steps(g.y, g.y_step, y, g.n);
}

// Returns false if no stride of A is one.
template <class T>
bool narrow_gemv(int64_t n, int64_t k, float alpha, MatrixIn<T> a, const T* x, int64_t x_step,
                 bool add, T* y, int64_t y_step) {
  if (a.col != 1 && a.row != 1) return false;
  const Scratch<float> terms(k);
  widen_steps(terms.get(), x, x_step, k);
  const int64_t most = a.col == 1 ? kBlockRows : kBlockColumns;
  parallel_for(0, (n + most - 1) / most, 1 + kGrain / (most * k), [&](int64_t b, int64_t end) {
    for (; b < end; ++b)
      multiply_block(NarrowGemv<T>{std::min(most, n - b * most),
                                   k,
                                   {a.data + b * most * a.row, a.row, a.col},
                                   terms.get(),
                                   y + b * most * y_step,
                                   y_step,
                                   alpha,
                                   add});
  });
  return true;
}

template <class T>
bool vector_gemm(int64_t m, int64_t n, int64_t k, float alpha, MatrixIn<T> a, MatrixIn<T> b,
                 bool add, T* c, int64_t ldc) {
  if (n == 1) return narrow_gemv(m, k, alpha, a, b.data, b.row, add, c, ldc);
  return m == 1 && narrow_gemv(n, k, alpha, b.transposed(), a.data, a.col, add, c, int64_t{1});
}

// ---------------------------------------------------------------- of matrices
constexpr int64_t kThreadWork = 1 << 20;  // multiply-adds that pay for waking a thread

// Returns x as floats in `to`. If one of its strides is 1, its order in memory stays.
template <class T>
MatrixIn<float> widened(MatrixIn<T> x, int64_t rows, int64_t cols, float* to) {
  if (x.col != 1 && x.row == 1) return widened(x.transposed(), cols, rows, to).transposed();
  for (int64_t i = 0; i < rows; ++i) widen_steps(to + i * cols, x.data + i * x.row, x.col, cols);
  return {to, cols, 1};
}

// Converts both operands to float, and multiplies in float.
template <class T>
void multiply_in_float(int64_t m, int64_t n, int64_t k, float alpha, MatrixIn<T> a, MatrixIn<T> b,
                       bool add, float* c, int64_t ldc) {
  const Scratch<float> fa(m * k), fb(k * n);
  gemm<float>(m, n, k, alpha, widened(a, m, k, fa.get()), widened(b, k, n, fb.get()), add, c, ldc);
}
template <class T>
void multiply(int64_t m, int64_t n, int64_t k, float alpha, MatrixIn<T> a, MatrixIn<T> b, bool add,
              T* c, int64_t ldc) {
  if (vector_gemm(m, n, k, alpha, a, b, add, c, ldc)) return;
  const Scratch<float> fc(m * n);
  if (add)
    for (int64_t i = 0; i < m; ++i) widen(fc.get() + i * n, c + i * ldc, n);
  multiply_in_float(m, n, k, alpha, a, b, add, fc.get(), n);
  for (int64_t i = 0; i < m; ++i) narrow(c + i * ldc, fc.get() + i * n, n);
}

}  // namespace

void narrow_gemm(int64_t m, int64_t n, int64_t k, float alpha, MatrixIn<Half> a, MatrixIn<Half> b,
                 bool add, Half* c, int64_t ldc) {
  multiply(m, n, k, alpha, a, b, add, c, ldc);
}
void narrow_gemm(int64_t m, int64_t n, int64_t k, float alpha, MatrixIn<BFloat16> a,
                 MatrixIn<BFloat16> b, bool add, BFloat16* c, int64_t ldc) {
  multiply(m, n, k, alpha, a, b, add, c, ldc);
}

void gemm_to_float(int64_t m, int64_t n, int64_t k, float alpha, MatrixIn<Half> a, MatrixIn<Half> b,
                   bool add, float* c, int64_t ldc) {
  multiply_in_float(m, n, k, alpha, a, b, add, c, ldc);
}
void gemm_to_float(int64_t m, int64_t n, int64_t k, float alpha, MatrixIn<BFloat16> a,
                   MatrixIn<BFloat16> b, bool add, float* c, int64_t ldc) {
  if (!multiplies_pairs || m <= 1 || n <= 1 || k == 0)
    return multiply_in_float(m, n, k, alpha, a, b, add, c, ldc);
  const bool tiles = tiles_pay(m, n, k);
  const int64_t threads = get_num_threads(), share = (m + 2 * threads - 1) / (2 * threads);
  parallel_for(0, m, std::max(kThreadWork / std::max<int64_t>(1, n * k), share),
               [&](int64_t i, int64_t end) {
                 pair_gemm(end - i, n, k, alpha, {a.data + i * a.row, a.row, a.col}, b, add,
                           c + i * ldc, ldc, tiles);
               });
}

}  // namespace torch::taper::cpu
