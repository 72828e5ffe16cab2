// Histograms of one and of several variables, computed by other ops. They have no gradient.
#pragma once

#include <tuple>
#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Counts the elements of self between neighbouring edges and returns {hist, edges}. The last bin
/// includes its upper edge. Elements outside all bins are ignored. `bins` is a non-decreasing
/// vector of edges, or a number of bins. A number divides `range` (default: the range of the
/// elements) into equal bins. With `weight`, which has self's shape, bins hold sums of weights.
/// With `density`, bins are divided by the total and by their widths. All tensors must be f32, or
/// all f64. Throws Error for other arguments.
std::tuple<Tensor, Tensor> histogram(const Tensor& self, const Tensor& bins,
                                     const optional<Tensor>& weight = {}, bool density = false);
std::tuple<Tensor, Tensor> histogram(const Tensor& self, int64_t bins = 100,
                                     optional<ArrayRef<double>> range = nullopt,
                                     const optional<Tensor>& weight = {}, bool density = false);

/// Returns the histogram of points with D coordinates. self is (..., D), and the histogram has D
/// dimensions. `bins` has a vector of edges, or a number of bins, for each dimension. `range` has a
/// lower and an upper end for each dimension.
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

/// Counts how often each number occurs in a vector of non-negative integers. The result (kLong) has
/// the counts from 0 to the largest number, and at least `minlength` elements. With `weights`, the
/// result holds sums of weights. The sums are kFloat for kFloat weights, else kDouble. The result
/// has no gradient. Throws Error for other inputs.
Tensor bincount(const Tensor& self, const optional<Tensor>& weights = {}, int64_t minlength = 0);
/// Counts the elements in each of `bins` equal parts of [min, max]. If min and max are 0, the range
/// of the elements is used. The last part includes its upper end. Takes floating dtypes and returns
/// the counts in the input's dtype. The result has no gradient. Throws Error for bins < 1, max <
/// min and an infinite range.
Tensor histc(const Tensor& self, int64_t bins = 100, const Scalar& min = 0, const Scalar& max = 0);

}  // namespace torch::taper

#pragma GCC visibility pop
