// Joining tensors. Each result is new memory unless it says "view".
//
// Negative dims count from the end; a wrong one throws IndexError.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// The tensors one after the other along `dim`; all other sizes must agree. Dtypes promote. An
/// empty vector among them counts as nothing.
Tensor cat(TensorList tensors, int64_t dim = 0);
Tensor concat(TensorList tensors, int64_t dim = 0);
Tensor concatenate(TensorList tensors, int64_t dim = 0);
/// Tensors of one shape along a new dimension `dim`.
Tensor stack(TensorList tensors, int64_t dim = 0);
/// Into `out`, which shares no memory with the tensors.
/// Errors: "torch.cat(): input types can't be cast to the desired output type Long".
Tensor& cat_out(Tensor& out, TensorList tensors, int64_t dim = 0);
Tensor& stack_out(Tensor& out, TensorList tensors, int64_t dim = 0);
/// Along dimension 1 (0 for vectors); 0-dim tensors count as vectors.
Tensor hstack(TensorList tensors);
Tensor& hstack_out(Tensor& out, TensorList tensors);
/// Along dimension 0; vectors count as rows.
Tensor vstack(TensorList tensors);
Tensor& vstack_out(Tensor& out, TensorList tensors);
/// Along dimension 2; vectors and matrices get the dimensions they lack.
Tensor dstack(TensorList tensors);
Tensor& dstack_out(Tensor& out, TensorList tensors);
/// The tensor with at least 1, 2, 3 dimensions: views.
Tensor atleast_1d(const Tensor& x);
Tensor atleast_2d(const Tensor& x);
Tensor atleast_3d(const Tensor& x);
std::vector<Tensor> atleast_1d(TensorList tensors);
std::vector<Tensor> atleast_2d(TensorList tensors);
std::vector<Tensor> atleast_3d(TensorList tensors);

/// The matrix with the tensors (of 0 to 2 dimensions) along its diagonal.
Tensor block_diag(TensorList tensors);
/// Vectors as columns of a matrix, beside matrices.
Tensor column_stack(TensorList tensors);
Tensor& column_stack_out(Tensor& out, TensorList tensors);
/// vstack.
Tensor row_stack(TensorList tensors);

/// All elements of the tensors in one dimension, one tensor after the other. Throws for no tensor.
Tensor flatten_dense_tensors(TensorList tensors);
/// The parts of `flat` that the elements of `tensors` have in flatten_dense_tensors, as views with
/// their sizes; a tensor without elements becomes a new one of size 0. Throws Error where `flat`
/// is too short.
std::vector<Tensor> unflatten_dense_tensors(const Tensor& flat, TensorList tensors);

}  // namespace torch::taper

#pragma GCC visibility pop
