// Reductions: sums, means, products, counts, any and all. See also reduce_minmax.h, reduce_norm.h
// and compare.h.
//
// Rules of all reductions: `dim` is one dimension or a list. Negative dimensions count from the
// end. A missing or empty list means all dimensions. If keepdim is true, the reduced dimensions are
// kept with size 1. A 0-dim tensor is treated as a vector of one element. Results do not depend on
// the number of threads. Errors: IndexError "Dimension out of range (expected to be in range of
// [-2, 1], but got 5)". Error "dim 0 appears multiple times in the list of dims".
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the sum of the elements, or 0 if there are none. Floats keep their dtype. Integers and
/// bools give i64. With `dtype`, the elements are converted first.
Tensor sum(const Tensor& self, optional<ScalarType> dtype = nullopt);
Tensor sum(const Tensor& self, OptionalIntArrayRef dim, bool keepdim = false,
           optional<ScalarType> dtype = nullopt);
/// Writes the sum into `out`, which is resized.
Tensor& sum_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim, bool keepdim = false,
                optional<ScalarType> dtype = nullopt);

/// Returns the arithmetic mean, or NaN if there are no elements. Throws unless the result's dtype
/// is floating.
Tensor mean(const Tensor& self, optional<ScalarType> dtype = nullopt);
Tensor mean(const Tensor& self, OptionalIntArrayRef dim, bool keepdim = false,
            optional<ScalarType> dtype = nullopt);
Tensor& mean_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim, bool keepdim = false,
                 optional<ScalarType> dtype = nullopt);

/// Returns the sum of the elements that are not NaN. Takes floating dtypes. For integers this is
/// sum().
Tensor nansum(const Tensor& self, OptionalIntArrayRef dim = nullopt, bool keepdim = false,
              optional<ScalarType> dtype = nullopt);
Tensor& nansum_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim = nullopt,
                   bool keepdim = false, optional<ScalarType> dtype = nullopt);

/// Returns the product of the elements, or 1 if there are none. Dtypes are as for sum().
Tensor prod(const Tensor& self, optional<ScalarType> dtype = nullopt);
Tensor prod(const Tensor& self, int64_t dim, bool keepdim = false,
            optional<ScalarType> dtype = nullopt);
Tensor& prod_out(Tensor& out, const Tensor& self, int64_t dim, bool keepdim = false,
                 optional<ScalarType> dtype = nullopt);

/// Tests whether any element is nonzero (any) or all elements are nonzero (all). Returns bools, or
/// u8 for a u8 tensor.
Tensor any(const Tensor& self);
Tensor any(const Tensor& self, int64_t dim, bool keepdim = false);
/// Reduces several dimensions. nullopt means all dimensions. An empty list means no dimension.
Tensor any(const Tensor& self, OptionalIntArrayRef dim, bool keepdim = false);
Tensor all(const Tensor& self);
Tensor all(const Tensor& self, int64_t dim, bool keepdim = false);
Tensor all(const Tensor& self, OptionalIntArrayRef dim, bool keepdim = false);
/// Writes the result into `out`, a bool or u8 tensor.
/// Errors: "all only supports bool tensor for result, got: Float".
Tensor& any_out(Tensor& out, const Tensor& self);
Tensor& any_out(Tensor& out, const Tensor& self, int64_t dim, bool keepdim = false);
Tensor& all_out(Tensor& out, const Tensor& self);
Tensor& all_out(Tensor& out, const Tensor& self, int64_t dim, bool keepdim = false);

/// Returns the number of nonzero elements as i64.
Tensor count_nonzero(const Tensor& self, optional<int64_t> dim = nullopt);
Tensor count_nonzero(const Tensor& self, IntArrayRef dim);
inline Tensor count_nonzero(const Tensor& self, int64_t dim) {
  return count_nonzero(self, optional<int64_t>(dim));
}

/// Sums `self` over the dimensions that broadcasting from `size` would expand. `size` must
/// broadcast to self's sizes. Errors: "size {[4]} is not expandable to size {[2, 3]}.".
Tensor sum_to_size(const Tensor& self, IntArrayRef size);

/// Sums the gradient g of a broadcast input to `sizes`, the input's sizes. If g has these sizes,
/// returns g itself. `sizes` must broadcast to g's sizes.
Tensor sum_to(const Tensor& g, IntArrayRef sizes);

/// Returns the mean of the elements that are not NaN. Takes floating dtypes.
Tensor nanmean(const Tensor& self, OptionalIntArrayRef dim = nullopt, bool keepdim = false,
               optional<ScalarType> dtype = nullopt);
Tensor& nanmean_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim = nullopt,
                    bool keepdim = false, optional<ScalarType> dtype = nullopt);

}  // namespace torch::taper

#pragma GCC visibility pop
