// Checks and helpers for the other files of this folder. Not installed.
#pragma once

#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/framework/runtime/access.h>

namespace torch::taper::linalg::detail {

/// Throws unless A has 2 or more dimensions.
inline void check_at_least_2d(const char* op, const Tensor& A, const char* name) {
  check_defined(op, A, name);
  TAPER_CHECK(A.dim() >= 2, op, ": The input tensor ", name, " must have at least 2 dimensions.");
}
/// Throws unless A holds matrices of f32, f64 or their complex dtypes.
inline void check_matrices(const char* op, const Tensor& A, const char* name = "A") {
  check_at_least_2d(op, A, name);
  TAPER_CHECK(isFloatingOrComplexType(A.scalar_type()), op,
              ": Expected a floating point or complex tensor as input. Got ",
              toString(A.scalar_type()));
  const ScalarType real = toRealValueType(A.scalar_type());
  TAPER_CHECK(real == kFloat || real == kDouble, op, ": Low precision dtypes not supported. Got ",
              toString(A.scalar_type()));
}
/// Throws unless A holds square matrices, of any dtype.
inline void check_square_sizes(const char* op, const Tensor& A) {
  check_at_least_2d(op, A, "A");
  TAPER_CHECK(A.size(-1) == A.size(-2), op, ": A must be batches of square matrices, but they are ",
              A.size(-2), " by ", A.size(-1), " matrices");
}
/// Throws unless A passes check_matrices and check_square_sizes.
inline void check_square(const char* op, const Tensor& A) {
  check_matrices(op, A);
  check_square_sizes(op, A);
}

/// Throws unless A is square, and A and B fit the equation A X = B. If `left` is false, the
/// equation is X A = B.
void check_equation(const char* op, const Tensor& A, const Tensor& B, bool left);

/// Returns A's batch sizes, followed by `last`.
inline Dims batch_with(const Tensor& A, std::initializer_list<int64_t> last) {
  Dims sizes = A.sizes().slice(0, static_cast<size_t>(A.dim() - 2));
  for (int64_t s : last) sizes.push_back(s);
  return sizes;
}
inline Tensor make(const Tensor& like, const Dims& sizes) {
  return taper::detail::make_tensor(sizes, like.scalar_type(), like.device());
}
/// Returns a new tensor of like's dtype, or of the dtype of its real part if `like` is complex.
inline Tensor make_real(const Tensor& like, const Dims& sizes) {
  return taper::detail::make_tensor(sizes, toRealValueType(like.scalar_type()), like.device());
}
/// Returns a row-major copy of the values, without history.
inline Tensor copy_of(const Tensor& x) {
  const NoGradGuard values_only;
  Tensor y = make(x, x.sizes());
  if (y.numel() > 0) y.copy_(x.detach());
  return y;
}
inline Tensor make_info(const Tensor& A) {
  return taper::detail::make_tensor(batch_with(A, {}), kInt, A.device());
}

/// Throws during a capture on A's device, because cuSOLVER synchronizes with the host. (cuSOLVER's
/// own error would not name the cause.)
inline void check_may_wait(const char* op, const Tensor& A) {
  if (A.is_cuda()) taper::detail::check_not_capturing(op, A.device());
}

/// Calls fail(prefix, info) for each matrix whose info is not 0. `fail` throws, so only the first
/// such matrix is reported. In a batch, `prefix` names the matrix. The host synchronizes here,
/// because LibTorch throws this error from the op itself.
template <class Fail>
void check_info(const char* op, const Tensor& info, const Fail& fail) {
  taper::detail::check_not_capturing(op, info.device());
  const Tensor host = info.to(kCPU);
  const int* const values = host.data_ptr<int>();
  for (int64_t i = 0; i < host.numel(); ++i) {
    if (values[i] == 0) continue;
    using taper::detail::concat;
    fail(host.dim() > 0 ? concat(op, ": (Batch element ", i, "): ") : concat(op, ": "), values[i]);
  }
}

/// A and B with their batch dimensions broadcast.
struct Pair {
  Tensor A, B;
};
inline Pair with_one_batch(const char* op, const Tensor& A, const Tensor& B) {
  const Dims batch = broadcast_shapes(op, batch_with(A, {}), batch_with(B, {}));
  Dims a = batch, b = batch;
  for (int64_t d = 2; d > 0; --d) {
    a.push_back(A.size(-d));
    b.push_back(B.size(-d));
  }
  return {A.expand(a), B.expand(b)};
}

/// Returns the n x n identity (identity_like), or a bool mask of the diagonal (diagonal_mask).
Tensor identity_like(const Tensor& A, int64_t n);
Tensor diagonal_mask(const Tensor& A, int64_t n);

}  // namespace torch::taper::linalg::detail
