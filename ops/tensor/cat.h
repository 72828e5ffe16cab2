// Joining tensors. Each result is new memory unless its comment says "view".
//
// Negative dims count from the end. A dim out of range throws IndexError.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Concatenates the tensors along `dim`. All other sizes must agree. Dtypes promote. Vectors of
/// size 0 are ignored.
Tensor cat(TensorList tensors, int64_t dim = 0);
Tensor concat(TensorList tensors, int64_t dim = 0);
Tensor concatenate(TensorList tensors, int64_t dim = 0);
/// Stacks tensors of one shape along a new dimension `dim`.
Tensor stack(TensorList tensors, int64_t dim = 0);
/// Writes the result into `out`, which must share no memory with the tensors.
/// Errors: "torch.cat(): input types can't be cast to the desired output type Long".
Tensor& cat_out(Tensor& out, TensorList tensors, int64_t dim = 0);
Tensor& stack_out(Tensor& out, TensorList tensors, int64_t dim = 0);
/// Concatenates along dimension 1, or vectors along dimension 0. 0-dim tensors are treated as
/// vectors.
Tensor hstack(TensorList tensors);
Tensor& hstack_out(Tensor& out, TensorList tensors);
/// Concatenates along dimension 0. Vectors are treated as rows.
Tensor vstack(TensorList tensors);
Tensor& vstack_out(Tensor& out, TensorList tensors);
/// Concatenates along dimension 2. atleast_3d first adds dimensions to tensors with fewer than 3
/// dimensions.
Tensor dstack(TensorList tensors);
Tensor& dstack_out(Tensor& out, TensorList tensors);
/// Returns a view of the tensor with at least 1, 2 or 3 dimensions.
Tensor atleast_1d(const Tensor& x);
Tensor atleast_2d(const Tensor& x);
Tensor atleast_3d(const Tensor& x);
std::vector<Tensor> atleast_1d(TensorList tensors);
std::vector<Tensor> atleast_2d(TensorList tensors);
std::vector<Tensor> atleast_3d(TensorList tensors);

/// Returns the matrix with the tensors (of 0 to 2 dimensions) along its diagonal.
Tensor block_diag(TensorList tensors);
/// Joins columns to a matrix. A vector is one column. A matrix contributes all its columns.
Tensor column_stack(TensorList tensors);
Tensor& column_stack_out(Tensor& out, TensorList tensors);
/// Calls vstack.
Tensor row_stack(TensorList tensors);

/// Joins all elements of the tensors in one dimension, tensor by tensor. Throws if there are no
/// tensors.
Tensor flatten_dense_tensors(TensorList tensors);
/// Inverts flatten_dense_tensors: returns views of consecutive parts of `flat`, with the sizes of
/// `tensors`. For a tensor without elements, it returns a new tensor of size 0. Throws Error if
/// `flat` is too short.
std::vector<Tensor> unflatten_dense_tensors(const Tensor& flat, TensorList tensors);

}  // namespace torch::taper

#pragma GCC visibility pop
