// Products of matrices and vectors.
//
// Shapes are written (rows x columns). B is a batch. The operands must have one number dtype, not
// bool. f16 and bf16 accumulate in float. Views with any strides work, and transposed ones are read
// in place. Throws Error with LibTorch's messages for shapes that do not fit and for different
// dtypes ("expected scalar type Float but found Double").
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns (n x k) times (k x m): (n x m). It does not broadcast, unlike matmul.
Tensor mm(const Tensor& self, const Tensor& mat2);
/// Multiplies batches of matrices: (B x n x k) times (B x k x m) gives (B x n x m). It does not
/// broadcast.
Tensor bmm(const Tensor& self, const Tensor& mat2);
/// Returns matrix (n x k) times vector (k): (n).
Tensor mv(const Tensor& self, const Tensor& vec);
Tensor& mv_out(Tensor& out, const Tensor& self, const Tensor& vec);
/// Returns the 0-dim sum of products of two vectors of equal length.
Tensor dot(const Tensor& self, const Tensor& tensor);
Tensor& dot_out(Tensor& out, const Tensor& self, const Tensor& tensor);
/// Returns dot of conj(self). For real vectors this is dot.
Tensor vdot(const Tensor& self, const Tensor& other);
Tensor& vdot_out(Tensor& out, const Tensor& self, const Tensor& other);
/// Sums products over the last dimensions, which have one size. The result has the other dimensions
/// of self, then of other. A 0-dim operand multiplies.
Tensor inner(const Tensor& self, const Tensor& other);
Tensor& inner_out(Tensor& out, const Tensor& self, const Tensor& other);
/// Returns column times row: y[i][j] = self[i] * vec2[j].
Tensor outer(const Tensor& self, const Tensor& vec2);
Tensor& outer_out(Tensor& out, const Tensor& self, const Tensor& vec2);
Tensor ger(const Tensor& self, const Tensor& vec2);
Tensor& ger_out(Tensor& out, const Tensor& self, const Tensor& vec2);

/// Returns the product by the ranks of the operands. Two vectors give dot. A vector on the left is
/// a row, on the right a column, and the result drops that dimension. More than two dimensions are
/// batches of matrices, whose batch dimensions broadcast.
Tensor matmul(const Tensor& self, const Tensor& other);

/// Returns beta * self + alpha * (mat1 mat2). self broadcasts to the product. With beta = 0 self is
/// not read, so its NaNs have no effect.
Tensor addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta = 1,
             const Scalar& alpha = 1);
/// Applies relu or gelu to addmm, as LibTorch's op, which cuBLASLt computes in one call. The gelu
/// is exact on the CPU and by tanh on CUDA devices. If a gelu needs a gradient, it runs as two ops.
Tensor _addmm_activation(const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                         const Scalar& beta = 1, const Scalar& alpha = 1, bool use_gelu = false);
/// Returns beta * self + alpha * (mat vec).
Tensor addmv(const Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta = 1,
             const Scalar& alpha = 1);
/// Returns beta * self + alpha * bmm(batch1, batch2).
Tensor baddbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
               const Scalar& beta = 1, const Scalar& alpha = 1);
/// Returns beta * self + alpha * the sum over the batch of bmm(batch1, batch2).
Tensor addbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
              const Scalar& beta = 1, const Scalar& alpha = 1);
/// Returns beta * self + alpha * outer(vec1, vec2). Dtypes promote.
Tensor addr(const Tensor& self, const Tensor& vec1, const Tensor& vec2, const Scalar& beta = 1,
            const Scalar& alpha = 1);

/// Returns the product of a list of matrices, in the cheapest order. Warns once that
/// linalg::multi_dot replaces it.
Tensor chain_matmul(TensorList matrices);

inline Tensor linalg_matmul(const Tensor& A, const Tensor& other) {  ///< Calls matmul
  return matmul(A, other);
}

/// Writes the result of the function without _out into `out`, which is resized. No gradient is
/// recorded.
Tensor& mm_out(Tensor& out, const Tensor& self, const Tensor& mat2);
Tensor& bmm_out(Tensor& out, const Tensor& self, const Tensor& mat2);
Tensor& matmul_out(Tensor& out, const Tensor& self, const Tensor& other);
Tensor& linalg_matmul_out(Tensor& out, const Tensor& A, const Tensor& other);
Tensor& addmm_out(Tensor& out, const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                  const Scalar& beta = 1, const Scalar& alpha = 1);
Tensor& addmv_out(Tensor& out, const Tensor& self, const Tensor& mat, const Tensor& vec,
                  const Scalar& beta = 1, const Scalar& alpha = 1);
Tensor& baddbmm_out(Tensor& out, const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                    const Scalar& beta = 1, const Scalar& alpha = 1);
Tensor& addbmm_out(Tensor& out, const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                   const Scalar& beta = 1, const Scalar& alpha = 1);
Tensor& addr_out(Tensor& out, const Tensor& self, const Tensor& vec1, const Tensor& vec2,
                 const Scalar& beta = 1, const Scalar& alpha = 1);

/// Computes in place: self, a vector (n), becomes beta * self + alpha * (mat vec).
inline Tensor& addmv_(Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta = 1,
                      const Scalar& alpha = 1) {
  return self.addmv_(mat, vec, beta, alpha);
}

}  // namespace torch::taper

#pragma GCC visibility pop
