// View ops: other shapes over the memory of the input. Unless a comment says otherwise, a result
// shares storage and history with the input. Writing to the result writes to the input. reshape,
// flatten and ravel copy if the strides allow no view.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns a view with the shape `size`. One size may be -1 and is then inferred. Throws if the
/// strides do not allow the shape. (reshape() then copies.)
Tensor view(const Tensor& x, IntArrayRef size);
/// Returns a view of the bytes as elements of another dtype, without history. If the element sizes
/// differ, the size of the last dimension changes in proportion. The last dimension must then have
/// stride 1. Errors: "self.size(-1) must be divisible by 2 to view Float as Double (different
/// element sizes), but got 3", and similar ones for strides, the offset and 0-dim tensors.
Tensor view(const Tensor& x, ScalarType dtype);
/// Returns view(x, size) of a row-major x that the caller does not use again. Autograd does not
/// treat the result as a view.
Tensor _unsafe_view(const Tensor& x, IntArrayRef size);
/// Returns a view of the given shape if possible, else a copy.
Tensor reshape(const Tensor& x, IntArrayRef shape);
/// Expands dimensions of size 1 to `size` without a copy (stride 0). -1 keeps a size. `size` may
/// have new dimensions in front.
Tensor expand(const Tensor& x, IntArrayRef size);
/// Expands all tensors to the shape that they broadcast to.
std::vector<Tensor> broadcast_tensors(TensorList tensors);
Tensor broadcast_to(const Tensor& x, IntArrayRef size);
/// Permutes dimensions: dimension d of the result is dimension dims[d] of x.
Tensor permute(const Tensor& x, IntArrayRef dims);
/// Swaps two dimensions.
Tensor transpose(const Tensor& x, int64_t dim0, int64_t dim1);
inline Tensor swapaxes(const Tensor& x, int64_t axis0, int64_t axis1) {
  return transpose(x, axis0, axis1);
}
inline Tensor swapdims(const Tensor& x, int64_t dim0, int64_t dim1) {
  return transpose(x, dim0, dim1);
}
/// Transposes a matrix. Returns vectors and 0-dim tensors unchanged. Throws for more dimensions.
Tensor t(const Tensor& x);
/// Moves dimensions `source` to the positions `destination`. The other dimensions keep their order.
Tensor movedim(const Tensor& x, IntArrayRef source, IntArrayRef destination);
Tensor movedim(const Tensor& x, int64_t source, int64_t destination);
inline Tensor moveaxis(const Tensor& x, IntArrayRef source, IntArrayRef destination) {
  return movedim(x, source, destination);
}
inline Tensor moveaxis(const Tensor& x, int64_t source, int64_t destination) {
  return movedim(x, source, destination);
}
/// Removes all dimensions of size 1. With `dim`, removes only the listed dimensions, and of these
/// only dimensions of size 1.
Tensor squeeze(const Tensor& x);
Tensor squeeze(const Tensor& x, int64_t dim);
Tensor squeeze(const Tensor& x, IntArrayRef dim);
/// Inserts a dimension of size 1 at position dim of the result.
Tensor unsqueeze(const Tensor& x, int64_t dim);
/// Merges dimensions start_dim to end_dim.
Tensor flatten(const Tensor& x, int64_t start_dim = 0, int64_t end_dim = -1);
/// Splits dimension dim into dimensions of the given `sizes`. One size may be -1 and is then
/// inferred.
Tensor unflatten(const Tensor& x, int64_t dim, IntArrayRef sizes);
/// Returns all elements in one dimension.
Tensor ravel(const Tensor& x);

}  // namespace torch::taper

#pragma GCC visibility pop
