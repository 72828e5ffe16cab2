// Covariances and correlations.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// The covariances of D variables, the rows of x (D x N; a vector is one variable), over N
/// observations: (D x D), 0-dim for a vector. Observation i counts fweights[i] times (whole
/// numbers) and weighs aweights[i]; the sum is divided by the number of observations less
/// `correction`.
Tensor cov(const Tensor& x, int64_t correction = 1, const optional<Tensor>& fweights = nullopt,
           const optional<Tensor>& aweights = nullopt);
/// The correlation coefficients of the rows of x, in [-1, 1].
Tensor corrcoef(const Tensor& x);

}  // namespace torch::taper

#pragma GCC visibility pop
