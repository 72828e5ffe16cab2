// Reductions to the largest or smallest element, and to its index. reduce_sum.h has the common
// rules. If an element is NaN, the largest and the smallest element are NaN.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the largest (smallest) element. Equal elements share the gradient evenly.
/// Errors: "max(): Expected reduction dim to be specified for input.numel() == 0. ..." for no
/// elements.
Tensor max(const Tensor& self);
Tensor min(const Tensor& self);

/// Returns (values, indices) along one dimension. An index (i64) is the first index of the value.
/// Only the element at the index gets the gradient. Errors: IndexError "max(): Expected reduction
/// dim 1 to have non-zero size.".
std::tuple<Tensor, Tensor> max(const Tensor& self, int64_t dim, bool keepdim = false);
std::tuple<Tensor, Tensor> min(const Tensor& self, int64_t dim, bool keepdim = false);

/// Calls maximum() or minimum(), which compare element by element.
Tensor max(const Tensor& self, const Tensor& other);
/// Writes the result of max into `out`.
Tensor& max_out(Tensor& out, const Tensor& self, const Tensor& other);
std::tuple<Tensor&, Tensor&> max_out(Tensor& max, Tensor& max_indices, const Tensor& self,
                                     int64_t dim, bool keepdim = false);
Tensor min(const Tensor& self, const Tensor& other);
Tensor& min_out(Tensor& out, const Tensor& self, const Tensor& other);
std::tuple<Tensor&, Tensor&> min_out(Tensor& min, Tensor& min_indices, const Tensor& self,
                                     int64_t dim, bool keepdim = false);

/// Returns the largest (smallest) element over the dimensions `dim`. An empty list means all. Equal
/// elements share the gradient evenly.
Tensor amax(const Tensor& self, IntArrayRef dim = {}, bool keepdim = false);
Tensor amin(const Tensor& self, IntArrayRef dim = {}, bool keepdim = false);
/// Writes the result into `out`, which must have self's dtype.
/// Errors: "Expected the dtype for input and out to match, but got Float for input's dtype and
/// Double for out's dtype.".
Tensor& amax_out(Tensor& out, const Tensor& self, IntArrayRef dim = {}, bool keepdim = false);
Tensor& amin_out(Tensor& out, const Tensor& self, IntArrayRef dim = {}, bool keepdim = false);

/// Returns the first index of the largest (smallest) element as i64, along `dim` or in the
/// flattened tensor. Throws for bool tensors.
Tensor argmax(const Tensor& self, optional<int64_t> dim = nullopt, bool keepdim = false);
Tensor argmin(const Tensor& self, optional<int64_t> dim = nullopt, bool keepdim = false);
/// Writes the result into `out`, an i64 tensor. Throws Error for other dtypes.
Tensor& argmax_out(Tensor& out, const Tensor& self, optional<int64_t> dim = nullopt,
                   bool keepdim = false);
Tensor& argmin_out(Tensor& out, const Tensor& self, optional<int64_t> dim = nullopt,
                   bool keepdim = false);

/// Returns the smallest and the largest elements, {amin, amax}.
std::tuple<Tensor, Tensor> aminmax(const Tensor& self, optional<int64_t> dim = nullopt,
                                   bool keepdim = false);
std::tuple<Tensor&, Tensor&> aminmax_out(Tensor& min, Tensor& max, const Tensor& self,
                                         optional<int64_t> dim = nullopt, bool keepdim = false);

}  // namespace torch::taper

#pragma GCC visibility pop
