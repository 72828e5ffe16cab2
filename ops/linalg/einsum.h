// Products of tensors along chosen dimensions, composed of ops with derivatives.
#pragma once

#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the sum of products that `equation` describes. For example, "bij,bjk->bik" is bmm. Each
/// operand has one letter per dimension. The result is summed over letters that are missing after
/// "->". A letter that is repeated within an operand takes the diagonal of these dimensions. "..."
/// stands for dimensions that broadcast. Without "->", the result has the dimensions of "...". The
/// letters that appear once follow in alphabetical order. Spaces are skipped.
///
/// Operands are contracted from left to right by bmm. `path` sets another order. For each step, it
/// holds the positions of two of the remaining operands. The result of a step becomes the last
/// operand. (A single operand has one position, 0.) All operands must have one dtype. Throws Error
/// with LibTorch's messages.
Tensor einsum(std::string_view equation, TensorList operands, OptionalIntArrayRef path = nullopt);

/// Returns products, summed over dimension dims_self[i] of self and dimension dims_other[i] of
/// other, for all i. The two sizes must be equal, or one of them must be 1. Otherwise it throws
/// Error. The result has the remaining dimensions of self, then those of other.
Tensor tensordot(const Tensor& self, const Tensor& other, IntArrayRef dims_self,
                 IntArrayRef dims_other);
Tensor& tensordot_out(Tensor& out, const Tensor& self, const Tensor& other, IntArrayRef dims_self,
                      IntArrayRef dims_other);

/// Returns Kronecker's product: block (i, j) is self[i][j] * other. The operand with fewer
/// dimensions gets leading dimensions of size 1.
Tensor kron(const Tensor& self, const Tensor& other);
Tensor& kron_out(Tensor& out, const Tensor& self, const Tensor& other);

}  // namespace torch::taper

#pragma GCC visibility pop
