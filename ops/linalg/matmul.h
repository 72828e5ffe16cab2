// Products of matrices and vectors.
//
// Shapes are written (rows x columns). B is the number of matrices in a batch. All operands must
// have one dtype, which must not be bool. Sums of f16 and bf16 accumulate in float. Operands may be
// views with any strides. A transposed view is not copied. If shapes do not fit or dtypes differ,
// the functions throw Error with LibTorch's messages ("expected scalar type Float but found
// Double").
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the product (n x m) of matrices (n x k) and (k x m). Unlike matmul, mm does not
/// broadcast.
Tensor mm(const Tensor& self, const Tensor& mat2);
/// Returns the products (B x n x m) of batches of matrices (B x n x k) and (B x k x m). bmm does
/// not broadcast.
Tensor bmm(const Tensor& self, const Tensor& mat2);
/// Returns the product (n) of a matrix (n x k) and a vector (k).
Tensor mv(const Tensor& self, const Tensor& vec);
Tensor& mv_out(Tensor& out, const Tensor& self, const Tensor& vec);
/// Returns the 0-dim sum of products of two vectors of equal length.
Tensor dot(const Tensor& self, const Tensor& tensor);
Tensor& dot_out(Tensor& out, const Tensor& self, const Tensor& tensor);
/// Returns dot(conj(self), other). For real vectors, vdot equals dot.
Tensor vdot(const Tensor& self, const Tensor& other);
Tensor& vdot_out(Tensor& out, const Tensor& self, const Tensor& other);
/// Returns the products of self and other, summed over the last dimension of each. These dimensions
/// must have equal sizes. The result has the remaining dimensions of self, then the remaining
/// dimensions of other. If an operand is 0-dim, returns self * other.
Tensor inner(const Tensor& self, const Tensor& other);
Tensor& inner_out(Tensor& out, const Tensor& self, const Tensor& other);
/// Returns the outer product y[i][j] = self[i] * vec2[j].
Tensor outer(const Tensor& self, const Tensor& vec2);
Tensor& outer_out(Tensor& out, const Tensor& self, const Tensor& vec2);
Tensor ger(const Tensor& self, const Tensor& vec2);
Tensor& ger_out(Tensor& out, const Tensor& self, const Tensor& vec2);

/// Returns a product that depends on the numbers of dimensions. For two vectors, it is dot. With a
/// matrix, a vector on the left is a row, and a vector on the right is a column. The result does
/// not have the dimension of size 1 of this row or column. Operands of more than two dimensions are
/// batches of matrices. Batch dimensions broadcast.
Tensor matmul(const Tensor& self, const Tensor& other);

/// Returns beta * self + alpha * (mat1 mat2). self broadcasts to the product. If beta is 0, self is
/// not read, so its NaNs have no effect.
Tensor addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta = 1,
             const Scalar& alpha = 1);
/// Returns relu(addmm(...)), or gelu(addmm(...)) if use_gelu is true, like LibTorch's op of this
/// name. On CUDA devices, cuBLASLt computes both in one call. gelu is exact on the CPU, and the
/// tanh approximation on CUDA devices. If a gradient of the gelu is needed, addmm and gelu run as
/// two ops.
Tensor _addmm_activation(const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                         const Scalar& beta = 1, const Scalar& alpha = 1, bool use_gelu = false);
/// Returns beta * self + alpha * (mat vec).
Tensor addmv(const Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta = 1,
             const Scalar& alpha = 1);
/// Returns beta * self + alpha * bmm(batch1, batch2).
Tensor baddbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
               const Scalar& beta = 1, const Scalar& alpha = 1);
/// Returns beta * self + alpha * s. s is the sum of bmm(batch1, batch2) over the batch.
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

/// The out forms write the result into `out`, which is resized. No gradient is recorded.
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
