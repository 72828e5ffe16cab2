// Kernels of the reductions. If bit d of `dims` is set, dimension d of x is reduced. In a result,
// the reduced dimensions have size 1 or are missing.
#pragma once

#include <taper/framework/kernel/dispatch.h>
#include <taper/ops/reduce/reduce_plan.h>

namespace torch::taper {

// Compute sums (products) in y's dtype, which is i64 for integral x. A floating y is divided by
// `divisor`.
TAPER_KERNEL(sum, Out y, In x, DimMask dims, double divisor)
TAPER_KERNEL(nansum, Out y, In x, DimMask dims)
TAPER_KERNEL(prod, Out y, In x, DimMask dims)
TAPER_KERNEL(count_nonzero, Out y, In x, DimMask dims)

// Compute the largest (amax) and the smallest element (amin). If there is a NaN, both give NaN.
TAPER_KERNEL(amax, Out y, In x, DimMask dims)
TAPER_KERNEL(amin, Out y, In x, DimMask dims)
// Test whether any or all elements are nonzero.
TAPER_KERNEL(any, Out y, In x, DimMask dims)
TAPER_KERNEL(all, Out y, In x, DimMask dims)
// Compute amax and amin over one dimension, and the index of the first element that equals the
// result. Both results are dense and row-major. `values` may be undefined. The reduced dimension is
// not empty.
TAPER_KERNEL(max_with_index, Out values, Out indices, In x, DimMask dims)
TAPER_KERNEL(min_with_index, Out values, Out indices, In x, DimMask dims)

// Computes medians of rows. x is contiguous and its last dimension is not empty. Results are dense.
TAPER_KERNEL(median, Out values, Out indices, In x, bool skip_nan)
// Computes the k-th smallest element of each row of n elements. k counts from 1. Of equal elements,
// the earlier one is smaller. NaN is last.
TAPER_KERNEL(kth_value, Out values, Out indices, In x, int64_t n, int64_t k)

// Computes the p-norm for p of 0, 1, 2, infinity or minus infinity.
TAPER_KERNEL(vector_norm, Out y, In x, DimMask dims, double p)
// Sums squared deviations from the mean and divides by (number of elements - correction). Takes the
// square root if `square_root` is true. `mean` may be undefined. Both results are dense and
// row-major.
TAPER_KERNEL(moments, Out variance, Out mean, In x, DimMask dims, double correction,
             bool square_root)

}  // namespace torch::taper
