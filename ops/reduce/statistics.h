// Quantiles and modes, computed by other ops. Negative dims count from the end.
#pragma once

#include <string_view>
#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the quantiles q (0 to 1) along `dim`, or of all elements if `dim` is nullopt.
/// `interpolation` is "linear", "lower", "higher", "midpoint" or "nearest". Takes f32 and f64. If
/// an element is NaN, the result is NaN. If q is a vector, the result has an additional first
/// dimension of q's size. Throws Error for other arguments.
Tensor quantile(const Tensor& self, const Tensor& q, optional<int64_t> dim = nullopt,
                bool keepdim = false, std::string_view interpolation = "linear");
Tensor quantile(const Tensor& self, double q, optional<int64_t> dim = nullopt, bool keepdim = false,
                std::string_view interpolation = "linear");
/// Returns quantiles of the elements that are not NaN.
Tensor nanquantile(const Tensor& self, const Tensor& q, optional<int64_t> dim = nullopt,
                   bool keepdim = false, std::string_view interpolation = "linear");
Tensor nanquantile(const Tensor& self, double q, optional<int64_t> dim = nullopt,
                   bool keepdim = false, std::string_view interpolation = "linear");
/// Returns {value, index} of the most frequent value along `dim`. Of equally frequent values,
/// returns the smallest. The index is the last index of this value.
std::tuple<Tensor, Tensor> mode(const Tensor& self, int64_t dim = -1, bool keepdim = false);
std::tuple<Tensor&, Tensor&> mode_out(Tensor& values, Tensor& indices, const Tensor& self,
                                      int64_t dim = -1, bool keepdim = false);

}  // namespace torch::taper

#pragma GCC visibility pop
