// Products of tensors along chosen dimensions, composed of ops with derivatives.
#pragma once

#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the sum of products that `equation` describes. For example, "bij,bjk->bik" is bmm. Each
/// operand has one letter per dimension. The result is summed over letters that are missing after
/// "->". If a letter is repeated within an operand, the diagonal of its dimensions is used. "..."
/// stands for dimensions that broadcast. Without "->", the result first has the dimensions of
/// "...". Then come the letters that appear once in `equation`, in alphabetical order. Spaces are
/// ignored.
///
/// Operands are contracted from left to right by bmm. `path` sets another order. For each step,
/// `path` holds the positions of two of the remaining operands. The result of a step becomes the
/// last operand. (For a single operand, `path` is {0}.) All operands must have one dtype. Throws
/// Error with LibTorch's messages.
Tensor einsum(std::string_view equation, TensorList operands, OptionalIntArrayRef path = nullopt);

/// Returns products of self and other, summed over dimension dims_self[i] of self and dimension
/// dims_other[i] of other, for all i. Throws Error unless both dimensions have equal sizes or one
/// has size 1. The result has the remaining dimensions of self, then those of other.
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
