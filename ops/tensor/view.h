// Views: other shapes over the same memory. Every op here shares storage and history with its
// input; writing to the result writes to the input.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// The same elements in the shape `size`, one entry of which may be -1 (inferred). Throws unless
/// the memory can be seen in that shape; reshape() copies then.
Tensor view(const Tensor& x, IntArrayRef size);
/// The same bytes as elements of another dtype, without history. Where the sizes of elements differ
/// the last dimension (of stride 1) grows or shrinks in proportion.
/// Errors: "self.size(-1) must be divisible by 2 to view Float as Double (different element sizes),
/// but got 3", and the like for strides, the offset and tensors of no dimensions.
Tensor view(const Tensor& x, ScalarType dtype);
/// As view(), for a row-major tensor that nobody else will use again: the result is not a view of
/// it, as autograd sees it.
Tensor _unsafe_view(const Tensor& x, IntArrayRef size);
/// view() where possible, else a copy in that shape.
Tensor reshape(const Tensor& x, IntArrayRef shape);
/// Dimensions of size 1 repeated to `size` without copying (stride 0); -1 keeps a size; new
/// dimensions may come in front.
Tensor expand(const Tensor& x, IntArrayRef size);
/// All tensors expanded to the shape they broadcast to.
std::vector<Tensor> broadcast_tensors(TensorList tensors);
Tensor broadcast_to(const Tensor& x, IntArrayRef size);
/// Dimension d of the result is dimension dims[d] of x.
Tensor permute(const Tensor& x, IntArrayRef dims);
/// Two dimensions exchanged.
Tensor transpose(const Tensor& x, int64_t dim0, int64_t dim1);
inline Tensor swapaxes(const Tensor& x, int64_t axis0, int64_t axis1) {
  return transpose(x, axis0, axis1);
}
inline Tensor swapdims(const Tensor& x, int64_t dim0, int64_t dim1) {
  return transpose(x, dim0, dim1);
}
/// The transpose of a matrix; a vector or number as it is. Throws for more dimensions.
Tensor t(const Tensor& x);
/// Dimensions `source` moved to the places `destination`, the others in order.
Tensor movedim(const Tensor& x, IntArrayRef source, IntArrayRef destination);
Tensor movedim(const Tensor& x, int64_t source, int64_t destination);
inline Tensor moveaxis(const Tensor& x, IntArrayRef source, IntArrayRef destination) {
  return movedim(x, source, destination);
}
inline Tensor moveaxis(const Tensor& x, int64_t source, int64_t destination) {
  return movedim(x, source, destination);
}
/// Without the dimensions of size 1 (or without those of `dim` whose size is 1).
Tensor squeeze(const Tensor& x);
Tensor squeeze(const Tensor& x, int64_t dim);
Tensor squeeze(const Tensor& x, IntArrayRef dim);
/// A dimension of size 1 before position dim, in [-rank - 1, rank].
Tensor unsqueeze(const Tensor& x, int64_t dim);
/// Dimensions start_dim ... end_dim as one.
Tensor flatten(const Tensor& x, int64_t start_dim = 0, int64_t end_dim = -1);
/// Dimension dim cut into `sizes`, one of which may be -1.
Tensor unflatten(const Tensor& x, int64_t dim, IntArrayRef sizes);
/// All elements in one dimension.
Tensor ravel(const Tensor& x);

}  // namespace torch::taper

#pragma GCC visibility pop
