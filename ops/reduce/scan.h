// Cumulative sums, products and maxima along a dimension.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// y[i] = x[0] + ... + x[i] along `dim`. Integers and bools give int64. `dtype` converts x first.
/// Sums of f32 are accumulated in f64, of 16-bit floats in f32.
Tensor cumsum(const Tensor& x, int64_t dim, optional<ScalarType> dtype = nullopt);
/// y[i] = x[0] * ... * x[i] along `dim`; the rest as cumsum. The gradient is right for zeros too.
Tensor cumprod(const Tensor& x, int64_t dim, optional<ScalarType> dtype = nullopt);
/// Into `out`; without `dtype`, x is converted to out's dtype first. Throws Error for an out of
/// another dtype than `dtype`.
Tensor& cumsum_out(Tensor& out, const Tensor& x, int64_t dim, optional<ScalarType> dtype = nullopt);
Tensor& cumprod_out(Tensor& out, const Tensor& x, int64_t dim,
                    optional<ScalarType> dtype = nullopt);
/// y[i] = log(exp(x[0]) + ... + exp(x[i])) along `dim`, without overflow. Floating dtypes.
Tensor logcumsumexp(const Tensor& x, int64_t dim);
Tensor& logcumsumexp_out(Tensor& out, const Tensor& self, int64_t dim);
/// The largest value so far along `dim`, and its index (of the last one among equals; NaN is the
/// largest).
std::tuple<Tensor, Tensor> cummax(const Tensor& x, int64_t dim);
std::tuple<Tensor&, Tensor&> cummax_out(Tensor& values, Tensor& indices, const Tensor& self,
                                        int64_t dim);
/// The smallest value so far, in the same way.
std::tuple<Tensor, Tensor> cummin(const Tensor& x, int64_t dim);
std::tuple<Tensor&, Tensor&> cummin_out(Tensor& values, Tensor& indices, const Tensor& self,
                                        int64_t dim);

}  // namespace torch::taper

#pragma GCC visibility pop
