// Search in sorted boundaries, and tests for membership.
#pragma once

#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns for each element v of `self` the first index i whose boundary is >= v. With `right` (or
/// side "right"), it is the first i whose boundary is > v. If there is no such i, it returns the
/// number of boundaries. The boundaries, sorted_sequence, are sorted along the last dimension. They
/// are one vector for all elements, or have self's other dimensions. If they are not sorted,
/// `sorter` holds the indices that sort them. The result has self's sizes and is kLong, or kInt
/// with out_int32. It has no gradient. Throws Error for sizes that do not fit.
Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& self, bool out_int32 = false,
                    bool right = false, optional<std::string_view> side = nullopt,
                    const optional<Tensor>& sorter = {});
Tensor searchsorted(const Tensor& sorted_sequence, const Scalar& self, bool out_int32 = false,
                    bool right = false, optional<std::string_view> side = nullopt,
                    const optional<Tensor>& sorter = {});
/// Calls searchsorted with one vector of boundaries.
Tensor bucketize(const Tensor& self, const Tensor& boundaries, bool out_int32 = false,
                 bool right = false);
Tensor bucketize(const Scalar& self, const Tensor& boundaries, bool out_int32 = false,
                 bool right = false);

/// Tests which elements occur in test_elements. With `invert`, it tests which elements do not
/// occur. Returns bools with the sizes of `elements`.
Tensor isin(const Tensor& elements, const Tensor& test_elements, bool assume_unique = false,
            bool invert = false);
/// Take a number instead of a tensor. A number as `element` gives a 0-dim result.
Tensor isin(const Tensor& elements, const Scalar& test_element, bool assume_unique = false,
            bool invert = false);
Tensor isin(const Scalar& element, const Tensor& test_elements, bool assume_unique = false,
            bool invert = false);

}  // namespace torch::taper

#pragma GCC visibility pop
