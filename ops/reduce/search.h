// Places of values among sorted boundaries, and whether values are among others.
#pragma once

#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// For each element v of `self` the first index i with boundaries[i] >= v, or > v with `right`
/// (side "right" says the same); the number of boundaries where there is none. Boundaries are
/// sorted along the last dimension: one vector for all, or with self's other dimensions. `sorter`
/// gives the order of boundaries that are not. kLong, or kInt with out_int32; self's sizes. No
/// gradient. Throws Error for sizes that do not fit.
Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& self, bool out_int32 = false,
                    bool right = false, optional<std::string_view> side = nullopt,
                    const optional<Tensor>& sorter = {});
Tensor searchsorted(const Tensor& sorted_sequence, const Scalar& self, bool out_int32 = false,
                    bool right = false, optional<std::string_view> side = nullopt,
                    const optional<Tensor>& sorter = {});
/// searchsorted with one vector of boundaries.
Tensor bucketize(const Tensor& self, const Tensor& boundaries, bool out_int32 = false,
                 bool right = false);
Tensor bucketize(const Scalar& self, const Tensor& boundaries, bool out_int32 = false,
                 bool right = false);

/// Which elements are among test_elements (with `invert`: which are not); bool, of elements' sizes.
Tensor isin(const Tensor& elements, const Tensor& test_elements, bool assume_unique = false,
            bool invert = false);
/// The same with a number on either side; for a number as the element the result has no dimensions.
Tensor isin(const Tensor& elements, const Scalar& test_element, bool assume_unique = false,
            bool invert = false);
Tensor isin(const Scalar& element, const Tensor& test_elements, bool assume_unique = false,
            bool invert = false);

}  // namespace torch::taper

#pragma GCC visibility pop
