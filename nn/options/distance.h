// Options of the distance modules and functions.
#pragma once

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Configures cosine similarity along `dim`: x1 . x2 / (max(|x1|, eps) * max(|x2|, eps)).
struct CosineSimilarityOptions {
  TAPER_ARG(int64_t, dim) = 1;    ///< the dimension
  TAPER_ARG(double, eps) = 1e-8;  ///< keeps the divisor from 0
};
/// Configures the p-norm of x1 - x2 + eps along the last dimension.
struct PairwiseDistanceOptions {
  TAPER_ARG(double, p) = 2.0;        ///< order of the norm
  TAPER_ARG(double, eps) = 1e-6;     ///< added to each difference
  TAPER_ARG(bool, keepdim) = false;  ///< whether the result keeps the last dimension, with size 1
};

namespace functional {

/// The options of the functions, which are equal to the options of the modules.
///@{
using CosineSimilarityFuncOptions = CosineSimilarityOptions;
using PairwiseDistanceFuncOptions = PairwiseDistanceOptions;
///@}

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
