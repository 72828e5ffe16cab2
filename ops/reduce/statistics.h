// Counts, quantiles and other summaries, made of other ops. Negative dims count from the end.
#pragma once

#include <string_view>
#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// The q-th quantiles (0 to 1) along `dim` (nullopt: of all elements), `interpolation` one of
/// "linear", "lower", "higher", "midpoint", "nearest". f32 and f64; a NaN makes the result NaN.
/// With a vector q the result has its size as first dimension. Throws Error for other q, dtypes and
/// words.
Tensor quantile(const Tensor& self, const Tensor& q, optional<int64_t> dim = nullopt,
                bool keepdim = false, std::string_view interpolation = "linear");
Tensor quantile(const Tensor& self, double q, optional<int64_t> dim = nullopt, bool keepdim = false,
                std::string_view interpolation = "linear");
/// The same without the NaNs.
Tensor nanquantile(const Tensor& self, const Tensor& q, optional<int64_t> dim = nullopt,
                   bool keepdim = false, std::string_view interpolation = "linear");
Tensor nanquantile(const Tensor& self, double q, optional<int64_t> dim = nullopt,
                   bool keepdim = false, std::string_view interpolation = "linear");
/// {value, index} of the most frequent value along `dim`, the smallest of several; the index is the
/// last one that has it.
std::tuple<Tensor, Tensor> mode(const Tensor& self, int64_t dim = -1, bool keepdim = false);
std::tuple<Tensor&, Tensor&> mode_out(Tensor& values, Tensor& indices, const Tensor& self,
                                      int64_t dim = -1, bool keepdim = false);

}  // namespace torch::taper

#pragma GCC visibility pop
