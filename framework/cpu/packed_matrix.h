// A right operand that many products share, packed once. Not installed.
#pragma once

#include <taper/framework/cpu/blas.h>
#include <taper/framework/memory/scratch.h>

namespace torch::taper::cpu {

/// The right operand B (k x n), float or double, copied to panels that a product reads in order.
/// For example, weights of a recurrent layer are packed once for all time steps.
template <class T>
class PackedMatrix {
 public:
  PackedMatrix(MatrixIn<T> b, int64_t k, int64_t n);
  /// Computes C (m x n, row stride ldc) = A B, or C += A B with `add`. A is m x k with row stride
  /// lda. Runs on the calling thread.
  void multiply(int64_t m, const T* a, int64_t lda, bool add, T* c, int64_t ldc) const;

 private:
  int64_t k_, n_;
  Scratch<T> panels_;
};

}  // namespace torch::taper::cpu
