// Products of tensors along chosen dimensions. The derivative is that of the ops they are made of.
#pragma once

#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// The sum of products that `equation` writes: "bij,bjk->bik" is bmm. Each operand has one letter
/// for each dimension; a letter that the result lacks is summed over; one that repeats in an
/// operand takes its diagonal; "..." stands for dimensions that broadcast. Without "->" the result
/// has the letters that appear once, in the order of the alphabet, after those of "...". Spaces are
/// skipped. Operands are contracted from left to right, by bmm; or, two at a time, as `path` says:
/// for each step the places of two among those left, the result of which goes to the end (one
/// operand: a place, 0). One dtype for all. Throws Error, in LibTorch's words, for what does not
/// fit.
Tensor einsum(std::string_view equation, TensorList operands, OptionalIntArrayRef path = nullopt);

/// The sum over dims_self[i] of self together with dims_other[i] of other, for all i: the remaining
/// dimensions of self, then those of other. A size of 1 broadcasts. Throws Error for other sizes.
Tensor tensordot(const Tensor& self, const Tensor& other, IntArrayRef dims_self,
                 IntArrayRef dims_other);
Tensor& tensordot_out(Tensor& out, const Tensor& self, const Tensor& other, IntArrayRef dims_self,
                      IntArrayRef dims_other);

/// Kronecker's product: block (i, j) is self[i][j] * other. Missing leading dimensions are added.
Tensor kron(const Tensor& self, const Tensor& other);
Tensor& kron_out(Tensor& out, const Tensor& self, const Tensor& other);

}  // namespace torch::taper

#pragma GCC visibility pop
