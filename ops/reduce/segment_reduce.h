// Reductions of segments of a dimension.
#pragma once

#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Reduces each of S segments of `data` (B..., n, ...) along `axis`. The result is (B..., S, ...).
/// Segments are given by lengths (B..., S) or by offsets (B..., S + 1). Segment s holds the
/// elements [offsets[s], offsets[s + 1]). If both are given, offsets are used. `reduce` is "sum",
/// "mean", "prod", "max" or "min". The reduction starts with `initial`. Without `initial`, empty
/// segments give 0, NaN, 1, -inf or inf, respectively. Elements equal to the maximum or minimum
/// share its gradient evenly. Takes floating dtypes, with integer lengths and offsets.
///
/// Errors: Error for a negative length and for lengths that do not add up to n. With `unsafe`,
/// elements beyond the lengths are ignored instead. Error for `indices`, which LibTorch does not
/// support either.
Tensor segment_reduce(const Tensor& data, std::string_view reduce,
                      const optional<Tensor>& lengths = nullopt,
                      const optional<Tensor>& indices = nullopt,
                      const optional<Tensor>& offsets = nullopt, int64_t axis = 0,
                      bool unsafe = false, const optional<Scalar>& initial = nullopt);

}  // namespace torch::taper

#pragma GCC visibility pop
