// Medians. reduce_sum.h has the common rules of reductions.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the median: the smaller of the middle two for an even number of elements, or NaN if
/// there is one. Along a dimension it returns (values, indices). nanmedian ignores NaN.
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
