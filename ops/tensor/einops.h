// Functions that rearrange named dimensions, in the notation of Python's einops.
//
// A pattern names the dimensions of the input and of the result: "b c h w -> b (c h w)".
// Parentheses join several dimensions into one. "1" is a dimension of size 1. "..." stands for any
// number of further dimensions.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::einops {

/// The sizes of dimensions that a pattern names: {{"h", 2}, {"w", 3}}.
using Sizes = std::vector<std::pair<std::string, int64_t>>;

/// Splits, permutes and joins dimensions. Returns a view if the strides allow it. One size in each
/// pair of parentheses is computed from x. `sizes` gives the other sizes.
///
///     einops::rearrange(images, "b c (h p) (w q) -> b (h w) (p q c)", {{"p", 16}, {"q", 16}});
///
/// Throws Error if the pattern does not fit x, or if its two sides have different names.
Tensor rearrange(const Tensor& x, std::string_view pattern, const Sizes& sizes = {});
/// Reduces the dimensions that the right side of the pattern does not have. `reduction` is "sum",
/// "mean", "max", "min", "prod", "any" or "all". Then rearranges the other dimensions.
///
///     einops::reduce(images, "b c (h 2) (w 2) -> b c h w", "max");  // pools 2 x 2 pixels
Tensor reduce(const Tensor& x, std::string_view pattern, std::string_view reduction,
              const Sizes& sizes = {});
/// Repeats x along the dimensions that only the right side of the pattern has. A number on the
/// right side is also a new dimension, of this size.
///
///     einops::repeat(gray, "h w -> 3 h w");
Tensor repeat(const Tensor& x, std::string_view pattern, const Sizes& sizes = {});

}  // namespace torch::taper::einops

#pragma GCC visibility pop
