// Counts, quantiles and other summaries, made of other ops. Negative dims count from the end.
#pragma once

#include <string_view>
#include <tuple>

#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper {

/// How often each number from 0 to the largest of a vector of non-negative integers occurs, for at
/// least `minlength` numbers: kLong, or with `weights` the sums of those (kFloat for kFloat, else
/// kDouble). No gradient. Throws Error for other inputs.
Tensor bincount(const Tensor& self, const optional<Tensor>& weights = {}, int64_t minlength = 0);
/// How many elements lie in each of `bins` equal parts of [min, max] (both 0: of the elements'
/// range); the last part has its upper end. Floating dtypes, which the counts have too. No
/// gradient. Throws Error for bins < 1, max < min and a range that is not finite.
Tensor histc(const Tensor& self, int64_t bins = 100, const Scalar& min = 0, const Scalar& max = 0);

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
/// The mean of the elements that are no NaN. Floating dtypes.
Tensor nanmean(const Tensor& self, OptionalIntArrayRef dim = nullopt, bool keepdim = false,
               optional<ScalarType> dtype = nullopt);
/// {value, index} of the most frequent value along `dim`, the smallest of several; the index is the
/// last one that has it.
std::tuple<Tensor, Tensor> mode(const Tensor& self, int64_t dim = -1, bool keepdim = false);
/// {amin, amax}.
std::tuple<Tensor, Tensor> aminmax(const Tensor& self, optional<int64_t> dim = nullopt,
                                   bool keepdim = false);
/// The p-norm of self - other.
Tensor dist(const Tensor& self, const Tensor& other, const Scalar& p = 2);
/// self with each slice along `dim` whose p-norm is larger than maxnorm scaled down to that norm.
/// Throws Error for fewer than 2 dimensions, for p <= 0 and for maxnorm < 0.
Tensor renorm(const Tensor& self, const Scalar& p, int64_t dim, const Scalar& maxnorm);

}  // namespace taper

#pragma GCC visibility pop
