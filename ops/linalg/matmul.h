// Products of matrices and vectors.
//
// Shapes are written (rows x columns). B is the number of matrices in a batch. The operands must
// have one number dtype, not bool. f16 and bf16 accumulate in float. Operands may be views with any
// strides. A transposed view is not copied. Throws Error with LibTorch's messages for shapes that
// do not fit and for different dtypes ("expected scalar type Float but found Double").
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the product (n x m) of matrices (n x k) and (k x m). Unlike matmul, it does not
/// broadcast.
Tensor mm(const Tensor& self, const Tensor& mat2);
/// Returns the products (B x n x m) of batches of matrices (B x n x k) and (B x k x m). It does not
/// broadcast.
Tensor bmm(const Tensor& self, const Tensor& mat2);
/// Returns the product (n) of a matrix (n x k) and a vector (k).
Tensor mv(const Tensor& self, const Tensor& vec);
Tensor& mv_out(Tensor& out, const Tensor& self, const Tensor& vec);
/// Returns the 0-dim sum of products of two vectors of equal length.
Tensor dot(const Tensor& self, const Tensor& tensor);
Tensor& dot_out(Tensor& out, const Tensor& self, const Tensor& tensor);
/// Returns dot(conj(self), other). For real vectors, this is dot.
Tensor vdot(const Tensor& self, const Tensor& other);
Tensor& vdot_out(Tensor& out, const Tensor& self, const Tensor& other);
/// Returns sums of products over the last dimensions, which must have equal sizes. The result has
/// the other dimensions of self, then those of other. If an operand is 0-dim, returns self * other.
Tensor inner(const Tensor& self, const Tensor& other);
Tensor& inner_out(Tensor& out, const Tensor& self, const Tensor& other);
/// Returns the outer product y[i][j] = self[i] * vec2[j].
Tensor outer(const Tensor& self, const Tensor& vec2);
Tensor& outer_out(Tensor& out, const Tensor& self, const Tensor& vec2);
Tensor ger(const Tensor& self, const Tensor& vec2);
Tensor& ger_out(Tensor& out, const Tensor& self, const Tensor& vec2);

/// Returns a product that depends on the numbers of dimensions. Two vectors give dot. A vector on
/// the left is a row, a vector on the right is a column. The result does not have that dimension.
/// Operands of more than two dimensions are batches of matrices. Batch dimensions broadcast.
Tensor matmul(const Tensor& self, const Tensor& other);

/// Returns beta * self + alpha * (mat1 mat2). self broadcasts to the product. If beta is 0, self is
/// not read, so its NaNs have no effect.
Tensor addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta = 1,
             const Scalar& alpha = 1);
/// Applies relu or gelu to addmm, like LibTorch's op of this name. cuBLASLt computes it in one
/// call. The gelu is exact on the CPU. On CUDA devices it is the tanh approximation. If a gelu
/// needs a gradient, it runs as two ops.
Tensor _addmm_activation(const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                         const Scalar& beta = 1, const Scalar& alpha = 1, bool use_gelu = false);
/// Returns beta * self + alpha * (mat vec).
Tensor addmv(const Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta = 1,
             const Scalar& alpha = 1);
/// Returns beta * self + alpha * bmm(batch1, batch2).
Tensor baddbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
               const Scalar& beta = 1, const Scalar& alpha = 1);
/// Returns beta * self + alpha * s, where s is the sum of bmm(batch1, batch2) over the batch.
Tensor addbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
              const Scalar& beta = 1, const Scalar& alpha = 1);
/// Returns beta * self + alpha * outer(vec1, vec2). Dtypes promote.
Tensor addr(const Tensor& self, const Tensor& vec1, const Tensor& vec2, const Scalar& beta = 1,
            const Scalar& alpha = 1);

/// Returns the product of a list of matrices, multiplied in the cheapest order. Warns once that
/// linalg::multi_dot replaces this function.
Tensor chain_matmul(TensorList matrices);

inline Tensor linalg_matmul(const Tensor& A, const Tensor& other) {  ///< Calls matmul
  return matmul(A, other);
}

/// Write the result into `out`, which is resized. No gradient is recorded.
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
