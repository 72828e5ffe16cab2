// Helpers of the public functions of reductions: dimensions, shapes of results, gradients.
#pragma once

#include <taper/framework/core/shape.h>
#include <taper/ops/reduce/reduce_plan.h>

namespace torch::taper {

/// Returns the mask of all `rank` dimensions.
inline DimMask all_dims(int64_t rank) { return (DimMask{1} << rank) - 1; }
/// Returns the mask of dimension `dim`. For a 0-dim tensor, the mask is 0.
inline DimMask one_dim(const char* op, int64_t dim, int64_t rank) {
  return (DimMask{1} << wrap_dim(op, dim, rank)) & all_dims(rank);
}
/// Returns the mask of the listed dimensions, or of all if the list is missing or empty.
DimMask dim_mask(const char* op, const OptionalIntArrayRef& dims, int64_t rank);
/// Returns the dimensions of a mask as a list.
Dims listed(DimMask dims, int64_t rank);
/// Returns the shape of a reduction's result.
Dims reduced_sizes(IntArrayRef sizes, DimMask dims, bool keepdim);
/// Returns the number of elements of x that are reduced to one element of the result.
int64_t reduced_numel(const Tensor& x, DimMask dims);
/// Returns a view of the result y with the reduced dimensions inserted, with size 1. `sizes` are
/// the sizes of the input.
Tensor keep_dims(const Tensor& y, IntArrayRef sizes, DimMask dims);
/// Returns the gradient of x from the gradient gy of the result y. The elements of x that equal y
/// share gy evenly.
Tensor share_evenly(const Tensor& gy, const Tensor& x, const Tensor& y, DimMask dims);
/// Returns share_evenly for a reduction over all elements. If y is NaN, the NaNs in x share the
/// gradient.
Tensor share_evenly_of_all(const Tensor& gy, const Tensor& x, const Tensor& y);

}  // namespace torch::taper
