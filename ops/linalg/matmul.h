// Products of matrices and vectors.
//
// Shapes are written (rows x columns); B is a batch. The operands must have one dtype (any number
// type, not bool); f16 and bf16 accumulate in float. Views with any strides work; transposed ones
// are read in place. A shape that does not fit throws Error in LibTorch's words, as do operands of
// different dtypes ("expected scalar type Float but found Double").
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// (n x k) times (k x m): (n x m). No broadcasting; see matmul.
Tensor mm(const Tensor& self, const Tensor& mat2);
/// Batches of matrices: (B x n x k) times (B x k x m): (B x n x m). No broadcasting.
Tensor bmm(const Tensor& self, const Tensor& mat2);
/// Matrix (n x k) times vector (k): (n).
Tensor mv(const Tensor& self, const Tensor& vec);
Tensor& mv_out(Tensor& out, const Tensor& self, const Tensor& vec);
/// Sum of the products of two vectors of one length: 0-dim.
Tensor dot(const Tensor& self, const Tensor& tensor);
Tensor& dot_out(Tensor& out, const Tensor& self, const Tensor& tensor);
/// dot of conj(self): for real vectors the same.
Tensor vdot(const Tensor& self, const Tensor& other);
Tensor& vdot_out(Tensor& out, const Tensor& self, const Tensor& other);
/// Sums of products over the last dimensions, which have one size: the result has the other
/// dimensions of self, then those of other. A 0-dim operand multiplies.
Tensor inner(const Tensor& self, const Tensor& other);
Tensor& inner_out(Tensor& out, const Tensor& self, const Tensor& other);
/// Column times row: y[i][j] = self[i] * vec2[j].
Tensor outer(const Tensor& self, const Tensor& vec2);
Tensor& outer_out(Tensor& out, const Tensor& self, const Tensor& vec2);
Tensor ger(const Tensor& self, const Tensor& vec2);
Tensor& ger_out(Tensor& out, const Tensor& self, const Tensor& vec2);

/// Product by the ranks of its operands: vector times vector is dot; a vector on the left is a row,
/// on the right a column, and that dimension is dropped from the result; more than two dimensions
/// are batches of matrices, whose batch dimensions broadcast.
Tensor matmul(const Tensor& self, const Tensor& other);

/// beta * self + alpha * (mat1 mat2); self broadcasts to the product. With beta = 0 self is not
/// read, so that its NaNs do not count.
Tensor addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta = 1,
             const Scalar& alpha = 1);
/// addmm, then relu or gelu: LibTorch's, which cuBLASLt computes in one go. The gelu is the exact
/// one on the CPU and the one by tanh on CUDA devices. A gelu that wants a gradient is the two ops.
Tensor _addmm_activation(const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                         const Scalar& beta = 1, const Scalar& alpha = 1, bool use_gelu = false);
/// beta * self + alpha * (mat vec).
Tensor addmv(const Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta = 1,
             const Scalar& alpha = 1);
/// beta * self + alpha * bmm(batch1, batch2).
Tensor baddbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
               const Scalar& beta = 1, const Scalar& alpha = 1);
/// beta * self + alpha * the sum over the batch of bmm(batch1, batch2).
Tensor addbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
              const Scalar& beta = 1, const Scalar& alpha = 1);
/// beta * self + alpha * outer(vec1, vec2). Dtypes promote.
Tensor addr(const Tensor& self, const Tensor& vec1, const Tensor& vec2, const Scalar& beta = 1,
            const Scalar& alpha = 1);

/// The product of a list of matrices, in the order of multiplications that costs least. Warns,
/// once, that linalg::multi_dot is to be used.
Tensor chain_matmul(TensorList matrices);
namespace detail {
/// The same without the warning.
Tensor multiply_chain(TensorList matrices);
}  // namespace detail

/// The function without _out, with its result in `out`, which is resized; no gradient is recorded.
/// linalg_matmul is matmul.
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

/// In place: self, a vector (n), becomes beta * self + alpha * (mat vec).
inline Tensor& addmv_(Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta = 1,
                      const Scalar& alpha = 1) {
  return self.addmv_(mat, vec, beta, alpha);
}

}  // namespace torch::taper

#pragma GCC visibility pop
