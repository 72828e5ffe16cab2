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
/// Returns the dimensions as a list.
Dims listed(DimMask dims, int64_t rank);
/// Returns the shape of a reduction's result.
Dims reduced_sizes(IntArrayRef sizes, DimMask dims, bool keepdim);
/// Returns how many elements of x one element of the result reduces.
int64_t reduced_numel(const Tensor& x, DimMask dims);
/// Returns a view of the result y that has the reduced dimensions, with size 1. `sizes` are the
/// input's.
Tensor keep_dims(const Tensor& y, IntArrayRef sizes, DimMask dims);
/// Returns the gradient of x. The elements of x that equal the result y share gy evenly.
Tensor share_evenly(const Tensor& gy, const Tensor& x, const Tensor& y, DimMask dims);
/// Like share_evenly, for a reduction over all elements. If y is NaN, the NaNs in x share the
/// gradient.
Tensor share_evenly_of_all(const Tensor& gy, const Tensor& x, const Tensor& y);

}  // namespace torch::taper
