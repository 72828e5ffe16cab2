// What the public functions of all reductions share: which dimensions, the result's shape, the way
// back.
#pragma once

#include <taper/framework/core/shape.h>
#include <taper/ops/reduce/reduce_plan.h>

namespace torch::taper {

/// All `rank` dimensions.
inline DimMask all_dims(int64_t rank) { return (DimMask{1} << rank) - 1; }
/// One dimension; a 0-dim tensor has none to reduce.
inline DimMask one_dim(const char* op, int64_t dim, int64_t rank) {
  return (DimMask{1} << wrap_dim(op, dim, rank)) & all_dims(rank);
}
/// The listed dimensions; all for no list or an empty one.
DimMask dim_mask(const char* op, const OptionalIntArrayRef& dims, int64_t rank);
/// The dimensions as a list.
Dims listed(DimMask dims, int64_t rank);
/// The shape of a reduction's result.
Dims reduced_sizes(IntArrayRef sizes, DimMask dims, bool keepdim);
/// Number of elements of x that make one element of the result.
int64_t reduced_numel(const Tensor& x, DimMask dims);
/// A result without the reduced dimensions gets them back with size 1, as a view.
Tensor keep_dims(const Tensor& y, IntArrayRef sizes, DimMask dims);
/// The gradient in equal parts for all elements of x that equal the result y.
Tensor share_evenly(const Tensor& gy, const Tensor& x, const Tensor& y, DimMask dims);
/// share_evenly of a result of all elements. NaNs share the gradient of a NaN.
Tensor share_evenly_of_all(const Tensor& gy, const Tensor& x, const Tensor& y);

}  // namespace torch::taper
