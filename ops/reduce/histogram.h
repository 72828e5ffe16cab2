// Histograms of one and of several variables, made of other ops. No gradient.
#pragma once

#include <tuple>
#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// {hist, edges}: how many elements of self (with `weight`, of self's shape: the sum of whose
/// weights) lie between neighbouring edges, the last part with its upper end; elements beyond do
/// not count. `bins` are the edges, a vector that does not fall, or the number of equal parts of
/// `range` (default: of the elements' range). `density`: divided by the whole and by the widths.
/// f32 and f64, one dtype for all. Throws Error for other arguments.
std::tuple<Tensor, Tensor> histogram(const Tensor& self, const Tensor& bins,
                                     const optional<Tensor>& weight = {}, bool density = false);
std::tuple<Tensor, Tensor> histogram(const Tensor& self, int64_t bins = 100,
                                     optional<ArrayRef<double>> range = nullopt,
                                     const optional<Tensor>& weight = {}, bool density = false);

/// The same for points: self is (..., D), hist has D dimensions, and there is a vector of edges for
/// each; `range` has a lower and an upper end for each.
std::tuple<Tensor, std::vector<Tensor>> histogramdd(const Tensor& self, TensorList bins,
                                                    const optional<Tensor>& weight = {},
                                                    bool density = false);
std::tuple<Tensor, std::vector<Tensor>> histogramdd(const Tensor& self, IntArrayRef bins,
                                                    optional<ArrayRef<double>> range = nullopt,
                                                    const optional<Tensor>& weight = {},
                                                    bool density = false);
std::tuple<Tensor, std::vector<Tensor>> histogramdd(const Tensor& self, int64_t bins,
                                                    optional<ArrayRef<double>> range = nullopt,
                                                    const optional<Tensor>& weight = {},
                                                    bool density = false);

/// How often each number from 0 to the largest of a vector of non-negative integers occurs, for at
/// least `minlength` numbers: kLong, or with `weights` the sums of those (kFloat for kFloat, else
/// kDouble). No gradient. Throws Error for other inputs.
Tensor bincount(const Tensor& self, const optional<Tensor>& weights = {}, int64_t minlength = 0);
/// How many elements lie in each of `bins` equal parts of [min, max] (both 0: of the elements'
/// range); the last part has its upper end. Floating dtypes, which the counts have too. No
/// gradient. Throws Error for bins < 1, max < min and a range that is not finite.
Tensor histc(const Tensor& self, int64_t bins = 100, const Scalar& min = 0, const Scalar& max = 0);

}  // namespace torch::taper

#pragma GCC visibility pop
