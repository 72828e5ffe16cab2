// Softmax and its logarithm.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// y_i = exp(x_i) / sum_j exp(x_j) along `dim`, with the largest element taken out first, so that
/// nothing overflows. Any shape; floating dtypes, or any with `dtype` (converted first).
/// Errors: IndexError "softmax: Dimension out of range ..."; NotImplementedError for integers.
Tensor softmax(const Tensor& self, int64_t dim, optional<ScalarType> dtype = nullopt);
Tensor& softmax_out(Tensor& out, const Tensor& self, int64_t dim,
                    optional<ScalarType> dtype = nullopt);
Tensor _softmax(const Tensor& self, int64_t dim, bool half_to_float);

/// y_i = x_i - log sum_j exp(x_j) along `dim`: log(softmax(x)) without its loss of small values.
Tensor log_softmax(const Tensor& self, int64_t dim, optional<ScalarType> dtype = nullopt);
Tensor& log_softmax_out(Tensor& out, const Tensor& self, int64_t dim,
                        optional<ScalarType> dtype = nullopt);
Tensor _log_softmax(const Tensor& self, int64_t dim, bool half_to_float);

/// Gradient of softmax from that of its output and the output: gx = y (gy - sum(gy y)).
Tensor softmax_backward(const Tensor& gy, const Tensor& y, int64_t dim);
/// Gradient of log_softmax: gx = gy - exp(y) sum(gy).
/// Errors of both: "softmax_backward: expected a gradient like the output, Float[2, 3], got ...".
Tensor log_softmax_backward(const Tensor& gy, const Tensor& y, int64_t dim);

}  // namespace torch::taper

#pragma GCC visibility pop
