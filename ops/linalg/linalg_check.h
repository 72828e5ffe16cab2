// What the files of linear algebra share. Not installed.
#pragma once

#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/framework/runtime/access.h>

namespace torch::taper::linalg::detail {

/// Throws unless A is a tensor of 2 or more dimensions.
inline void check_at_least_2d(const char* op, const Tensor& A, const char* name) {
  check_defined(op, A, name);
  TAPER_CHECK(A.dim() >= 2, op, ": The input tensor ", name, " must have at least 2 dimensions.");
}
/// Throws unless A holds matrices of f32, f64 or complex numbers of these.
inline void check_matrices(const char* op, const Tensor& A, const char* name = "A") {
  check_at_least_2d(op, A, name);
  TAPER_CHECK(isFloatingOrComplexType(A.scalar_type()), op,
              ": Expected a floating point or complex tensor as input. Got ",
              toString(A.scalar_type()));
  const ScalarType real = toRealValueType(A.scalar_type());
  TAPER_CHECK(real == kFloat || real == kDouble, op, ": Low precision dtypes not supported. Got ",
              toString(A.scalar_type()));
}
/// Throws unless A is square matrices, of any dtype.
inline void check_square_sizes(const char* op, const Tensor& A) {
  check_at_least_2d(op, A, "A");
  TAPER_CHECK(A.size(-1) == A.size(-2), op, ": A must be batches of square matrices, but they are ",
              A.size(-2), " by ", A.size(-1), " matrices");
}
/// And unless they are square matrices of those dtypes.
inline void check_square(const char* op, const Tensor& A) {
  check_matrices(op, A);
  check_square_sizes(op, A);
}

/// And unless A and B fit A X = B, or X A = B unless `left`.
void check_equation(const char* op, const Tensor& A, const Tensor& B, bool left);

/// The sizes of the batch, and then these.
inline Dims batch_with(const Tensor& A, std::initializer_list<int64_t> last) {
  Dims sizes = A.sizes().slice(0, static_cast<size_t>(A.dim() - 2));
  for (int64_t s : last) sizes.push_back(s);
  return sizes;
}
inline Tensor make(const Tensor& like, const Dims& sizes) {
  return taper::detail::make_tensor(sizes, like.scalar_type(), like.device());
}
/// Of the dtype of its parts, where A is complex.
inline Tensor make_real(const Tensor& like, const Dims& sizes) {
  return taper::detail::make_tensor(sizes, toRealValueType(like.scalar_type()), like.device());
}
/// The same values in row-major memory of their own, without history.
inline Tensor copy_of(const Tensor& x) {
  const NoGradGuard values_only;
  Tensor y = make(x, x.sizes());
  if (y.numel() > 0) y.copy_(x.detach());
  return y;
}
inline Tensor make_info(const Tensor& A) {
  return taper::detail::make_tensor(batch_with(A, {}), kInt, A.device());
}

/// Throws while the device is captured, for what cuSOLVER does with waits for the device. (Its own
/// error tells nothing.)
inline void check_may_wait(const char* op, const Tensor& A) {
  if (A.is_cuda()) taper::detail::check_not_capturing(op, A.device());
}

/// Calls fail(prefix, info) for the first matrix whose info is not 0; the prefix names it where
/// there is a batch. The host waits for the device here: LibTorch's programs expect the error from
/// the op itself, and what would follow were garbage.
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

/// A and B with batches broadcast to each other.
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

/// Ones on the diagonal; a bool mask of it.
Tensor identity_like(const Tensor& A, int64_t n);
Tensor diagonal_mask(const Tensor& A, int64_t n);

}  // namespace torch::taper::linalg::detail
