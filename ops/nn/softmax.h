// Softmax and its logarithm.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Computes y_i = exp(x_i) / sum_j exp(x_j) along `dim`. The largest element is subtracted first,
/// so that nothing overflows. self has any shape and a floating dtype. If `dtype` is given, self is
/// first converted to it.
/// Errors: IndexError "softmax: Dimension out of range ..." and NotImplementedError for integers.
Tensor softmax(const Tensor& self, int64_t dim, optional<ScalarType> dtype = nullopt);
Tensor& softmax_out(Tensor& out, const Tensor& self, int64_t dim,
                    optional<ScalarType> dtype = nullopt);
Tensor _softmax(const Tensor& self, int64_t dim, bool half_to_float);

/// Computes y_i = x_i - log sum_j exp(x_j) along `dim`. Unlike log(softmax(x)), the result is
/// accurate even if softmax(x) underflows.
Tensor log_softmax(const Tensor& self, int64_t dim, optional<ScalarType> dtype = nullopt);
Tensor& log_softmax_out(Tensor& out, const Tensor& self, int64_t dim,
                        optional<ScalarType> dtype = nullopt);
Tensor _log_softmax(const Tensor& self, int64_t dim, bool half_to_float);

/// Returns the gradient of softmax from its output y: gx = y (gy - sum(gy y)).
Tensor softmax_backward(const Tensor& gy, const Tensor& y, int64_t dim);
/// Returns the gradient of log_softmax from its output y: gx = gy - exp(y) sum(gy).
/// softmax_backward and log_softmax_backward throw Error for a gy that does not match y:
/// "softmax_backward: expected a gradient like the output, Float[2, 3], got ...".
Tensor log_softmax_backward(const Tensor& gy, const Tensor& y, int64_t dim);

}  // namespace torch::taper

#pragma GCC visibility pop
