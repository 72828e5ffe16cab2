// Search in sorted boundaries, and tests for membership.
#pragma once

#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns for each element v of `self` the first index i with boundaries[i] >= v, or > v with
/// `right` (or side "right"). If there is none, it returns the number of boundaries. They are
/// sorted along the last dimension: one vector for all, or with self's other dimensions. `sorter`
/// gives the order of unsorted boundaries. Returns kLong, or kInt with out_int32, in self's sizes.
/// It has no gradient. Throws Error for sizes that do not fit.
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

/// Tests which elements are among test_elements, or are not with `invert`. Returns bools with
/// the sizes of `elements`.
Tensor isin(const Tensor& elements, const Tensor& test_elements, bool assume_unique = false,
            bool invert = false);
/// Takes a number on either side. A number as element gives a 0-dim result.
Tensor isin(const Tensor& elements, const Scalar& test_element, bool assume_unique = false,
            bool invert = false);
Tensor isin(const Scalar& element, const Tensor& test_elements, bool assume_unique = false,
            bool invert = false);

}  // namespace torch::taper

#pragma GCC visibility pop
