#include <taper/framework/cuda/gemm.h>
#include <taper/framework/cuda/scratch.h>
#include <taper/ops/elementwise/unary_kernels.h>
#include <taper/ops/linalg/matmul_kernels.h>
#include <taper/ops/nn/activation_functors.h>
#include <taper/ops/tensor/copy_kernels.h>

#include <optional>

namespace torch::taper::cuda {
namespace {

/// A batch of row-major matrices for cuBLAS: one dimension has stride 1, the other at least the
/// length of the first. Other layouts are copied.
class Operand {
 public:
  explicit Operand(const In& x) {
    const int64_t r = x.dim();
    const int64_t rows = x.sizes[r - 2], cols = x.sizes[r - 1];
    data = x.data;
    batch = r == 3 ? x.strides[0] : 0;
    // The stride of a dimension of size 1 is meaningless.
    const int64_t row = rows == 1 ? std::max<int64_t>(1, cols) : x.strides[r - 2];
    const int64_t col = cols == 1 ? 1 : x.strides[r - 1];
    if (col == 1 && row >= std::max<int64_t>(1, cols)) {
      leading = row;
    } else if ((row == 1 || rows == 1) && col >= std::max<int64_t>(1, rows)) {
      leading = col;
      transposed = true;
    } else {
      copy_of(x, rows, cols);
    }
  }
  const void* data;
  int64_t leading = 1, batch = 0;
  bool transposed = false;

 private:
  void copy_of(const In& x, int64_t rows, int64_t cols) {
    copied_.emplace(std::max<int64_t>(1, x.numel) * static_cast<int64_t>(elementSize(x.dtype)));
    Out dense;
    dense.data = copied_->get();
    dense.dtype = x.dtype;
    dense.numel = x.numel;
    dense.sizes = dense.strides = x.sizes;
    for (int64_t d = x.dim() - 1, step = 1; d >= 0; step *= x.sizes[d--]) dense.strides[d] = step;
    copy(dense, x);
    data = dense.data;
    leading = std::max<int64_t>(1, cols);
    batch = x.dim() == 3 ? rows * cols : 0;
  }
  std::optional<Scratch<char>> copied_;
};

/// Tests whether `self` is one contiguous number per column of y.
bool is_bias(const Out& y, const In& self) {
  const int64_t r = self.dim();
  if (y.dim() != 2 || r < 1 || self.sizes[r - 1] != y.sizes[1]) return false;
  const bool one_row = r == 1 || self.sizes[0] == 1 || self.strides[0] == 0;
  return one_row && self.strides[r - 1] == 1;
}

// A row-major product is a column-major one in reverse order: y^T = b^T a^T. A `self` that is a
// bias is added in the epilogue, any other one first. Returns whether `f` was applied in the
// epilogue, too.
bool product(const Out& y, const In& a, const In& b, const In& self, double alpha, double beta,
             GemmActivation f = GemmActivation::kNone) {
  const int64_t r = y.dim(), m = y.sizes[r - 2], n = y.sizes[r - 1], k = a.sizes[r - 1];
  const int64_t batch = r == 3 ? y.sizes[0] : 1;
  if (m * n * batch == 0) return true;
  const Operand left(a), right(b);
  ColumnMajorGemm g{y.dtype,
                    right.transposed,
                    left.transposed,
                    n,
                    m,
                    k,
                    alpha,
                    0,
                    right.data,
                    right.leading,
                    right.batch,
                    left.data,
                    left.leading,
                    left.batch,
                    y.data,
                    n,
                    m * n,
                    batch};
  if (beta == 1 && is_bias(y, self) && takes_bias(g) && run_gemm_with_bias(g, self.data, f))
    return true;
  if (beta != 0) copy(y, self);
  g.beta = beta;
  run_gemm(g);
  return f == GemmActivation::kNone;
}

void apply(const Out& y, GemmActivation f) {
  In x{};
  x.data = y.data;
  x.dtype = y.dtype;
  x.numel = y.numel;
  x.sizes = y.sizes;
  x.strides = y.strides;
  if (f == GemmActivation::kRelu) return relu(y, x);
  switch_dtype<dtypes::Floating>(y.dtype, "gelu", [&]<class scalar_t>() {
    using Op = opmath_t<scalar_t>;
    if (f == GemmActivation::kGelu)
      map<scalar_t, scalar_t>(y, x, functor::Value<functor::Gelu<Op>>{});
    else
      map<scalar_t, scalar_t>(y, x, functor::Value<functor::GeluTanh<Op>>{});
  });
}

/// Multiplies integers, with one thread per element of the result.
template <class T>
struct IntegerProduct {
  T* y;
  const T *a, *b;
  int64_t m, n, k, a_batch, a_row, a_col, b_batch, b_row, b_col;
  T alpha, beta;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t s = i / (m * n), row = i / n % m, col = i % n;
    uint64_t sum = 0;
    for (int64_t p = 0; p < k; ++p)
      sum += static_cast<uint64_t>(a[s * a_batch + row * a_row + p * a_col]) *
             static_cast<uint64_t>(b[s * b_batch + p * b_row + col * b_col]);
    const uint64_t before = beta ? static_cast<uint64_t>(beta) * static_cast<uint64_t>(y[i]) : 0;
    y[i] = static_cast<T>(static_cast<uint64_t>(alpha) * sum + before);
  }
};

template <class T>
void integer_product(const Out& y, const In& a, const In& b, T alpha, T beta) {
  const int64_t r = y.dim(), batched = r == 3 ? 1 : 0;
  for_each(y.numel, IntegerProduct<T>{y.as<T>(), a.as<T>(), b.as<T>(), y.sizes[r - 2],
                                      y.sizes[r - 1], a.sizes[r - 1], batched * a.strides[0],
                                      a.strides[r - 2], a.strides[r - 1], batched * b.strides[0],
                                      b.strides[r - 2], b.strides[r - 1], alpha, beta});
}

}  // namespace

void matmul_kernel(Out y, In a, In b, In self, Scalar beta, Scalar alpha) {
  const bool add = self.defined() && !beta.equal(0);
  if (isFloatingType(y.dtype)) {
    product(y, a, b, self, alpha.cast<double>(), add ? beta.cast<double>() : 0);
    return;
  }
  if (add) copy(y, self);
  switch_dtype<dtypes::Integral>(y.dtype, "addmm", [&]<class scalar_t>() {
    integer_product<scalar_t>(y, a, b, alpha.cast<scalar_t>(),
                              add ? beta.cast<scalar_t>() : scalar_t(0));
  });
}

void matmul_activation_kernel(Out y, In a, In b, In self, Scalar beta, Scalar alpha,
                              GemmActivation f) {
  if (!product(y, a, b, self, alpha.cast<double>(), beta.cast<double>(), f)) apply(y, f);
}

// Computes dot as a row times a column.
void dot_kernel(Out y, In a, In b) {
  Out one = y;
  one.sizes = {1, 1};
  one.strides = {1, 1};
  In row = a, column = b;
  row.sizes = {1, a.numel};
  row.strides = {1, a.numel ? a.strides[0] : 1};
  column.sizes = {b.numel, 1};
  column.strides = {b.numel ? b.strides[0] : 1, 1};
  matmul_kernel(one, row, column, In(), 0, 1);
}

}  // namespace torch::taper::cuda
