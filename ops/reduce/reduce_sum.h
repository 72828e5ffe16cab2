// Reductions: sums, means, products, counts, any and all. See also reduce_minmax.h, reduce_norm.h
// and compare.h.
//
// Common to all reductions: `dim` is one dimension or a list, negative ones count from the end; no
// list or an empty one means all dimensions. keepdim leaves the reduced dimensions with size 1. A
// 0-dim tensor has a dimension 0 for this purpose. Errors: IndexError "Dimension out of range
// (expected to be in range of [-2, 1], but got 5)"; Error "dim 0 appears multiple times in the list
// of dims". Results do not depend on the number of threads.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Sum of the elements; 0 for none. Floats give their own dtype, integers and bools give i64; with
/// `dtype` the elements are converted first.
Tensor sum(const Tensor& self, optional<ScalarType> dtype = nullopt);
Tensor sum(const Tensor& self, OptionalIntArrayRef dim, bool keepdim = false,
           optional<ScalarType> dtype = nullopt);
/// The same into `out`, which is resized.
Tensor& sum_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim, bool keepdim = false,
                optional<ScalarType> dtype = nullopt);

/// Arithmetic mean; NaN for no elements. Error unless the result's dtype is floating.
Tensor mean(const Tensor& self, optional<ScalarType> dtype = nullopt);
Tensor mean(const Tensor& self, OptionalIntArrayRef dim, bool keepdim = false,
            optional<ScalarType> dtype = nullopt);
Tensor& mean_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim, bool keepdim = false,
                 optional<ScalarType> dtype = nullopt);

/// Sum that takes NaN for 0. Floating dtypes; integers are summed as by sum().
Tensor nansum(const Tensor& self, OptionalIntArrayRef dim = nullopt, bool keepdim = false,
              optional<ScalarType> dtype = nullopt);
Tensor& nansum_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim = nullopt,
                   bool keepdim = false, optional<ScalarType> dtype = nullopt);

/// Product of the elements; 1 for none. Dtypes as for sum().
Tensor prod(const Tensor& self, optional<ScalarType> dtype = nullopt);
Tensor prod(const Tensor& self, int64_t dim, bool keepdim = false,
            optional<ScalarType> dtype = nullopt);
Tensor& prod_out(Tensor& out, const Tensor& self, int64_t dim, bool keepdim = false,
                 optional<ScalarType> dtype = nullopt);

/// Is any element (all elements) other than 0? A bool tensor, for a u8 tensor a u8 tensor.
Tensor any(const Tensor& self);
Tensor any(const Tensor& self, int64_t dim, bool keepdim = false);
/// Over several dimensions: all of them for nullopt, none for an empty list.
Tensor any(const Tensor& self, OptionalIntArrayRef dim, bool keepdim = false);
Tensor all(const Tensor& self);
Tensor all(const Tensor& self, int64_t dim, bool keepdim = false);
Tensor all(const Tensor& self, OptionalIntArrayRef dim, bool keepdim = false);
/// Into a bool or u8 tensor.
/// Errors: "all only supports bool tensor for result, got: Float".
Tensor& any_out(Tensor& out, const Tensor& self);
Tensor& any_out(Tensor& out, const Tensor& self, int64_t dim, bool keepdim = false);
Tensor& all_out(Tensor& out, const Tensor& self);
Tensor& all_out(Tensor& out, const Tensor& self, int64_t dim, bool keepdim = false);

/// Number of elements other than 0, i64.
Tensor count_nonzero(const Tensor& self, optional<int64_t> dim = nullopt);
Tensor count_nonzero(const Tensor& self, IntArrayRef dim);
inline Tensor count_nonzero(const Tensor& self, int64_t dim) {
  return count_nonzero(self, optional<int64_t>(dim));
}

/// Sums `self` to a shape that broadcasts to its own.
/// Errors: "size {[4]} is not expandable to size {[2, 3]}.".
Tensor sum_to_size(const Tensor& self, IntArrayRef size);

/// Reduces the gradient of a broadcast input to that input's shape: `g` itself when the shape is
/// the same already. `sizes` must broadcast to g's.
Tensor sum_to(const Tensor& g, IntArrayRef sizes);

/// The mean of the elements that are no NaN. Floating dtypes.
Tensor nanmean(const Tensor& self, OptionalIntArrayRef dim = nullopt, bool keepdim = false,
               optional<ScalarType> dtype = nullopt);
Tensor& nanmean_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim = nullopt,
                    bool keepdim = false, optional<ScalarType> dtype = nullopt);

}  // namespace torch::taper

#pragma GCC visibility pop
