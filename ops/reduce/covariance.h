// Covariances and correlations.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the covariances of D variables. x is (D, N): a row is a variable, a column is one of N
/// observations. The result is (D, D). A vector is one variable and gives a 0-dim result.
/// Observation i counts fweights[i] times, an integer, and has the weight aweights[i]. The sum is
/// divided by the number of observations minus `correction`.
Tensor cov(const Tensor& x, int64_t correction = 1, const optional<Tensor>& fweights = nullopt,
           const optional<Tensor>& aweights = nullopt);
/// Returns the correlation coefficients of the rows of x, in [-1, 1].
Tensor corrcoef(const Tensor& x);

}  // namespace torch::taper

#pragma GCC visibility pop
