// Cumulative sums, products and maxima along a dimension.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Computes y[i] = x[0] + ... + x[i] along `dim`. Integers and bools give int64. With `dtype`, x is
/// converted first. Sums of f32 are accumulated in f64, sums of 16-bit floats in f32.
Tensor cumsum(const Tensor& x, int64_t dim, optional<ScalarType> dtype = nullopt);
/// Computes y[i] = x[0] * ... * x[i] along `dim`. Dtypes are as for cumsum. The gradient is correct
/// even if x has zeros.
Tensor cumprod(const Tensor& x, int64_t dim, optional<ScalarType> dtype = nullopt);
/// Writes the result into `out`. Without `dtype`, x is converted to out's dtype first. Throws Error
/// if `dtype` differs from out's dtype.
Tensor& cumsum_out(Tensor& out, const Tensor& x, int64_t dim, optional<ScalarType> dtype = nullopt);
Tensor& cumprod_out(Tensor& out, const Tensor& x, int64_t dim,
                    optional<ScalarType> dtype = nullopt);
/// Computes y[i] = log(exp(x[0]) + ... + exp(x[i])) along `dim`, without overflow. Takes floating
/// dtypes.
Tensor logcumsumexp(const Tensor& x, int64_t dim);
Tensor& logcumsumexp_out(Tensor& out, const Tensor& self, int64_t dim);
/// Returns {values, indices}. values[i] is the largest of x[0] to x[i] along `dim`. indices[i] is
/// the last index of this value. NaN is the largest value.
std::tuple<Tensor, Tensor> cummax(const Tensor& x, int64_t dim);
std::tuple<Tensor&, Tensor&> cummax_out(Tensor& values, Tensor& indices, const Tensor& self,
                                        int64_t dim);
/// Returns {values, indices} of the smallest of x[0] to x[i], by the rules of cummax. NaN is the
/// smallest value.
std::tuple<Tensor, Tensor> cummin(const Tensor& x, int64_t dim);
std::tuple<Tensor&, Tensor&> cummin_out(Tensor& values, Tensor& indices, const Tensor& self,
                                        int64_t dim);

}  // namespace torch::taper

#pragma GCC visibility pop
