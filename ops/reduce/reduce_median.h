// Medians. reduce_sum.h has the common rules of reductions.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the median. For an even number of elements, the median is the smaller of the middle two.
/// If an element is NaN, median returns NaN, and nanmedian ignores the element. Along a dimension,
/// both return (values, indices).
Tensor median(const Tensor& self);
std::tuple<Tensor, Tensor> median(const Tensor& self, int64_t dim, bool keepdim = false);
std::tuple<Tensor&, Tensor&> median_out(Tensor& values, Tensor& indices, const Tensor& self,
                                        int64_t dim, bool keepdim = false);
Tensor nanmedian(const Tensor& self);
std::tuple<Tensor, Tensor> nanmedian(const Tensor& self, int64_t dim, bool keepdim = false);
std::tuple<Tensor&, Tensor&> nanmedian_out(Tensor& values, Tensor& indices, const Tensor& self,
                                           int64_t dim, bool keepdim = false);

}  // namespace torch::taper

#pragma GCC visibility pop
