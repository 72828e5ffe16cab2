#include <algorithm>
#include <cstring>

#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/gemm_narrow.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/cpu/small_gemm.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/framework/kernel/kernel_info.h>
#include <taper/framework/kernel/narrow_rows.h>
#include <taper/ops/elementwise/unary_functors.h>
#include <taper/ops/linalg/matmul_kernels.h>
#include <taper/ops/nn/activation_functors.h>

namespace torch::taper::cpu {
namespace {

// Tests whether every row of y starts as self, one contiguous row: the usual bias.
bool is_one_row(const Out& y, const In& self) {
  return self.contiguous && self.dim() > 0 && self.numel == self.sizes.back() &&
         self.numel == y.sizes.back() && y.numel > 0;
}

// Repeats a row until `nbytes` are full. It copies the part already written, so short rows need few
// calls.
void repeat_row(char* to, const void* row, int64_t row_bytes, int64_t nbytes) {
  const int64_t most = std::max<int64_t>(row_bytes, 4096 / row_bytes * row_bytes);
  std::memcpy(to, row, row_bytes);
  for (int64_t done = row_bytes, n; done < nbytes; done += n) {
    n = std::min({done, most, nbytes - done});
    std::memcpy(to + done, to, n);
  }
}

// Scales a row of 16-bit floats, which the compiler would convert one at a time.
template <class T>
void scaled_row(T* to, const T* from, float beta, int64_t n) {
  constexpr int64_t run = 512;
  alignas(64) float wide[run];
  for (int64_t i = 0; i < n; i += run) {
    const int64_t m = std::min(run, n - i);
    widen(wide, from + i, m);
    for (int64_t j = 0; j < m; ++j) wide[j] *= beta;
    narrow(to + i, wide, m);
  }
}

// Sets y = beta * self, row by row.
template <class T>
void start_from(const Out& y, const In& self, opmath_t<T> beta) {
  constexpr int64_t item = sizeof(T);
  if (beta == 1 && is_one_row(y, self))
    return repeat_row(y.as<char>(), self.bytes(), self.numel * item, y.numel * item);
  const auto plan = plan_over(y.sizes, y, self);
  for_each_row(plan, 0, plan.numel, [beta](char* const* p, const int64_t* strides, int64_t n) {
    char* to = p[0];
    const char* from = p[1];
    if (beta == 1 && strides[0] == sizeof(T) && strides[1] == sizeof(T)) {
      std::copy_n(reinterpret_cast<const T*>(from), n, reinterpret_cast<T*>(to));
      return;
    }
    if constexpr (sizeof(T) == 2 && !std::is_integral_v<T>)
      if (strides[0] == sizeof(T) && strides[1] == sizeof(T))
        return scaled_row(reinterpret_cast<T*>(to), reinterpret_cast<const T*>(from), beta, n);
    for (int64_t i = 0; i < n; ++i, to += strides[0], from += strides[1])
      *reinterpret_cast<T*>(to) =
          static_cast<T>(beta * static_cast<opmath_t<T>>(*reinterpret_cast<const T*>(from)));
  });
}

// The stride of a dimension of size 1 is meaningless. 1 and the row length suit the fast paths.
template <class T>
MatrixIn<T> matrix_of(const T* data, int64_t rows, int64_t cols, int64_t row, int64_t col) {
  return {data, rows == 1 ? std::max<int64_t>(1, cols) : row, cols == 1 ? 1 : col};
}
template <class T>
MatrixIn<T> last_two(const In& x) {
  const int64_t r = x.dim();
  return matrix_of(x.as<T>(), x.sizes[r - 2], x.sizes[r - 1], x.strides[r - 2], x.strides[r - 1]);
}
MatrixIn<float> matrix_of(const FloatMatrix& x) {
  return matrix_of(x.data, x.rows, x.cols, x.row_step, x.col_step);
}

/// Computes y = f(y) for a contiguous y.
template <class T, class F>
void apply(const Out& y, const F& f) {
  T* const p = y.as<T>();
  parallel_for(0, y.numel, kGrain, [&](int64_t i, int64_t end) {
    for (; i < end; ++i) p[i] = static_cast<T>(f(static_cast<opmath_t<T>>(p[i])));
  });
}

/// Multiplies matrices of bf16 into an f32 y.
void widening_product(const Out& y, const In& a, const In& b, const In& self, float beta,
                      float alpha) {
  const bool add = self.defined() && beta != 0;
  if (add) start_from<float>(y, self, beta);
  gemm_to_float(y.sizes[0], y.sizes[1], a.sizes[1], alpha, last_two<BFloat16>(a),
                last_two<BFloat16>(b), add, y.as<float>(), y.sizes[1]);
}

/// Prepares a small product as one call, with the bias in its epilogue. Returns false if it is not
/// small or needs more.
template <class T>
bool small_product(SmallGemm<T>& to, const Out& y, const In& a, const In& b, const In& self,
                   const Scalar& beta, const Scalar& alpha) {
  const bool add = self.defined() && !beta.equal(0);
  if (y.dim() != 2 || (add && !(beta.equal(1) && is_one_row(y, self)))) return false;
  return small_gemm(to, y.sizes[0], y.sizes[1], a.sizes[1], alpha.cast<T>(), last_two<T>(a),
                    last_two<T>(b), add ? self.as<T>() : nullptr, y.as<T>(), y.sizes[1]);
}

/// Prepares a product for replays.
template <class T>
Prepared prepare_product(const Out& y, const In& a, const In& b, const In& self, const Scalar& beta,
                         const Scalar& alpha) {
  SmallGemm<T> small;
  if (!small_product(small, y, a, b, self, beta, alpha)) return nullptr;
  return [product = small] { product.run(); };
}
/// Applies an activation to a product.
void activate(const Out& y, cuda::GemmActivation f) {
  switch_dtype<dtypes::Floating>(y.dtype, "addmm_impl_cpu_", [&]<class scalar_t>() {
    using Op = opmath_t<scalar_t>;
    if (f == cuda::GemmActivation::kRelu)
      apply<scalar_t>(y, functor::relu());
    else if (f == cuda::GemmActivation::kGelu)
      apply<scalar_t>(y, functor::Value<functor::Gelu<Op>>{});
    else
      apply<scalar_t>(y, functor::Value<functor::GeluTanh<Op>>{});
  });
}

Prepared prepare_matmul(const Out& y, const In& a, const In& b, const In& self, const Scalar& beta,
                        const Scalar& alpha) {
  if (a.dtype == kFloat) return prepare_product<float>(y, a, b, self, beta, alpha);
  if (a.dtype == kDouble) return prepare_product<double>(y, a, b, self, beta, alpha);
  return nullptr;
}

/// Prepares a product and a relu for replays.
template <class T>
Prepared prepare_with_relu(const Out& y, const In& a, const In& b, const In& self,
                           const Scalar& beta, const Scalar& alpha) {
  SmallGemm<T> small;
  if (!small_product(small, y, a, b, self, beta, alpha)) return nullptr;
  return [product = small, to = y.as<T>(), n = y.numel] {
    product.run();
    for (int64_t i = 0; i < n; ++i) to[i] = functor::relu()(to[i]);
  };
}
Prepared prepare_activated(const Out& y, const In& a, const In& b, const In& self,
                           const Scalar& beta, const Scalar& alpha, cuda::GemmActivation f) {
  if (f != cuda::GemmActivation::kRelu) return nullptr;
  if (a.dtype == kFloat) return prepare_with_relu<float>(y, a, b, self, beta, alpha);
  if (a.dtype == kDouble) return prepare_with_relu<double>(y, a, b, self, beta, alpha);
  return nullptr;
}

}  // namespace

constinit const KernelInfo matmul_kernel_info = prepared<&cpu::matmul_kernel, &prepare_matmul>();
constinit const KernelInfo matmul_activation_kernel_info =
    prepared<&cpu::matmul_activation_kernel, &prepare_activated>();

bool matmul_of_floats(float* y, const FloatMatrix& a, const FloatMatrix& b) {
  SmallGemm<float> small;
  const float* const no_row = nullptr;
  if (!small_gemm(small, a.rows, b.cols, a.cols, 1.0f, matrix_of(a), matrix_of(b), no_row, y,
                  b.cols))
    return false;
  small.run();
  return true;
}

void matmul_kernel(Out y, In a, In b, In self, Scalar beta, Scalar alpha) {
  if (y.dtype != a.dtype)
    return widening_product(y, a, b, self, beta.cast<float>(), alpha.cast<float>());
  const int64_t r = y.dim(), m = y.sizes[r - 2], n = y.sizes[r - 1], k = a.sizes[r - 1];
  const bool add = self.defined() && !beta.equal(0);
  switch_dtype<dtypes::Number>(y.dtype, "addmm_impl_cpu_", [&]<class scalar_t>() {
    using Op = opmath_t<scalar_t>;
    if constexpr (std::is_same_v<Op, scalar_t> && std::is_floating_point_v<Op>) {
      SmallGemm<scalar_t> small;
      if (small_product(small, y, a, b, self, beta, alpha)) return small.run();
    }
    if (add) start_from<scalar_t>(y, self, beta.cast<Op>());
    const auto ma = last_two<scalar_t>(a), mb = last_two<scalar_t>(b);
    if (r == 2)
      gemm(m, n, k, alpha.cast<Op>(), ma, mb, add, y.as<scalar_t>(), n);
    else
      batched_gemm(y.sizes[0], m, n, k, alpha.cast<Op>(), ma, a.strides[0], mb, b.strides[0], add,
                   y.as<scalar_t>(), m * n, n);
  });
}

void matmul_activation_kernel(Out y, In a, In b, In self, Scalar beta, Scalar alpha,
                              cuda::GemmActivation f) {
  matmul_kernel(y, a, b, self, beta, alpha);
  activate(y, f);
}

void dot_kernel(Out y, In a, In b) {
  switch_dtype<dtypes::Number>(y.dtype, "dot", [&]<class scalar_t>() {
    *y.as<scalar_t>() = dot(a.numel, a.as<scalar_t>(), a.numel ? a.strides[0] : 1, b.as<scalar_t>(),
                            b.numel ? b.strides[0] : 1);
  });
}

}  // namespace torch::taper::cpu
