// Reductions to the largest or smallest element, and to its position. The common rules are in
// reduce_sum.h. A NaN counts as larger and as smaller than every number, so it is always the
// result.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// The largest (smallest) element. Its gradient is shared evenly among equal elements.
/// Errors: "max(): Expected reduction dim to be specified for input.numel() == 0. ..." for no
/// elements.
Tensor max(const Tensor& self);
Tensor min(const Tensor& self);

/// Along one dimension: (values, first positions as i64). The gradient goes to that position.
/// Errors: IndexError "max(): Expected reduction dim 1 to have non-zero size.".
std::tuple<Tensor, Tensor> max(const Tensor& self, int64_t dim, bool keepdim = false);
std::tuple<Tensor, Tensor> min(const Tensor& self, int64_t dim, bool keepdim = false);

/// Element by element: the same as maximum() and minimum().
Tensor max(const Tensor& self, const Tensor& other);
/// The larger (smaller) of each two elements.
Tensor& max_out(Tensor& out, const Tensor& self, const Tensor& other);
std::tuple<Tensor&, Tensor&> max_out(Tensor& max, Tensor& max_indices, const Tensor& self,
                                     int64_t dim, bool keepdim = false);
Tensor min(const Tensor& self, const Tensor& other);
Tensor& min_out(Tensor& out, const Tensor& self, const Tensor& other);
std::tuple<Tensor&, Tensor&> min_out(Tensor& min, Tensor& min_indices, const Tensor& self,
                                     int64_t dim, bool keepdim = false);

/// The largest (smallest) element over one or more dimensions, all for an empty list. The gradient
/// is shared evenly among equal elements.
Tensor amax(const Tensor& self, IntArrayRef dim = {}, bool keepdim = false);
Tensor amin(const Tensor& self, IntArrayRef dim = {}, bool keepdim = false);
/// Into a tensor of the same dtype.
/// Errors: "Expected the dtype for input and out to match, but got Float for input's dtype and
/// Double for out's dtype.".
Tensor& amax_out(Tensor& out, const Tensor& self, IntArrayRef dim = {}, bool keepdim = false);
Tensor& amin_out(Tensor& out, const Tensor& self, IntArrayRef dim = {}, bool keepdim = false);

/// First position of the largest (smallest) element as i64: along `dim`, or in the flattened
/// tensor. Not for bool tensors.
Tensor argmax(const Tensor& self, optional<int64_t> dim = nullopt, bool keepdim = false);
Tensor argmin(const Tensor& self, optional<int64_t> dim = nullopt, bool keepdim = false);
/// Into an i64 tensor; throws Error for others.
Tensor& argmax_out(Tensor& out, const Tensor& self, optional<int64_t> dim = nullopt,
                   bool keepdim = false);
Tensor& argmin_out(Tensor& out, const Tensor& self, optional<int64_t> dim = nullopt,
                   bool keepdim = false);

/// {amin, amax}.
std::tuple<Tensor, Tensor> aminmax(const Tensor& self, optional<int64_t> dim = nullopt,
                                   bool keepdim = false);
std::tuple<Tensor&, Tensor&> aminmax_out(Tensor& min, Tensor& max, const Tensor& self,
                                         optional<int64_t> dim = nullopt, bool keepdim = false);

}  // namespace torch::taper

#pragma GCC visibility pop
