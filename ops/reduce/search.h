// Search in sorted boundaries, and tests for membership.
#pragma once

#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns for each element v of `self` the first index i with sorted_sequence[i] >= v. With
/// `right` (or side "right"), i is the first index with sorted_sequence[i] > v. If there is no such
/// i, the result is the size of the last dimension. sorted_sequence is sorted along this dimension.
/// It is one vector for all elements, or its other dimensions have self's sizes. For an unsorted
/// sequence, `sorter` holds the indices that sort it. The result has self's sizes and is kLong, or
/// kInt with out_int32. It has no gradient. Throws Error for sizes that do not fit.
Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& self, bool out_int32 = false,
                    bool right = false, optional<std::string_view> side = nullopt,
                    const optional<Tensor>& sorter = {});
Tensor searchsorted(const Tensor& sorted_sequence, const Scalar& self, bool out_int32 = false,
                    bool right = false, optional<std::string_view> side = nullopt,
                    const optional<Tensor>& sorter = {});
/// Calls searchsorted with the vector `boundaries` as sorted_sequence.
Tensor bucketize(const Tensor& self, const Tensor& boundaries, bool out_int32 = false,
                 bool right = false);
Tensor bucketize(const Scalar& self, const Tensor& boundaries, bool out_int32 = false,
                 bool right = false);

/// Tests for each element whether it occurs in test_elements. With `invert`, tests whether it does
/// not occur. Returns bools with the sizes of `elements`.
Tensor isin(const Tensor& elements, const Tensor& test_elements, bool assume_unique = false,
            bool invert = false);
/// Take a number instead of a tensor. A number as `element` gives a 0-dim result.
Tensor isin(const Tensor& elements, const Scalar& test_element, bool assume_unique = false,
            bool invert = false);
Tensor isin(const Scalar& element, const Tensor& test_elements, bool assume_unique = false,
            bool invert = false);

}  // namespace torch::taper

#pragma GCC visibility pop
