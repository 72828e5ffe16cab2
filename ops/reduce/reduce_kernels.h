// Kernels of the reductions. Bit d of `dims` says that dimension d of x is reduced. A result has
// x's dimensions with size 1 for the reduced ones, or lacks those.
#pragma once

#include <taper/framework/kernel/dispatch.h>
#include <taper/ops/reduce/reduce_plan.h>

namespace torch::taper {

// Sums, in y's dtype (i64 for integral x), divided by `divisor` where y is floating.
TAPER_KERNEL(sum, Out y, In x, DimMask dims, double divisor)
TAPER_KERNEL(nansum, Out y, In x, DimMask dims)
TAPER_KERNEL(prod, Out y, In x, DimMask dims)
TAPER_KERNEL(count_nonzero, Out y, In x, DimMask dims)

// The largest and the smallest element; a NaN is both.
TAPER_KERNEL(amax, Out y, In x, DimMask dims)
TAPER_KERNEL(amin, Out y, In x, DimMask dims)
// Is any, are all elements other than 0?
TAPER_KERNEL(any, Out y, In x, DimMask dims)
TAPER_KERNEL(all, Out y, In x, DimMask dims)
// The same as amax and amin over one dimension, with the first position where it was found. Both
// results are dense and row-major; values may be undefined. The dimension is not empty.
TAPER_KERNEL(max_with_index, Out values, Out indices, In x, DimMask dims)
TAPER_KERNEL(min_with_index, Out values, Out indices, In x, DimMask dims)

// Medians of rows: x is contiguous and not empty along its last dimension; results are dense.
TAPER_KERNEL(median, Out values, Out indices, In x, bool skip_nan)
// The k-th smallest elements (from 1) of rows of n, of equal ones the earlier first, NaN last.
TAPER_KERNEL(kth_value, Out values, Out indices, In x, int64_t n, int64_t k)

// The p-norm for p of 0, 1, 2, infinity or minus infinity.
TAPER_KERNEL(vector_norm, Out y, In x, DimMask dims, double p)
// The sum of squared deviations over (number - correction), its square root if asked, and the mean
// (may be undefined). Both results are dense and row-major.
TAPER_KERNEL(moments, Out variance, Out mean, In x, DimMask dims, double correction,
             bool square_root)

}  // namespace torch::taper
