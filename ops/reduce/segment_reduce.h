// Reductions of stretches of a dimension.
#pragma once

#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// `data` (B..., n, ...) in S segments along `axis`, each reduced to one: (B..., S, ...). Segment s
/// is the next lengths[s] elements, lengths (B..., S), or those from offsets[s] to offsets[s + 1],
/// offsets (B..., S + 1), which count where both are given. `reduce` is "sum", "mean", "prod",
/// "max" or "min", begun with `initial`; without it an empty segment gives 0, NaN, 1, -inf or inf.
/// The gradient of an extremum goes to all that are equal to it, in equal parts. Floating dtypes;
/// integer lengths and offsets.
///
/// Errors: Error for a negative length and for lengths that do not add up to n, unless `unsafe`
/// (elements of no segment are left out then); for `indices`, which LibTorch has not either.
Tensor segment_reduce(const Tensor& data, std::string_view reduce,
                      const optional<Tensor>& lengths = nullopt,
                      const optional<Tensor>& indices = nullopt,
                      const optional<Tensor>& offsets = nullopt, int64_t axis = 0,
                      bool unsafe = false, const optional<Scalar>& initial = nullopt);

}  // namespace torch::taper

#pragma GCC visibility pop
