// Options of the distance modules and functions.
#pragma once

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// x1 . x2 / (max(|x1|, eps) max(|x2|, eps)) along `dim`, which the result has not.
struct CosineSimilarityOptions {
  TAPER_ARG(int64_t, dim) = 1;    ///< along which
  TAPER_ARG(double, eps) = 1e-8;  ///< keeps divisors from 0
};
/// The p-norm of x1 - x2 + eps along the last dimension.
struct PairwiseDistanceOptions {
  TAPER_ARG(double, p) = 2.0;        ///< of the norm
  TAPER_ARG(double, eps) = 1e-6;     ///< keeps divisors from 0
  TAPER_ARG(bool, keepdim) = false;  ///< whether the dimension stays, of size 1
};

namespace functional {

/// What the functions take: the options of the modules.
///@{
using CosineSimilarityFuncOptions = CosineSimilarityOptions;
using PairwiseDistanceFuncOptions = PairwiseDistanceOptions;
///@}

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
